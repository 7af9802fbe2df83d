#!/usr/bin/env bash
# serverless-http 3.2.0 and @codegenie/serverless-express 4.17.1 with Express 5.3.0 and express.json(), given the same event of
# API Gateway: under serverless-http express.json() parses nothing and request.body stays a Buffer (rawHeaders is empty, too); under
# serverless-express it is an object. Code that verifies or reads request.body works with one adapter and fails with the other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type":"module","private":true}' >package.json
npm install --silent --no-audit --no-fund express@5.3.0 serverless-http@3.2.0 @codegenie/serverless-express@4.17.1
cat >probe.js <<'JS'
import serverlessExpress from '@codegenie/serverless-express'
import express from 'express'
import serverless from 'serverless-http'
const app = express()
app.use(express.json())
app.post('/', (request, response) => {
  const { body, rawHeaders } = request
  response.json({ body: Buffer.isBuffer(body) ? 'Buffer' : typeof body, rawHeaders: rawHeaders?.length ?? 'none' })
})
const body = '{"a": 1}'
const headers = { 'content-type': 'application/json', 'content-length': String(body.length), host: 'a.example' }
const requestContext = { http: { method: 'POST', path: '/', sourceIp: '127.0.0.1', protocol: 'HTTP/1.1' } }
const event = { version: '2.0', rawPath: '/', rawQueryString: '', headers, requestContext, body, isBase64Encoded: false }
const one = JSON.parse((await serverless(app)(event, {})).body)
const other = JSON.parse((await serverlessExpress({ app })(event, {})).body)
console.log('serverless-http', one)
console.log('serverless-express', other)
process.exit(one.body === 'Buffer' && one.rawHeaders === 0 && other.body === 'object' ? 0 : 1)
JS
node --version
node probe.js
