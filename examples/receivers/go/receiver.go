// Receives webhooks of the Delivery Service with nothing but Go 1.19. DLV_WEBHOOK_SECRET is the signing secret.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBody, tolerance = 1 << 20, 5 * time.Minute

const whatToDo = "Correct or delete the line: an event that a crash cut off was not acknowledged and is sent again."
const whenAgain = "It is handled again at the next start, unless a newer event of its delivery is done by then."

type event struct {
	EventID, EventType string
	OccurredAt         time.Time
	Delivery           struct{ DeliveryID, ClientOrderReference, Status string }
}

// handle is your work, once an event is on disk: tell the customer, close the order. After a crash it may come again.
func handle(e event) error {
	_, err := fmt.Println(e.EventType, e.Delivery.ClientOrderReference)
	return err
}

// parse reads an event as the service sends it.
func parse(text []byte) (e event, err error) {
	err = json.Unmarshal(text, &e)
	if err == nil && (e.EventID == "" || e.EventType == "" || e.OccurredAt.IsZero()) {
		err = errors.New("eventId, eventType or occurredAt is missing")
	}
	return e, err
}

// store holds each event once, the newest of each delivery and the work to do. Use tables of your database instead.
type store struct {
	sync.Mutex
	file     *os.File
	eventIDs map[string]bool
	newest   map[string]time.Time
	todo     []event
	added    *sync.Cond
}

func openStore(name string) *store {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	check(err)
	text, err := io.ReadAll(file)
	check(err)
	s := &store{file: file, eventIDs: map[string]bool{}, newest: map[string]time.Time{}}
	s.added = sync.NewCond(s)
	doneUntil := map[string]time.Time{}
	for at, line := range bytes.Split(text, []byte("\n")) {
		var mark struct{ Done string }
		e, err := parse(line)
		if s.eventIDs[e.EventID] {
			continue // A failed write was repeated.
		} else if err == nil {
			s.apply(e)
		} else if json.Unmarshal(line, &mark) == nil && mark.Done != "" {
			if done := s.remove(mark.Done); done.EventID != "" {
				doneUntil[done.Delivery.DeliveryID] = done.OccurredAt
			}
		} else if len(line) > 0 {
			log.Printf("%s:%d: skipped, not an event (%v). %s", name, at+1, err, whatToDo)
		}
	}
	todo := s.todo[:0]
	for _, e := range s.todo {
		if !doneUntil[e.Delivery.DeliveryID].After(e.OccurredAt) {
			todo = append(todo, e)
		}
	}
	s.todo = todo
	return s
}

// remove takes an event out of the work to do; it is near the front.
func (s *store) remove(id string) (removed event) {
	for at, e := range s.todo {
		if e.EventID == id {
			s.todo = append(s.todo[:at], s.todo[at+1:]...)
			return e
		}
	}
	return removed
}

// take says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then.
func (s *store) take(e event, body []byte) (string, error) {
	s.Lock()
	defer s.Unlock()
	if s.eventIDs[e.EventID] {
		return "duplicate", nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return "", err
	}
	if err := s.append(line.Bytes()); err != nil {
		return "", err
	}
	if err := s.file.Sync(); err != nil {
		return "", err
	}
	return s.apply(e), nil
}

func (s *store) append(line []byte) error {
	// The break comes first: a line that a crash cut off spoils no other.
	_, err := s.file.Write(append([]byte("\n"), line...))
	return err
}

func (s *store) apply(e event) string {
	s.eventIDs[e.EventID] = true
	id := e.Delivery.DeliveryID
	if id == "" {
		return "ignored"
	}
	if s.newest[id].After(e.OccurredAt) {
		return "outdated"
	}
	s.newest[id] = e.OccurredAt
	s.todo = append(s.todo, e)
	s.added.Signal()
	return "processed"
}

// workOff handles one event after the other. One that fails holds up no other.
func (s *store) workOff() {
	for {
		s.Lock()
		for len(s.todo) == 0 {
			s.added.Wait()
		}
		e := s.todo[0]
		s.todo = s.todo[1:]
		s.Unlock()
		if err := s.attempt(e); err != nil {
			log.Printf("%s failed: %v. %s", e.EventID, err, whenAgain)
		}
	}
}

// attempt handles an event, and notes that it is done.
func (s *store) attempt(e event) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("%v\n%s", panicked, debug.Stack())
		}
	}()
	if err := handle(e); err != nil {
		return err
	}
	line, _ := json.Marshal(map[string]string{"done": e.EventID})
	s.Lock()
	defer s.Unlock()
	return s.append(line)
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

var (
	secretForm  = regexp.MustCompile(`^(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}$`)
	placeholder = regexp.MustCompile(`(?i:secret|webhook|change.?me|replace|x{8})|^(?:whsec_)?(?:[a-z/]+|[A-Z/]+)=*$`)
)

func main() {
	events := openStore(or(os.Getenv("EVENTS_FILE"), "events.jsonl"))
	secrets := strings.Fields(strings.ReplaceAll(os.Getenv("DLV_WEBHOOK_SECRET"), ",", " "))
	if len(secrets) == 0 {
		log.Fatal("Set DLV_WEBHOOK_SECRET to the signing secret.")
	}
	for _, secret := range secrets {
		_, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || !secretForm.MatchString(secret) || placeholder.MatchString(secret) {
			log.Fatal("DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and the base64 of 16 bytes or more, " +
				"not a placeholder, a path or a signature.")
		}
	}
	http.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "webhooks come by POST", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		if !isSigned(secrets, r.Header, body) {
			http.Error(w, "the signature does not match", http.StatusUnauthorized)
			return
		}
		e, err := parse(body)
		if err != nil { // It would be no better if the service sent it again.
			log.Printf("%s is well signed but not an event, ignored (%v)", r.Header.Get("webhook-id"), err)
			json.NewEncoder(w).Encode(map[string]string{"outcome": "ignored"})
			return
		}
		outcome, err := events.take(e, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		json.NewEncoder(w).Encode(map[string]string{"outcome": outcome})
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+or(os.Getenv("PORT"), "3000"))
	check(err)
	fmt.Printf("listening on http://%s/webhooks\n", listener.Addr())
	go events.workOff()
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
