#!/usr/bin/env bash
# standardwebhooks 1.1.1 and svix 1.99.1 (npm) take headers as a plain object only: verify(body, request.headers) of a handler of the Fetch standard throws
# "Missing required headers" for each webhook. They sign what they decode: a body whose bytes are no UTF-8 does not verify, a Uint8Array is
# refused. And verify() parses: signed rightly and no JSON, it throws a SyntaxError, no WebhookVerificationError, which is a 500 in most receivers
# and is sent again; an empty body is undefined for one and that error for the other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" standardwebhooks@1.1.1 svix@1.99.1
cat >"$folder/try.mjs" <<'JS'
import { createHmac } from 'node:crypto'
import * as standardwebhooks from 'standardwebhooks'
import * as svix from 'svix'
const key = Buffer.from('a key of twenty-four byte')
const timestamp = String(Math.floor(Date.now() / 1000))
const signed = (body) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': timestamp,
  'webhook-signature': `v1,${createHmac('sha256', key).update(`evt_1.${timestamp}.`).update(body).digest('base64')}`,
})
const json = '{"eventId":"evt_1"}'
const latin1 = Buffer.from('{"note":"caf\xe9"}', 'latin1')
const cases = {
  'plain object': [json, signed(json)],
  Headers: [json, new Headers(signed(json))],
  Uint8Array: [new Uint8Array(Buffer.from(json)), signed(json)],
  'no UTF-8': [latin1, signed(latin1)],
  'no JSON': ['hello', signed('hello')],
  empty: ['', signed('')],
}
for (const [name, { Webhook }] of Object.entries({ standardwebhooks, svix }))
  for (const [what, [body, headers]] of Object.entries(cases)) {
    let said
    try {
      said = JSON.stringify(new Webhook(`whsec_${key.toString('base64')}`).verify(body, headers))
    } catch (error) {
      said = error instanceof SyntaxError ? 'SyntaxError' : error.message
    }
    console.log(`${name}, ${what}: ${said}`)
  }
JS
seen=$(node "$folder/try.mjs")
echo "Node $(node --version):"; echo "$seen"
[ "$seen" = 'standardwebhooks, plain object: {"eventId":"evt_1"}
standardwebhooks, Headers: Missing required headers
standardwebhooks, Uint8Array: Expected payload to be of type string or Buffer.
standardwebhooks, no UTF-8: No matching signature found
standardwebhooks, no JSON: SyntaxError
standardwebhooks, empty: undefined
svix, plain object: {"eventId":"evt_1"}
svix, Headers: Missing required headers
svix, Uint8Array: Expected payload to be of type string or Buffer.
svix, no UTF-8: No matching signature found
svix, no JSON: SyntaxError
svix, empty: SyntaxError' ]
