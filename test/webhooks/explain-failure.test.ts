import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  explainFailure,
  type Mistake,
  newSecret,
  parseSecret,
  sign,
  signatureHeaders,
} from '../../src/webhooks/index.js'

const secret = newSecret()
const nowSeconds = 1_772_463_600
const id = 'evt_1'
const body = '{"eventId": "evt_1", "note":"caf\\u00e9"}\n'
const { key } = parseSecret(secret)
const content = { id, timestampSeconds: nowSeconds, body }

const compact = JSON.stringify(JSON.parse(body))
const indented = JSON.stringify(JSON.parse(body), null, 2)
const withCrlf = indented.replaceAll('\n', '\r\n')

const spoken = '{"note":"café"}'
const priced = '{"note":"5 €"}'
const latin1 = (text: string) => Buffer.from(text).toString('latin1')
const windows = (text: string) => new TextDecoder('windows-1252').decode(Buffer.from(text))

const inLines = (text: string) => text.replace(/(.{20})/g, '$1\r\n')
const pushed = { message: { data: Buffer.from(body).toString('base64'), messageId: '1' }, subscription: 's' }

const hmac = (by: string | Uint8Array, text: string) => createHmac('sha256', by).update(text)
const parts = `${id}.${nowSeconds}.`
const headersWith = (signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(nowSeconds),
  'webhook-signature': signature,
})
const signedBy = (by: string | Uint8Array, text = parts + body) => headersWith(`v1,${hmac(by, text).digest('base64')}`)
const explain = (headers: Record<string, string>, arrived: string | Buffer = body) =>
  explainFailure({ secrets: [secret], headers, body: Buffer.from(arrived as string), nowSeconds })

const wellSigned = { ...signatureHeaders({ ...content, secrets: [secret] }) }

describe('the explanation of a failure', () => {
  const cases: [Mistake, string, Record<string, string>, (string | Buffer)?][] = [
    ['secret_not_decoded', 'the key is the text after whsec_', signedBy(secret.slice(6))],
    ['secret_prefix_kept', 'the key is the whole text', signedBy(secret)],
    ['secret_prefix_kept', 'the key is the whole text, decoded', signedBy(Buffer.from(secret, 'base64'))],
    ['secret_with_version', 'the key is v1,whsec_…', signedBy(`v1,${secret}`)],
    ['secret_with_version', 'the key is v1,whsec_… decoded', signedBy(Buffer.from(`v1,${secret}`, 'base64'))],
    ['body_reserialised', 'an indented body arrived compact', signedBy(key, `${parts}{\n  "a": 1\n}`), '{"a":1}'],
    ['body_reserialised', 'the body was signed compact', signedBy(key, parts + JSON.stringify(JSON.parse(body)))],
    [
      'body_reserialised',
      'the body was signed indented',
      signedBy(key, parts + JSON.stringify(JSON.parse(body), null, 2)),
    ],
    ['body_reserialised', 'as Python prints', signedBy(key, `${parts}{"eventId": "evt_1", "note": "caf\\u00e9"}`)],
    ['body_newline', 'a newline was dropped', wellSigned, body.trimEnd()],
    ['body_newline', 'a newline was added', wellSigned, `${body}\n`],
    ['body_line_ends', 'LF became CRLF', wellSigned, body.replace('\n', '\r\n')],
    ['body_newline', 'a newline was added to compact JSON', signedBy(key, parts + compact), `${compact}\n`],
    ['body_newline', 'CRLF was added to compact JSON', signedBy(key, parts + compact), `${compact}\r\n`],
    ['body_newline', 'a newline was dropped from indented JSON', signedBy(key, `${parts}${indented}\n`), indented],
    ['body_line_ends', 'LF became CRLF throughout', signedBy(key, parts + indented), withCrlf],
    ['body_line_ends', 'LF became CRLF, and one was added', signedBy(key, parts + indented), `${withCrlf}\r\n`],
    ['body_line_ends', 'CRLF became LF', signedBy(key, parts + withCrlf), indented],
    ['body_mark', 'a byte order mark was added', wellSigned, `\ufeff${body}`],
    ['body_recoded', 'UTF-8 was read as Latin-1', signedBy(key, parts + spoken), latin1(spoken)],
    ['body_recoded', 'UTF-8 was read as Windows-1252', signedBy(key, parts + priced), windows(priced)],
    ['body_recoded', 'Latin-1 was read as UTF-8', signedBy(key, parts + latin1(spoken)), spoken],
    ['body_recoded', 'Windows-1252 was read as UTF-8', signedBy(key, parts + windows(priced)), priced],
    ['body_recoded', 'it was written in ASCII', signedBy(key, `${parts}{"note":"caf? ?"}`), '{"note":"café 😀"}'],
    ['body_in_base64', 'it arrived as base64', wellSigned, Buffer.from(body).toString('base64')],
    ['body_in_base64', 'it arrived as base64 in lines', wellSigned, inLines(Buffer.from(body).toString('base64'))],
    ['body_in_base64', 'base64 was signed', signedBy(key, parts + Buffer.from(body).toString('base64'))],
    ['body_in_json_string', 'it arrived as a JSON text', wellSigned, JSON.stringify(body)],
    ['body_in_json_string', 'it was copied from within JSON', wellSigned, JSON.stringify(body).slice(1, -1)],
    ['body_in_utf16', 'PowerShell wrote it', wellSigned, Buffer.from(`\ufeff${body}\r\n`, 'utf16le')],
    ['body_in_utf16', 'it has no mark, big end first', wellSigned, Buffer.from(body, 'utf16le').swap16()],
    ['body_as_bytes', 'JSON holds its Buffer', wellSigned, JSON.stringify(Buffer.from(body))],
    ['body_as_bytes', 'JSON holds its Uint8Array', wellSigned, JSON.stringify(Uint8Array.from(Buffer.from(body)))],
    ['body_as_bytes', 'it is a list of numbers', wellSigned, JSON.stringify([...Buffer.from(body)], null, 1)],
    ['body_as_bytes', 'it is hex', wellSigned, Buffer.from(body).toString('hex')],
    ['body_as_bytes', 'PostgreSQL printed it', wellSigned, `\\x${Buffer.from(body).toString('hex')}\n`],
    ['body_as_bytes', 'Python printed it', wellSigned, `b'${body.replaceAll('\\', '\\\\').replace('\n', '\\n')}'`],
    ['body_as_bytes', 'Python printed UTF-8', signedBy(key, parts + spoken), `b'{"note":"caf\\xc3\\xa9"}'\n`],
    [
      'body_in_event',
      'it is an event of API Gateway',
      wellSigned,
      JSON.stringify({ version: '2.0', body, headers: {} }),
    ],
    ['body_in_event', 'it is a push of Pub/Sub', wellSigned, JSON.stringify(pushed)],
    ['timestamp_in_ms', 'milliseconds were signed', signedBy(key, `${id}.${nowSeconds}000.${body}`)],
    ['timestamp_in_ms', 'milliseconds were sent', { ...wellSigned, 'webhook-timestamp': `${nowSeconds}123` }],
    ['id_and_timestamp_swapped', 'swapped in the text', signedBy(key, `${nowSeconds}.${id}.${body}`)],
    ['parts_missing', 'the body alone was signed', signedBy(key, body)],
    ['parts_missing', 'the id was left out', signedBy(key, `${nowSeconds}.${body}`)],
    ['signature_in_hex', 'hex', headersWith(`v1,${hmac(key, parts + body).digest('hex')}`)],
    ['signature_in_hex', 'hex with v1=', headersWith(`v1=${hmac(key, parts + body).digest('hex')}`)],
    ['signature_in_base64url', 'base64url', headersWith(`v1,${hmac(key, parts + body).digest('base64url')}`)],
    ['signature_without_version', 'bare base64', headersWith(hmac(key, parts + body).digest('base64'))],
    [
      'foreign_headers',
      'svix names',
      Object.fromEntries(Object.entries(wellSigned).map(([name, value]) => [name.replace('webhook', 'svix'), value])),
    ],
  ]
  it.each(cases)('names %s where %s', (mistake, _, headers, arrived) => {
    expect(explain(headers, arrived)).toMatchObject({ mistake, hint: expect.stringMatching(/.{20}/) })
  })

  it('names the clock, and by how much it is off', () => {
    const headers = { ...signatureHeaders({ ...content, timestampSeconds: nowSeconds - 4000, secrets: [secret] }) }
    expect(explain(headers)).toMatchObject({ mistake: 'clock', message: expect.stringContaining('4000 s ago') })
  })

  it('names the profile whose secret it was, and never a secret', () => {
    const production = newSecret()
    const explanation = explainFailure({
      secrets: [secret],
      headers: headersWith(sign({ ...content, secret: production })),
      body: Buffer.from(body),
      nowSeconds,
      otherSecrets: [
        { name: 'here', secret },
        { name: 'shop-production', secret: production },
      ],
    })
    expect(explanation).toMatchObject({ mistake: 'other_secret', message: expect.stringContaining('shop-production') })
    expect(JSON.stringify(explanation)).not.toContain(production.slice(6))
  })

  it('invents nothing: a forged request has no explanation, a good one no failure', () => {
    expect(explain(headersWith(sign({ ...content, secret: newSecret() })))).toBeUndefined()
    expect(explain(wellSigned)).toBeUndefined()
  })

  it('blames no newline for a well-signed body of another event', () => {
    const other = '{"eventId":"evt_2"}'
    expect(explain(signedBy(key, parts + other), other)).toBeUndefined()
  })

  it('tries other bodies only if the service could have sent one as large', () => {
    const withNewline = (length: number) => {
      const long = 'x'.repeat(length - 1)
      return explain(signedBy(key, parts + long), `${long}\n`)?.mistake
    }
    expect([withNewline(1_048_576), withNewline(1_048_577)]).toEqual(['body_newline', undefined])
  })

  it('survives bodies that are deep or no JSON', () => {
    const forged = headersWith(sign({ ...content, secret: newSecret() }))
    expect(explain(forged, '['.repeat(200_000) + ']'.repeat(200_000))).toBeUndefined()
    expect(explain(forged, '')).toBeUndefined()
    const text: object = { secrets: [secret], headers: forged, body }
    expect(explainFailure(text as Parameters<typeof explainFailure>[0])).toBeUndefined()
  })
})
