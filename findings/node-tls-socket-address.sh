#!/usr/bin/env bash
# node 24.4.1 (npm `node`): tls.connect({ socket }) to a server that is named by an IP address, as through a proxy's tunnel. SNI
# takes no addresses, so `servername` is left out; Node then compares the certificate with `host`, and where that is left out
# as well, since the socket is connected already, with "localhost". A right certificate is refused, and one for localhost is
# taken for every address. Pass `host` even though nothing is resolved or connected with it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" node@24.4.1
for name in IP:192.0.2.7 DNS:localhost; do
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=trial -addext "subjectAltName=$name" \
    -keyout "$folder/${name#*:}.key" -out "$folder/${name#*:}.pem" 2>/dev/null
done
cat >"$folder/try.mjs" <<'JS'
import { readFileSync } from 'node:fs'
import { connect as tcp } from 'node:net'
import { connect, createServer } from 'node:tls'
const seen = []
for (const name of ['192.0.2.7', 'localhost'])
  for (const host of [undefined, '192.0.2.7']) {
    const read = (end) => readFileSync(new URL(`${name}.${end}`, import.meta.url))
    const server = createServer({ key: read('key'), cert: read('pem') }, (socket) => socket.on('error', () => {}))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const socket = tcp(server.address().port, '127.0.0.1')
    const said = await new Promise((resolve) => {
      const secure = connect({ socket, ca: read('pem'), ...(host && { host }) }, () => resolve('taken'))
      secure.on('error', ({ code }) => resolve(code))
    })
    socket.destroy()
    server.close()
    seen.push(said)
    console.log(`certificate of ${name}, host ${host ?? 'left out'}: ${said}`)
  }
const expected = ['ERR_TLS_CERT_ALTNAME_INVALID', 'taken', 'taken', 'ERR_TLS_CERT_ALTNAME_INVALID']
console.log(process.version)
process.exit(seen.join() === expected.join() ? 0 : 1)
JS
"$folder/node_modules/node/bin/node" "$folder/try.mjs"
