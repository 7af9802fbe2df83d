#!/usr/bin/env bash
# A reverse proxy keeps a connection to the service; the service takes a request, and closes without an answer. Caddy 2.6 of Debian 12 sends a POST without
# a body again if it has an Idempotency-Key, since Go's client behind it does; Squid 5.7 as an accelerator sends a DELETE again. A POST with a
# body is sent once by both. The client made one call and sees a 502: a cancellation that was executed is executed twice. nghttpx 1.52 repeats none.
set -eu
PATH="$PATH:/usr/sbin"
for program in caddy squid nghttpx curl node; do command -v "$program" >/dev/null || { echo 'apt-get install caddy squid nghttp2-proxy curl'; exit 1; }; done
folder=$(mktemp -d); chmod 777 "$folder"
started=()
# shellcheck disable=SC2317 # called by the trap
finish() { if [ ${#started[@]} -gt 0 ]; then kill "${started[@]}" 2>/dev/null || true; wait "${started[@]}" 2>/dev/null || true; fi; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
cat >service.mjs <<'JS'
import { createServer } from 'node:http'
let taken = []
createServer((request, response) => {
  if (request.url === '/count') {
    response.end(taken.join(' '))
    taken = []
  } else if (request.method === 'GET') response.end('hello')
  else request.resume().on('end', () => { taken.push(request.method); request.socket.destroy() })
}).listen(18930, '127.0.0.1')
JS
cat >Caddyfile <<'CONF'
{
  admin off
  auto_https off
}
http://127.0.0.1:18931 {
  reverse_proxy 127.0.0.1:18930
}
CONF
cat >squid.conf <<CONF
http_port 127.0.0.1:18932 accel defaultsite=127.0.0.1 no-vhost
cache_peer 127.0.0.1 parent 18930 0 no-query originserver
http_access allow all
cache deny all
pid_filename $folder/squid.pid
access_log none
cache_log $folder/squid.log
coredump_dir $folder
shutdown_lifetime 1 seconds
CONF
node service.mjs & started+=($!)
HOME=$folder caddy run --config Caddyfile --adapter caddyfile >caddy.txt 2>&1 & started+=($!)
squid -N -f squid.conf >squid.txt 2>&1 & started+=($!)
nghttpx -f'127.0.0.1,18933;no-tls' -b127.0.0.1,18930 --workers=1 --errorlog-file="$folder/nghttpx.txt" >/dev/null 2>&1 & started+=($!)
for port in 18930 18931 18932 18933; do for _ in $(seq 100); do [ "$(curl -s http://127.0.0.1:$port/)" = hello ] && break; sleep 0.2; done; done
dpkg-query -W caddy squid nghttp2-proxy
call() { # PORT CURL'S OPTIONS: what the service has taken of one call, after a GET that leaves a connection
  curl -s -o /dev/null "http://127.0.0.1:$1/"
  local status; status=$(curl -s -o /dev/null -w '%{http_code}' "${@:2}" "http://127.0.0.1:$1/deliveries/del_1/cancel")
  echo "$(curl -s http://127.0.0.1:18930/count) ($status)"
}
seen=$(for proxy in Caddy:18931 Squid:18932 nghttpx:18933; do
  port=${proxy#*:}
  echo "${proxy%:*}: $(call "$port" -H 'Idempotency-Key: c-1' -d '{}'), without a body $(call "$port" -H 'Idempotency-Key: c-1' -X POST), nor a key $(call "$port" -X POST), $(call "$port" -X DELETE)"
done)
echo "$seen"
[ "$seen" = 'Caddy: POST (502), without a body POST POST (502), nor a key POST (502), DELETE (502)
Squid: POST (502), without a body POST (502), nor a key POST (502), DELETE DELETE (502)
nghttpx: POST (502), without a body POST (502), nor a key POST (502), DELETE (502)' ]
