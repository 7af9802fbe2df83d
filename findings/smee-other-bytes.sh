#!/usr/bin/env bash
# smee-client 5.0.0 forwards what it parsed, printed again: 10.0 is 10, \u00e9 is é, a space is gone, a number above 2^53 is another one, and a signature
# over the body that was sent fails. GitHub's bodies look the same printed again, so nobody notices there. Whatever the method was, it sends a POST; the
# content type is always application/json; the / at the end of the target is dropped. If the app is down, it says so and drops the webhook.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --no-audit --no-fund smee-client@5.0.0
cat >try.js <<'JS'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import SmeeClient from 'smee-client'
const sent = '{"fee": 10.0, "name": "caf\\u00e9", "number": 9007199254740993}'
const sign = (body) => createHmac('sha256', 'secret').update(`evt_1.1790000000.${body}`).digest('base64')
const listen = async (answer) => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}
let done
const arrived = new Promise((resolve) => { done = resolve })
const app = await listen(async (request, response) => {
  let body = ''
  for await (const piece of request) body += piece
  response.end()
  done({ request, body })
})
const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1790000000', 'webhook-signature': `v1,${sign(sent)}`, 'content-type': 'application/json; charset=utf-8' }
// The channel, as smee.io has it: the body parsed, and the headers beside it.
const channel = await listen((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`event: ready\ndata: {}\n\ndata: ${JSON.stringify({ body: JSON.parse(sent), query: {}, ...headers })}\n\n`)
})
const quiet = { info() {}, error: console.error }
await new SmeeClient({ source: channel, target: `${app}/hooks/`, logger: quiet }).start()
const { request, body } = await arrived
console.log(`sent:    ${sent}`)
console.log(`arrived: ${body}`)
console.log(`${request.method} ${request.url}, ${request.headers['content-type']}, signature ${request.headers['webhook-signature'] === `v1,${sign(body)}` ? 'fits' : 'does not fit'}`)
process.exit()
JS
seen=$(node try.js)
echo "smee-client 5.0.0, Node $(node --version):"; echo "$seen"
[ "$seen" = 'sent:    {"fee": 10.0, "name": "caf\u00e9", "number": 9007199254740993}
arrived: {"fee":10,"name":"café","number":9007199254740992}
POST /hooks, application/json, signature does not fit' ]
