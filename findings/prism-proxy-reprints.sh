#!/usr/bin/env bash
# Prism 5.16.0 as a validating proxy (prism proxy) prints JSON again in both directions: a webhook's 10.0 arrives as 10 and its signature fails, and a number
# of the answer above 2^53 is another one. Of two Set-Cookie it makes one with a comma, which browsers read as a single cookie. The list a,b in a
# query arrives as a%2Cb. Prism finds nothing to say against any of it: no header sl-violations.
set -eu
command -v curl >/dev/null || { echo 'apt-get install curl'; exit 1; }
folder=$(mktemp -d)
started=()
# shellcheck disable=SC2317 # called by the trap
finish() { if [ ${#started[@]} -gt 0 ]; then kill "${started[@]}" 2>/dev/null || true; fi; sleep 0.5; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts @stoplight/prism-cli@5.16.0
cat >api.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "t", "version": "1" },
  "paths": {
    "/hooks": {
      "post": {
        "parameters": [{ "name": "status", "in": "query", "explode": false, "schema": { "type": "array", "items": { "type": "string" } } }],
        "requestBody": { "content": { "application/json": { "schema": { "type": "object" } } } },
        "responses": { "200": { "description": "ok" } }
      }
    }
  }
}
JSON
cat >app.mjs <<'JS'
import { createServer } from 'node:http'
createServer(async (request, response) => {
  let body = ''
  for await (const piece of request) body += piece
  console.log(`app: ${request.url} ${body}`)
  response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] })
  response.end('{"fee": 10.0, "number": 9007199254740993}')
}).listen(18910, '127.0.0.1')
JS
node app.mjs >app.txt & started+=($!)
node node_modules/@stoplight/prism-cli/dist/index.js proxy api.json http://127.0.0.1:18910 --port 18911 --host 127.0.0.1 >prism.txt 2>&1 & started+=($!)
for port in 18910 18911; do for _ in $(seq 100); do curl -s -o /dev/null "http://127.0.0.1:$port/" && break; sleep 0.2; done; done
curl -si -H 'content-type: application/json' -d '{"fee": 10.0, "number": 9007199254740993}' 'http://127.0.0.1:18911/hooks?status=a,b' | tr -d '\r' >answer.txt
seen=$(grep hooks app.txt; grep -iE '^(set-cookie|sl-violations|\{)' answer.txt)
echo "Prism 5.16.0, Node $(node --version):"; echo "$seen"
[ "$seen" = 'app: /hooks?status=a%2Cb {"fee":10,"number":9007199254740992}
set-cookie: a=1,b=2
{"fee":10,"number":9007199254740992}' ]
