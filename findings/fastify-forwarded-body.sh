#!/usr/bin/env bash
# @fastify/reply-from 12.6.5 forwards the body that Fastify parsed, printed again, and without the charset of its content type: 10.0 becomes 10, a number
# above 2^53 another one. The bytes of parseAs: "buffer", the usual way to keep them for a signature, go on as {"type":"Buffer","data":[…]}, with
# status 200. Only a parser that gives the stream passes them on. So does @fastify/http-proxy 11.6.3, unless proxyPayloads is false.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --no-audit --no-fund fastify@5.12.8 @fastify/reply-from@12.6.5 @fastify/http-proxy@11.6.3
cat >try.js <<'JS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import proxy from '@fastify/http-proxy'
import replyFrom from '@fastify/reply-from'
import Fastify from 'fastify'
const target = createServer(async (request, response) => {
  let body = ''
  for await (const piece of request) body += piece
  response.end(`${request.headers['content-type']}, ${body}`)
}).listen(0, '127.0.0.1')
await once(target, 'listening')
const upstream = `http://127.0.0.1:${target.address().port}`
const from = (app) => app.register(replyFrom, { base: upstream }).post('/hooks', (_, reply) => reply.from('/hooks'))
const apps = {
  'reply-from': from,
  'reply-from, JSON as a buffer': (app) => {
    app.removeContentTypeParser('application/json')
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    return from(app)
  },
  'reply-from, JSON as a stream': (app) => {
    app.removeContentTypeParser('application/json')
    app.addContentTypeParser('application/json', (_, stream, done) => done(null, stream))
    return from(app)
  },
  'http-proxy': (app) => app.register(proxy, { upstream }),
  'http-proxy, proxyPayloads: false': (app) => app.register(proxy, { upstream, proxyPayloads: false, preHandler: async () => {} }),
}
for (const [name, add] of Object.entries(apps)) {
  const app = Fastify()
  add(app)
  const at = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const answer = await fetch(`${at}/hooks`, { method: 'POST', headers, body: '{"fee": 10.0, "number": 9007199254740993}' })
  console.log(`${name}: ${(await answer.text()).replace(/(\[123,34),.*\]/, '$1,…]')}`)
}
process.exit()
JS
seen=$(node try.js)
echo "fastify 5.12.8, @fastify/reply-from 12.6.5, @fastify/http-proxy 11.6.3:"; echo "$seen"
[ "$seen" = 'reply-from: application/json, {"fee":10,"number":9007199254740992}
reply-from, JSON as a buffer: application/json, {"type":"Buffer","data":[123,34,…]}
reply-from, JSON as a stream: application/json; charset=utf-8, {"fee": 10.0, "number": 9007199254740993}
http-proxy: application/json; charset=utf-8, {"fee": 10.0, "number": 9007199254740993}
http-proxy, proxyPayloads: false: application/json, {"fee":10,"number":9007199254740992}' ]
