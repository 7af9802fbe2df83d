// Creates orders at the Delivery Service, each once, with nothing but Go 1.19. Set DLV_BASE_URL and DLV_API_KEY.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const attempts = 10

var (
	baseURL = strings.TrimRight(os.Getenv("DLV_BASE_URL"), "/")
	client  = http.Client{
		Timeout: 30 * time.Second,
		// A redirect would carry the key to another host, and take its answer for the service's.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
)

// serviceError is a refusal; sending the same request again changes nothing.
type serviceError struct {
	Status                   int
	Code, Message, RequestID string
}

func (e *serviceError) Error() string {
	return fmt.Sprintf("%d %s: %s (request %s)", e.Status, e.Code, e.Message, e.RequestID)
}

// request sends until there is a final answer. The key and the bytes are the same each time.
func request(method, path string, body []byte, key string, result any) error {
	for attempt := 0; attempt < attempts; attempt++ {
		answer, retryAfter, err := send(method, path, body, key)
		if err == nil {
			err = json.Unmarshal(answer, result)
		}
		var refusal, isFinal = err.(*serviceError)
		if err == nil || isFinal && !mayPass(refusal) {
			return err
		}
		wait := time.Duration((0.5 + rand.Float64()/2) * float64(min(30, 1<<attempt)) * float64(time.Second) / 2)
		if wait < retryAfter {
			wait = retryAfter
		}
		log.Printf("%s %s: %v; trying again in %v", method, path, err, wait.Round(100*time.Millisecond))
		time.Sleep(wait)
	}
	return fmt.Errorf("%s %s: no final answer after %d attempts; run the same command again", method, path, attempts)
}

func mayPass(e *serviceError) bool {
	return e.Status == 429 || e.Status >= 500 || e.Code == "IDEMPOTENCY_CONFLICT"
}

func send(method, path string, body []byte, key string) ([]byte, time.Duration, error) {
	sent, err := http.NewRequest(method, baseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	sent.Header.Set("Authorization", "Bearer "+os.Getenv("DLV_API_KEY"))
	sent.Header.Set("Content-Type", "application/json")
	if key != "" {
		sent.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(sent)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode < 300 {
		return answer, 0, err
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	// Something in front of the service may answer with anything: the status counts then.
	var refusal struct{ Error serviceError }
	_ = json.Unmarshal(answer, &refusal)
	refusal.Error.Status = response.StatusCode
	if response.StatusCode < 400 {
		refusal.Error.Code = "REDIRECT"
		refusal.Error.Message = "not followed, check DLV_BASE_URL: " + response.Header.Get("Location")
	}
	return nil, time.Duration(seconds) * time.Second, &refusal.Error
}

type delivery struct {
	DeliveryID, ClientOrderReference, Status string
	CreatedAt                                time.Time
}

// create derives the key from the order, so that a second run repeats and does not create.
func create(order []byte) (created delivery, err error) {
	var of struct{ ClientOrderReference string }
	if err := json.Unmarshal(order, &of); err != nil {
		return created, err
	}
	if of.ClientOrderReference == "" {
		return created, errors.New("the order has no clientOrderReference")
	}
	key := fmt.Sprintf("order-%x", sha256.Sum256([]byte(of.ClientOrderReference)))
	err = request("POST", "/deliveries", order, key, &created)
	if refusal, _ := err.(*serviceError); refusal == nil || refusal.Code != "DUPLICATE_ORDER" {
		return created, err
	}
	// The service forgets a key after a day, but not the reference.
	failed := deliveries(url.Values{"clientOrderReference": {of.ClientOrderReference}}, func(one delivery) {
		created, err = one, nil
	})
	if failed != nil {
		return created, failed
	}
	return created, err
}

// deliveries lists them page by page. Pages may be short or empty: only a missing cursor is the end.
func deliveries(query url.Values, visit func(delivery)) error {
	for {
		var page struct {
			Deliveries []delivery
			NextCursor string
		}
		if err := request("GET", "/deliveries?"+query.Encode(), nil, "", &page); err != nil {
			return err
		}
		for _, one := range page.Deliveries {
			visit(one)
		}
		if page.NextCursor == "" {
			return nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func main() {
	if len(os.Args) != 2 || baseURL == "" || os.Getenv("DLV_API_KEY") == "" {
		log.Fatal("usage: go run client.go ORDERS.ndjson, with DLV_BASE_URL and DLV_API_KEY set")
	}
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	references, orders, failed, listed := map[string]bool{}, 0, 0, 0
	oldest := time.Now().Add(-24 * time.Hour)
	for at, order := range bytes.Split(file, []byte("\n")) {
		if len(bytes.TrimSpace(order)) == 0 {
			continue
		}
		orders++
		created, err := create(order)
		if err != nil {
			failed++
			log.Printf("line %d: %v", at+1, err)
			continue
		}
		references[created.ClientOrderReference] = true
		if !created.CreatedAt.IsZero() && created.CreatedAt.Before(oldest) {
			oldest = created.CreatedAt
		}
		fmt.Println(created.ClientOrderReference, created.DeliveryID, created.Status)
	}
	query := url.Values{"from": {oldest.UTC().Format(time.RFC3339)}, "limit": {"100"}}
	err = deliveries(query, func(one delivery) {
		if references[one.ClientOrderReference] {
			listed++
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d orders, %d refused, %d deliveries\n", orders, failed, listed)
	if failed > 0 || listed != orders {
		os.Exit(1)
	}
}
