#!/usr/bin/env bash
# What nginx 1.22, Apache 2.4 and lighttpd 1.4 of Debian 12 pass on of a path and a query with escapes. nginx keeps them only if
# proxy_pass has no path: behind a regular expression with a captured part it decodes %2F and drops the query. Apache, with
# AllowEncodedSlashes NoDecode and without nocanon, keeps %2F and decodes %3A and %40. lighttpd decodes %2F in a path, and writes the
# query anew (%7E becomes ~, %3d becomes %3D), so that whatever signs a URL fails; server.http-parseopts turns it off.
set -eu
PATH="$PATH:/usr/sbin"
for program in nginx apache2 lighttpd curl node; do command -v "$program" >/dev/null || { echo 'apt-get install nginx-light apache2-bin lighttpd curl'; exit 1; }; done
folder=$(mktemp -d); chmod 755 "$folder"
started=()
# shellcheck disable=SC2317 # called by the trap
finish() { if [ ${#started[@]} -gt 0 ]; then kill "${started[@]}" 2>/dev/null || true; fi; sleep 0.5; rm -rf "$folder"; }
trap finish EXIT
cat >"$folder/echo.mjs" <<'JS'
import { createServer } from 'node:net'
createServer((socket) => {
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (piece) => {
    text += piece
    if (!text.includes('\r\n\r\n')) return
    const target = text.split(' ')[1]
    text = ''
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\nConnection: close\r\n\r\n${target}`)
  })
}).listen(18501, '127.0.0.1')
JS
cat >"$folder/nginx.conf" <<CONF
daemon off; pid $folder/nginx.pid; error_log $folder/nginx.log; events {}
http { access_log off; server { listen 127.0.0.1:18502;
  location /a { proxy_pass http://127.0.0.1:18501; }
  location ~ ^/x/(.*) { proxy_pass http://127.0.0.1:18501/y/\$1; } } }
CONF
cat >"$folder/apache.conf" <<CONF
ServerRoot $folder
PidFile $folder/apache.pid
ErrorLog $folder/apache.log
ServerName localhost
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
User nobody
Group nogroup
Listen 127.0.0.1:18503
<VirtualHost *:18503>
  AllowEncodedSlashes NoDecode
  ProxyPass /a http://127.0.0.1:18501/a
  ProxyPass /n http://127.0.0.1:18501/n nocanon
</VirtualHost>
CONF
cat >"$folder/lighttpd.conf" <<CONF
server.document-root = "$folder"
server.bind = "127.0.0.1"
server.port = 18504
server.modules = ( "mod_proxy" )
proxy.server = ( "" => ( ( "host" => "127.0.0.1", "port" => 18501 ) ) )
CONF
{ cat "$folder/lighttpd.conf"; echo 'server.http-parseopts = ( "url-normalize" => "disable" )'; } | sed s/18504/18505/ >"$folder/lighttpd-as-sent.conf"
node "$folder/echo.mjs" & started+=($!)
# lighttpd leaves a backend alone for a while that it did not reach once.
for _ in $(seq 50); do curl -s -o /dev/null http://127.0.0.1:18501/ && break; sleep 0.2; done
nginx -p "$folder" -c "$folder/nginx.conf" & started+=($!)
apache2 -X -f "$folder/apache.conf" & started+=($!)
lighttpd -D -f "$folder/lighttpd.conf" 2>/dev/null & started+=($!)
lighttpd -D -f "$folder/lighttpd-as-sent.conf" 2>/dev/null & started+=($!)
for port in 18502 18503 18504 18505; do for _ in $(seq 50); do curl -s -o /dev/null "http://127.0.0.1:$port/a" && break; sleep 0.2; done; done
dpkg-query -W nginx-light apache2-bin lighttpd 2>/dev/null || true
failed=0
passes() { # PORT SENT EXPECTED
  local got; got=$(curl -s --path-as-is "http://127.0.0.1:$1$2")
  echo "$1 $2 -> $got"
  [ "$got" = "$3" ] || failed=1
}
passes 18502 '/a/x%2Fy?q=%7E' '/a/x%2Fy?q=%7E'
passes 18502 '/x/p%2Fq?k=1' '/y/p/q'
passes 18503 '/a/x%2Fy%3Az%40?q=%7E' '/a/x%2Fy:z@?q=%7E'
passes 18503 '/n/x%2Fy%3Az%40?q=%7E' '/n/x%2Fy%3Az%40?q=%7E'
passes 18504 '/a/x%2Fy?q=%7E&u=%2F%3d' '/a/x/y?q=~&u=%2F%3D'
passes 18505 '/a/x%2Fy?q=%7E&u=%2F%3d' '/a/x%2Fy?q=%7E&u=%2F%3d'
exit $failed
