#!/usr/bin/env bash
# HAProxy 2.6 of Debian 12 in front of an app of node:http (Node 24): the check `option httpchk GET /` is HTTP/1.0 and finds it up. With
# `HTTP/1.1` behind it HAProxy still sends no Host, Node answers 400 before any code of the app, and the app is down for HAProxy;
# `http-check send … hdr Host …`, or requireHostHeader: false in Node, mends it.
set -eu
PATH="$PATH:/usr/sbin"
for program in haproxy curl; do command -v "$program" >/dev/null || { echo 'apt-get install haproxy curl'; exit 1; }; done
folder=$(mktemp -d)
started=()
# shellcheck disable=SC2317 # called by the trap
finish() { if [ ${#started[@]} -gt 0 ]; then kill "${started[@]}" 2>/dev/null || true; fi; sleep 0.5; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --no-audit --no-fund node-24@npm:node@24.11.0
node=node_modules/node-24/bin/node
"$node" -e "require('node:http').createServer((request, response) => response.end('ok')).listen(18701, '127.0.0.1')" & started+=($!)
"$node" -e "require('node:http').createServer({ requireHostHeader: false }, (request, response) => response.end('ok')).listen(18702, '127.0.0.1')" & started+=($!)
cat >haproxy.cfg <<CONF
global
  stats socket $folder/socket
defaults
  mode http
  timeout connect 1s
  timeout client 5s
  timeout server 5s
frontend stats
  bind 127.0.0.1:18703
  stats enable
  stats uri /
backend plain
  option httpchk GET /
  server app 127.0.0.1:18701 check inter 200ms
backend newer
  option httpchk GET / HTTP/1.1
  server app 127.0.0.1:18701 check inter 200ms
backend lenient
  option httpchk GET / HTTP/1.1
  server app 127.0.0.1:18702 check inter 200ms
backend named
  option httpchk
  http-check send meth GET uri / ver HTTP/1.1 hdr Host localhost
  server app 127.0.0.1:18701 check inter 200ms
CONF
sleep 1
haproxy -db -f haproxy.cfg >/dev/null 2>&1 & started+=($!)
sleep 4
dpkg-query -W haproxy 2>/dev/null || true
"$node" --version
# A star says that a check is under way, whose answer is not there yet.
for _ in $(seq 50); do curl -s 'http://127.0.0.1:18703/;csv' >stats.csv; grep -qF '* L7' stats.csv || break; sleep 0.1; done
state() { awk -F, -v name="$1" '$1 == name && $2 == "app" { print $18 " " $37 " " $38 }' stats.csv; }
for name in plain newer lenient named; do echo "$name: $(state "$name")"; done
[ "$(state plain)" = 'UP L7OK 200' ] && [ "$(state newer)" = 'DOWN L7STS 400' ] && [ "$(state lenient)" = 'UP L7OK 200' ] && [ "$(state named)" = 'UP L7OK 200' ]
