#!/usr/bin/env bash
# net/http of Go 1.19 (Debian 12) never sends a POST again by itself, unless it has the header Idempotency-Key: then a POST whose kept connection
# is closed without an answer goes out a second time, without a word to the caller. Setting the header is all; GetBody = nil turns it
# off. A service or proxy that counts attempts, or a fake that reads the header and does not keep keys, sees two orders for one call.
set -eu
for program in go curl node; do command -v "$program" >/dev/null || { echo 'apt-get install golang-go curl'; exit 1; }; done
folder=$(mktemp -d)
server=
# shellcheck disable=SC2317 # called by the trap
finish() { if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
cat >server.mjs <<'JS'
import { createServer } from 'node:http'
let posts = 0
createServer((request, response) => {
  if (request.url === '/count') {
    response.end(String(posts))
    posts = 0
  } else if (request.method === 'GET') response.end('hello')
  else request.resume().on('end', () => { posts += 1; request.socket.destroy() })
}).listen(18811, '127.0.0.1')
JS
cat >try.go <<'GO'
package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

const service = "http://127.0.0.1:18811"

func get(path string) string {
	response, err := http.Get(service + path)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

func post(name string, once bool) {
	get("/") // from here on a connection is kept
	request, _ := http.NewRequest("POST", service+"/orders", strings.NewReader("order=1"))
	request.Header.Set(name, "A-1")
	if once {
		request.GetBody = nil
	}
	_, err := http.DefaultClient.Do(request)
	fmt.Printf("%s, without GetBody %t: POSTs %s, failed %t\n", name, once, get("/count"), err != nil)
}

func main() {
	for _, once := range []bool{false, true} {
		for _, name := range []string{"X-Order-Key", "Idempotency-Key"} {
			post(name, once)
		}
	}
}
GO
node server.mjs & server=$!
for _ in $(seq 50); do curl -s -o /dev/null http://127.0.0.1:18811/count && break; sleep 0.2; done
go version
seen=$(GOCACHE=$folder/cache GO111MODULE=off go run try.go)
echo "$seen"
[ "$seen" = 'X-Order-Key, without GetBody false: POSTs 1, failed true
Idempotency-Key, without GetBody false: POSTs 2, failed true
X-Order-Key, without GetBody true: POSTs 1, failed true
Idempotency-Key, without GetBody true: POSTs 1, failed true' ]
