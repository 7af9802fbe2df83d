#!/usr/bin/env bash
# Varnish 7.1 of Debian 12: a backend that takes a POST whole, works, and closes without an answer becomes a 503 with Retry-After: 5,
# as if the request could safely come again. The answer is the very same when nothing listens at the backend. A client that obeys Retry-After sends an executed POST again.
set -eu
PATH="$PATH:/usr/sbin"
for program in varnishd curl node; do command -v "$program" >/dev/null || { echo 'apt-get install varnish curl'; exit 1; }; done
folder=$(mktemp -d); chmod 755 "$folder"
started=()
finish() { if [ ${#started[@]} -gt 0 ]; then kill "${started[@]}" 2>/dev/null || true; fi; sleep 1; rm -rf "$folder"; }
trap finish EXIT
cat >"$folder/backend.mjs" <<'JS'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'
createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (piece) => {
    const text = String(piece)
    if (text.startsWith('POST') && !text.includes('order=1')) return
    if (text.includes('order=1')) appendFileSync(process.argv[2], 'executed\n')
    socket.destroy()
  })
}).listen(18601, '127.0.0.1')
JS
printf 'vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "18601"; }\n' >"$folder/site.vcl"
node "$folder/backend.mjs" "$folder/log" & started+=($!)
varnishd -F -n "$folder/varnish" -a 127.0.0.1:18602 -f "$folder/site.vcl" >/dev/null 2>&1 & started+=($!)
for _ in $(seq 100); do curl -s -o /dev/null --max-time 1 http://127.0.0.1:18602/ && break; sleep 0.2; done
dpkg-query -W varnish 2>/dev/null || true
taken=$(curl -si -d order=1 http://127.0.0.1:18602/orders | tr -d '\r' | grep -iE '^(HTTP|Retry-After)' | paste -sd' ')
kill "${started[0]}"; sleep 0.5
unheard=$(curl -si -d order=1 http://127.0.0.1:18602/orders | tr -d '\r' | grep -iE '^(HTTP|Retry-After)' | paste -sd' ')
times=$(wc -l <"$folder/log")
echo "executed $times time(s), and answered: $taken"
echo "nobody there, and answered: $unheard"
[ "$times" -ge 1 ] && [ "$taken" = 'HTTP/1.1 503 Backend fetch failed Retry-After: 5' ] && [ "$unheard" = "$taken" ]
