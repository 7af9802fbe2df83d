#!/usr/bin/env bash
# Clients generated from an OpenAPI document put path parameters into the address as they are: with orval 8.38.0 and swagger-typescript-api 13.13.0
# getDelivery('WEB/7#2') asks for /deliveries/WEB/7, and 'del_1?x' for another delivery, del_1, whose answer nothing tells from the right one.
# openapi-typescript-codegen 0.31.0 escapes a space only. openapi-fetch 0.17.0 and @hey-api/openapi-ts 0.95.0 escape all; orval does with
# urlEncodeParameters: true. Ids of a service never show it, references from a shop do.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts orval@8.38.0 swagger-typescript-api@13.13.0 openapi-typescript-codegen@0.31.0 \
  @hey-api/openapi-ts@0.95.0 openapi-fetch@0.17.0 typescript@5.9.3 esbuild@0.28.2
cat >api.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "t", "version": "1" },
  "servers": [{ "url": "http://127.0.0.1:18940" }],
  "paths": {
    "/deliveries/{deliveryId}": {
      "get": {
        "operationId": "getDelivery",
        "parameters": [{ "name": "deliveryId", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "200": { "description": "ok", "content": { "application/json": { "schema": { "type": "object" } } } } }
      }
    }
  }
}
JSON
cat >orval.config.mjs <<'JS'
const output = (target, more) => ({ input: './api.json', output: { target, client: 'fetch', baseUrl: 'http://127.0.0.1:18940', ...more } })
export default { plain: output('./orval.ts'), escaped: output('./orval-escaped.ts', { urlEncodeParameters: true }) }
JS
{
  npx orval --config orval.config.mjs
  npx swagger-typescript-api generate --path ./api.json --output . --name swagger.ts
  npx openapi --input api.json --output codegen
  npx openapi-ts --input api.json --output hey-api
} >generated.txt 2>&1 || { cat generated.txt; exit 1; }
cat >try.ts <<'TS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import createClient from 'openapi-fetch'
import { DefaultService } from './codegen'
import { getDelivery as hey } from './hey-api'
import { getDelivery as orval } from './orval'
import { getDelivery as escaped } from './orval-escaped'
import { Api } from './swagger'
let asked: string | undefined
const server = createServer((request, response) => {
  asked = request.url
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}).listen(18940, '127.0.0.1')
await once(server, 'listening')
const swagger = new Api({ baseUrl: 'http://127.0.0.1:18940' })
const fetching = createClient<any>({ baseUrl: 'http://127.0.0.1:18940' })
const clients: Record<string, (id: string) => Promise<unknown>> = {
  orval,
  'orval, urlEncodeParameters': escaped,
  'swagger-typescript-api': (id) => swagger.deliveries.getDelivery(id),
  'openapi-typescript-codegen': (id) => DefaultService.getDelivery(id),
  'openapi-fetch': (deliveryId) => fetching.GET('/deliveries/{deliveryId}', { params: { path: { deliveryId } } }),
  'Hey API': (deliveryId) => hey({ path: { deliveryId } }),
}
for (const [name, get] of Object.entries(clients)) {
  const paths: unknown[] = []
  for (const id of ['WEB/7#2', 'del_1?x', 'A 1']) {
    await get(id)
    paths.push(asked)
  }
  console.log(`${name}: ${paths.join(' ')}`)
}
process.exit()
TS
npx esbuild try.ts --bundle --platform=node --format=esm --packages=external --log-level=error --outfile=try.js
seen=$(node try.js)
echo "'WEB/7#2', 'del_1?x' and 'A 1', as a server is asked for them:"; echo "$seen"
[ "$seen" = 'orval: /deliveries/WEB/7 /deliveries/del_1?x /deliveries/A%201
orval, urlEncodeParameters: /deliveries/WEB%2F7%232 /deliveries/del_1%3Fx /deliveries/A%201
swagger-typescript-api: /deliveries/WEB/7 /deliveries/del_1?x /deliveries/A%201
openapi-typescript-codegen: /deliveries/WEB/7 /deliveries/del_1?x /deliveries/A%201
openapi-fetch: /deliveries/WEB%2F7%232 /deliveries/del_1%3Fx /deliveries/A%201
Hey API: /deliveries/WEB%2F7%232 /deliveries/del_1%3Fx /deliveries/A%201' ]
