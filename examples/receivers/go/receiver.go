// Receives webhooks of the Delivery Service with nothing but Go 1.19. DLV_WEBHOOK_SECRET is the signing secret.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBody, tolerance = 1 << 20, 5 * time.Minute

type event struct {
	EventID, EventType string
	OccurredAt         time.Time
	Delivery           struct{ DeliveryID, ClientOrderReference, Status string }
}

// store holds each event once and the newest snapshot of each delivery. Use tables of your database instead.
type store struct {
	sync.Mutex
	file       *os.File
	eventIDs   map[string]bool
	deliveries map[string]event
}

func openStore(name string) *store {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	check(err)
	s := &store{file: file, eventIDs: map[string]bool{}, deliveries: map[string]event{}}
	for lines := json.NewDecoder(file); lines.More(); {
		var known event
		check(lines.Decode(&known))
		s.apply(known)
	}
	return s
}

// take says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then.
func (s *store) take(e event) (string, error) {
	s.Lock()
	defer s.Unlock()
	if s.eventIDs[e.EventID] {
		return "duplicate", nil
	}
	if err := json.NewEncoder(s.file).Encode(e); err != nil {
		return "", err
	}
	if err := s.file.Sync(); err != nil {
		return "", err
	}
	return s.apply(e), nil
}

func (s *store) apply(e event) string {
	s.eventIDs[e.EventID] = true
	id := e.Delivery.DeliveryID
	if id == "" {
		return "ignored"
	}
	if s.deliveries[id].OccurredAt.After(e.OccurredAt) {
		return "outdated"
	}
	s.deliveries[id] = e
	return "processed"
}

// isSigned says whether a signature is of one of the secrets, over the bytes as they arrived, within five minutes.
func isSigned(secrets []string, header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); id == "" || err != nil || age.Abs() > tolerance {
		return false
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		check(err)
		mac := hmac.New(sha256.New, key)
		mac.Write(append([]byte(id+"."+timestamp+"."), body...))
		good := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, given := range strings.Fields(header.Get("webhook-signature")) {
			if hmac.Equal([]byte(given), good) {
				return true
			}
		}
	}
	return false
}

func main() {
	events, work := openStore(or(os.Getenv("EVENTS_FILE"), "events.jsonl")), make(chan event, 1000)
	secrets := strings.Fields(os.Getenv("DLV_WEBHOOK_SECRET"))
	if len(secrets) == 0 {
		log.Fatal("Set DLV_WEBHOOK_SECRET to the signing secret.")
	}
	for _, secret := range secrets {
		if _, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); err != nil {
			log.Fatal("DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and base64.")
		}
	}
	http.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		if !isSigned(secrets, r.Header, body) {
			http.Error(w, "the signature does not match", http.StatusUnauthorized)
			return
		}
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		outcome, err := events.take(e)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		json.NewEncoder(w).Encode(map[string]string{"outcome": outcome})
		if outcome == "processed" {
			work <- e
		}
	})
	go func() { // What takes time comes after the answer: tell the customer, close the order.
		for e := range work {
			fmt.Println(e.EventType, e.Delivery.ClientOrderReference)
		}
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:"+or(os.Getenv("PORT"), "3000"))
	check(err)
	fmt.Printf("listening on http://%s/webhooks\n", listener.Addr())
	server := http.Server{ReadTimeout: 30 * time.Second}
	check(server.Serve(listener))
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
