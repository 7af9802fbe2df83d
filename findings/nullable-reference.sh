#!/usr/bin/env bash
# A reference that may be null, as many converters from OpenAPI 3.1 to 3.0 write it, { "nullable": true, "allOf": [{ "$ref": … }] }:
# ajv, and with it openapi-backend, ends at the document ("nullable" cannot be used without "type"). With the type beside it the document is taken,
# and null is still refused, by the schema behind the reference. An alternative of its own takes both.
# ajv 8.20.0, openapi-backend 5.21.2.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --no-audit --no-fund ajv@8.20.0 openapi-backend@5.21.2
cat >try.cjs <<'JS'
const Ajv = require('ajv')
const Driver = { type: 'object', properties: { name: { type: 'string' } } }
const reference = { $ref: '#/definitions/Driver' }
const ways = {
  'nullable, allOf': { nullable: true, allOf: [reference] },
  'type, nullable, allOf': { type: 'object', nullable: true, allOf: [reference] },
  'anyOf with null': { anyOf: [reference, { type: 'object', nullable: true, enum: [null] }] },
}
for (const [name, schema] of Object.entries(ways)) {
  const whole = { definitions: { Driver }, ...schema }
  let said
  try {
    const validate = new Ajv({ strict: false }).compile(whole)
    said = `a driver ${validate({ name: 'Ann' })}, null ${validate(null)}, a number ${validate(1)}`
  } catch (error) {
    said = error.message
  }
  console.log(`ajv, ${name}: ${said}`)
}
const { OpenAPIBackend } = require('openapi-backend')
const responses = { 200: { description: 'ok' } }
const operation = (schema) => ({ operationId: 'put', requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { driver: schema } } } } }, responses })
async function main() {
  for (const [name, schema] of Object.entries({ 'nullable, allOf': { nullable: true, allOf: [Driver] }, 'anyOf with null': { anyOf: [Driver, { type: 'object', nullable: true, enum: [null] }] } })) {
    const definition = { openapi: '3.0.3', info: { title: 't', version: '1' }, paths: { '/driver': { put: operation(schema) } } }
    const api = new OpenAPIBackend({ definition, ajvOpts: { strict: false } })
    const said = await api.init().then(() => 'taken', (error) => error.message)
    console.log(`openapi-backend, ${name}: ${said}`)
  }
}
main()
JS
node try.cjs | tee said.txt
grep -q '^ajv, nullable, allOf: "nullable" cannot be used without "type"$' said.txt
grep -q '^ajv, type, nullable, allOf: a driver true, null false, a number false$' said.txt
grep -q '^ajv, anyOf with null: a driver true, null true, a number false$' said.txt
grep -q '^openapi-backend, nullable, allOf: .*"nullable" cannot be used without "type"' said.txt
grep -q '^openapi-backend, anyOf with null: taken$' said.txt
