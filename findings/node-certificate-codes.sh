#!/usr/bin/env bash
# Node names the commonest reasons for which a certificate is refused (CERT_HAS_EXPIRED, ERR_TLS_CERT_ALTNAME_INVALID, UNABLE_TO_…).
# A certificate outside of the name constraints of its authority has the code UNSPECIFIED, one for clients INVALID_PURPOSE: whoever goes by the
# prefixes CERT_, ERR_TLS_, UNABLE_TO_ takes these for trouble of the network and asks again and again.
# node 24.11.0 of npm, OpenSSL of Debian 12 to make the certificates.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --no-audit --no-fund node-24@npm:node@24.11.0
elliptic='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
# shellcheck disable=SC2086 # words of a list
authority() { openssl req -x509 $elliptic -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.pem" "${@:2}" 2>/dev/null; }
# shellcheck disable=SC2086 # words of a list
leaf() { # NAME AUTHORITY EXTENSIONS
  printf '%b' "$3" >extensions
  openssl req $elliptic -subj "/CN=$1" -keyout "$1.key" -out request 2>/dev/null
  openssl x509 -req -in request -CA "$2.pem" -CAkey "$2.key" -days 2 -extfile extensions -out "$1.pem" 2>/dev/null
}
authority root
authority constrained -addext 'nameConstraints=critical,permitted;DNS:corp.example'
leaf good root 'subjectAltName=DNS:localhost\n'
leaf purpose root 'subjectAltName=DNS:localhost\nextendedKeyUsage=clientAuth\n'
leaf outside constrained 'subjectAltName=DNS:localhost\n'
cat >codes.mjs <<'JS'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:tls'
const ca = ['root', 'constrained'].map((name) => readFileSync(`${name}.pem`))
for (const name of ['good', 'purpose', 'outside']) {
  const server = createServer({ key: readFileSync(`${name}.key`), cert: readFileSync(`${name}.pem`) }).listen(0, 'localhost')
  await once(server, 'listening')
  const socket = connect({ port: server.address().port, host: 'localhost', servername: 'localhost', ca })
  const said = await Promise.race([once(socket, 'secureConnect').then(() => 'trusted'), new Promise((done) => socket.once('error', ({ code, message }) => done(`${code}: ${message}`)))])
  console.log(`${name}: ${said}`)
  socket.destroy()
  server.close()
}
JS
node_modules/node-24/bin/node --version
node_modules/node-24/bin/node codes.mjs | tee said.txt
grep -q '^good: trusted$' said.txt
grep -q '^purpose: INVALID_PURPOSE: unsuitable certificate purpose$' said.txt
grep -q '^outside: UNSPECIFIED: permitted subtree violation$' said.txt
