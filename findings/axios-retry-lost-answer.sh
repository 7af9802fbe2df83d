#!/usr/bin/env bash
# axios-retry 4.5.0 with axios 1.21.1, as it comes: "network or idempotent". A POST that the service has executed and whose answer is lost (the
# connection is closed) is sent three times more, because a reset is a network error for any method; a POST that runs into axios's timeout, of
# which as much is known, is sent once. got 14.6.6, ky 1.14.3, ofetch 1.5.1 and retry-axios 4.0.3 send either once.
# Give orders an Idempotency-Key, or name the condition: retryCondition: isIdempotentRequestError.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 axios-retry@4.5.0 got@14.6.6 ky@1.14.3 ofetch@1.5.1 retry-axios@4.0.3
cat >try.js <<'JS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import axios from 'axios'
import axiosRetry, { isIdempotentRequestError } from 'axios-retry'
import got from 'got'
import ky from 'ky'
import { ofetch } from 'ofetch'
import * as rax from 'retry-axios'
let posts = 0
const server = createServer((request) => {
  request.resume().on('end', () => {
    posts += 1
    if (request.url === '/lost') request.socket.destroy() // executed; the answer is lost
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const at = (path) => `http://127.0.0.1:${server.address().port}/${path}`
const axiosWith = (add) => {
  const client = axios.create({ timeout: 400 })
  add(client)
  return (path) => client.post(at(path), 'order')
}
const clients = {
  'axios-retry': axiosWith((client) => axiosRetry(client)),
  'axios-retry, isIdempotentRequestError': axiosWith((client) => axiosRetry(client, { retryCondition: isIdempotentRequestError })),
  'retry-axios': axiosWith((client) => rax.attach(client)),
  got: (path) => got.post(at(path), { body: 'order', timeout: { request: 400 } }),
  ky: (path) => ky.post(at(path), { body: 'order', timeout: 400 }),
  ofetch: (path) => ofetch(at(path), { method: 'POST', body: 'order', timeout: 400 }),
}
for (const [name, post] of Object.entries(clients)) {
  const sent = []
  for (const path of ['lost', 'late']) {
    posts = 0
    await post(path).catch(() => {})
    sent.push(posts)
  }
  console.log(`${name}: closed ${sent[0]}, timeout ${sent[1]}`)
}
process.exit()
JS
echo "Node $(node --version), one POST each, and how often it was sent:"
node try.js | tee said.txt
[ "$(cat said.txt)" = 'axios-retry: closed 4, timeout 1
axios-retry, isIdempotentRequestError: closed 1, timeout 1
retry-axios: closed 1, timeout 1
got: closed 1, timeout 1
ky: closed 1, timeout 1
ofetch: closed 1, timeout 1' ]
