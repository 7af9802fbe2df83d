// Package order tests the app: an order becomes a delivered one. Run by go test. APP is the command of the app, and
// APP_URL where it receives webhooks, unless the first line that it prints ends with that.
package order

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const order = `{
	"clientOrderReference": "TEST-1",
	"pickup": {"storeReference": "STORE-001"},
	"dropoff": {
		"address": "418 Ramsey Street, Fayetteville, NC 28301",
		"contactName": "Dana Whitfield",
		"contactPhone": "+19105550147"
	},
	"metadata": {"sandbox_pace": "robo"}
}`

type ready struct{ BaseURL, ControlURL, APIKey, WebhookSecret string }

func TestTheAppHearsOfTheDelivery(t *testing.T) {
	var sandbox ready
	dlv := os.Getenv("DLV")
	if dlv == "" {
		dlv = "dlv"
	}
	lines := start(t, dlv+" sandbox start --port 0 --data :memory: --quiet -o json")
	if err := json.Unmarshal([]byte(next(t, lines)), &sandbox); err != nil {
		t.Fatal(err)
	}
	appURL, port := os.Getenv("APP_URL"), "0"
	if parsed, err := url.Parse(appURL); err == nil && appURL != "" {
		port = parsed.Port()
	}
	app := start(t, builtApp(t), "PORT="+port, "DLV_WEBHOOK_SECRET="+sandbox.WebhookSecret,
		"EVENTS_FILE="+filepath.Join(t.TempDir(), "events.jsonl"))
	if appURL == "" {
		words := strings.Fields(next(t, app))
		appURL = words[len(words)-1]
	} else {
		waitUntilItListens(t, appURL)
	}
	call(t, sandbox, "POST", sandbox.ControlURL+"/endpoints", `{"url":"`+appURL+`"}`)

	created := call(t, sandbox, "POST", sandbox.BaseURL+"/deliveries", order)
	call(t, sandbox, "POST", sandbox.ControlURL+"/clock", `{"advance":"10m"}`)
	if got := call(t, sandbox, "GET", sandbox.BaseURL+"/deliveries/"+created.DeliveryID, ""); got.Status != "delivered" {
		t.Errorf("the delivery is %s, not delivered", got.Status)
	}
	for !strings.Contains(next(t, app), "delivery.delivered TEST-1") {
	}
}

// builtApp builds receiver.go unless APP names another app: go run would not end with the test.
func builtApp(t *testing.T) string {
	t.Helper()
	if app := os.Getenv("APP"); app != "" {
		return app
	}
	app := filepath.Join(t.TempDir(), "app")
	if output, err := exec.Command("go", "build", "-o", app, "receiver.go").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return app
}

// start runs a program and returns its lines; it ends with the test.
func start(t *testing.T, command string, environment ...string) <-chan string {
	t.Helper()
	words := strings.Fields(command)
	process := exec.Command(words[0], words[1:]...)
	process.Env = append(os.Environ(), environment...)
	process.Stderr = os.Stderr
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	lines := make(chan string, 1000)
	go func() {
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}

func waitUntilItListens(t *testing.T, appURL string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if response, err := http.Get(appURL); err == nil {
			response.Body.Close()
			return
		}
	}
	t.Fatalf("nothing listens on %s", appURL)
}

func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(20 * time.Second):
		t.Fatal("the program printed nothing for 20 s")
		return ""
	}
}

type delivery struct{ DeliveryID, Status string }

func call(t *testing.T, sandbox ready, method, url, body string) (answer delivery) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+sandbox.APIKey)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", "test-1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, url, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}
