#!/usr/bin/env bash
# superagent 10.4.2 with .retry(1), ofetch 1.5.1 and fetch-retry 6.0.0 do not look at Retry-After: a 429 that says "in 2 seconds" is asked again within one. Whoever
# sends many orders uses up all attempts inside of the very pause that the service asks for. got 14.6.6, ky 1.14.3, axios-retry 4.5.0 and undici's
# RetryAgent 7.30.2 wait, for the number and for the form with a date. The first two also repeat a POST, if they are told to retry at all.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts superagent@10.4.2 ofetch@1.5.1 fetch-retry@6.0.0 got@14.6.6 ky@1.14.3 axios@1.21.1 axios-retry@4.5.0 undici@7.30.2
cat >try.js <<'JS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import axios from 'axios'
import axiosRetry from 'axios-retry'
import fetchRetry from 'fetch-retry'
import got from 'got'
import ky from 'ky'
import { ofetch } from 'ofetch'
import superagent from 'superagent'
import { Agent, RetryAgent, request } from 'undici'
let asked = []
const server = createServer((incoming, response) => {
  asked.push(Date.now())
  incoming.resume()
  // A date has whole seconds: this one is two to three seconds away.
  const pause = incoming.url === '/date' ? new Date((Math.floor(Date.now() / 1000) + 3) * 1000).toUTCString() : '2'
  if (asked.length === 1) response.writeHead(429, { 'retry-after': pause })
  else response.setHeader('content-type', 'application/json')
  response.end('{}')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const at = (path) => `http://127.0.0.1:${server.address().port}/${path}`
const again = axios.create()
axiosRetry(again, { retryCondition: ({ response }) => response?.status === 429 })
const agent = new RetryAgent(new Agent())
const retried = fetchRetry(fetch, { retryOn: [429] })
const clients = {
  superagent: (url) => superagent.get(url).retry(1),
  ofetch: (url) => ofetch(url),
  'fetch-retry': (url) => retried(url, { retryDelay: 100 }),
  got: (url) => got(url),
  ky: (url) => ky(url),
  'axios-retry': (url) => again.get(url),
  'undici RetryAgent': (url) => request(url, { dispatcher: agent }),
  'superagent, POST': (url) => superagent.post(url).send('order=1').retry(1),
  'ofetch, POST': (url) => ofetch(url, { method: 'POST', body: 'order=1', retry: 1 }),
}
for (const [name, ask] of Object.entries(clients)) {
  const waits = []
  for (const path of ['seconds', 'date']) {
    asked = []
    await ask(at(path))
    waits.push(asked[1] - asked[0] >= 1900 ? 'waits' : 'at once')
  }
  console.log(`${name}: ${waits.join(', ')}`)
}
process.exit()
JS
echo "Node $(node --version), a 429 with Retry-After as seconds, and as a date:"
node try.js | tee said.txt
[ "$(cat said.txt)" = 'superagent: at once, at once
ofetch: at once, at once
fetch-retry: at once, at once
got: waits, waits
ky: waits, waits
axios-retry: waits, waits
undici RetryAgent: waits, waits
superagent, POST: at once, at once
ofetch, POST: at once, at once' ]
