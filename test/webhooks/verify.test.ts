import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { newSecret, parseSecret, sign, signatureHeaders, verify } from '../../src/webhooks/index.js'
import { vectorSecret, vectors } from '../support/webhooks/verdict-vectors.js'

const nowSeconds = 1_772_463_600

describe('a verdict', () => {
  it.each(vectors.map((vector) => [vector.title, vector] as const))('on %s is the one of the scheme', (_, vector) => {
    const request = vector.build(nowSeconds)
    const verdict = verify({
      secrets: vector.secrets ?? [vectorSecret],
      headers: request.headers.flat(),
      body: request.body,
      nowSeconds,
    })
    expect(verdict.ok ? 'accepted' : verdict.reason).toBe(vector.verdict)
  })
})

describe('an accepted webhook', () => {
  const body = Buffer.from('{"eventId":"evt_1","eventType":"driver.created","occurredAt":"2026-03-02T15:00:00Z"}')
  const old = newSecret()
  const content = { id: 'evt_1', timestampSeconds: nowSeconds - 7, body }

  it('says which secret matched, how old it is, and what event it holds', () => {
    const headers = { ...signatureHeaders({ ...content, secrets: [old] }) }
    expect(verify({ secrets: [newSecret(), old], headers, body, nowSeconds })).toEqual({
      ok: true,
      id: 'evt_1',
      timestampSeconds: nowSeconds - 7,
      secretIndex: 1,
      skewSeconds: -7,
      content: 'event',
      event: { eventId: 'evt_1', eventType: 'driver.created', occurredAt: '2026-03-02T15:00:00Z' },
      warnings: [],
    })
  })

  it('is accepted from every shape of headers', () => {
    const headers = { ...signatureHeaders({ ...content, secrets: [old] }) }
    for (const shape of [headers, new Headers(headers), Object.entries(headers).flat(), mapped(headers)]) {
      expect(verify({ secrets: [parseSecret(old)], headers: shape, body, nowSeconds })).toMatchObject({ ok: true })
    }
  })

  it('carries a warning for a short key', () => {
    const short = Buffer.from('a key of 16 byte').toString('base64')
    const headers = { ...signatureHeaders({ ...content, secrets: [short] }) }
    expect(verify({ secrets: [short], headers, body, nowSeconds })).toMatchObject({
      warnings: [expect.stringContaining('16 bytes')],
    })
  })
})

describe('two lines of a header', () => {
  const body = Buffer.from('{}')
  const good = sign({ secret: vectorSecret, id: 'evt_1', timestampSeconds: nowSeconds, body })
  const around = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(nowSeconds) }
  const verdictOn = (headers: Headers | Record<string, string | string[]>) =>
    verify({ secrets: [vectorSecret], headers, body, nowSeconds })

  it('are seen where the runtime has joined them', () => {
    const wrong = sign({ secret: newSecret(), id: 'evt_1', timestampSeconds: nowSeconds, body })
    const joined = new Headers(around)
    joined.append('webhook-signature', wrong)
    joined.append('webhook-signature', good)
    expect(verdictOn(joined)).toMatchObject({ ok: false, reason: 'duplicate_header' })
    expect(verdictOn({ ...around, 'webhook-signature': [wrong, good] })).toMatchObject({ reason: 'duplicate_header' })
    expect(
      verdictOn({ ...around, 'webhook-id': 'evt_1', 'Webhook-Id': 'evt_1', 'webhook-signature': good }),
    ).toMatchObject({
      reason: 'duplicate_header',
      header: 'webhook-id',
    })
  })

  it('are not mistaken for several signatures in one line', () => {
    expect(verdictOn({ ...around, 'webhook-signature': `v1, v2, ${good}` })).toMatchObject({ ok: true })
  })
})

describe('input that the types forbid', () => {
  it.each([
    ['a parsed body', { body: { eventId: 'evt_1' } }, 'body_not_raw'],
    ['text as a body', { body: '{}' }, 'body_not_raw'],
    ['no headers', { headers: undefined }, 'missing_header'],
    ['null as headers', { headers: null }, 'missing_header'],
    ['numbers among the headers', { headers: ['webhook-id', 7, 'webhook-timestamp'] }, 'missing_header'],
    ['no secret', { secrets: [] }, 'no_usable_secret'],
    ['a broken secret', { secrets: ['whsec_!!!'] }, 'no_usable_secret'],
    ['a clock that is not a number', { nowSeconds: Number.NaN }, 'timestamp_too_new'],
  ])('such as %s gets a verdict, not an exception', (_, change, reason) => {
    const body = Buffer.from('{}')
    const headers = {
      ...signatureHeaders({ secrets: [vectorSecret], id: 'evt_1', timestampSeconds: nowSeconds, body }),
    }
    const input: object = { secrets: [vectorSecret], headers, body, nowSeconds, ...change }
    expect(verify(input as Parameters<typeof verify>[0])).toMatchObject({ ok: false, reason })
  })
})

it('takes bytes of another realm, as a test environment such as jsdom has them', () => {
  const foreign = runInNewContext('new Uint8Array([123, 125])') as Uint8Array
  expect(foreign).not.toBeInstanceOf(Uint8Array)
  const headers = signatureHeaders({ secrets: [vectorSecret], id: 'evt_1', timestampSeconds: nowSeconds, body: '{}' })
  expect(verify({ secrets: [vectorSecret], headers, body: foreign, nowSeconds })).toMatchObject({ ok: true })
})

function mapped(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
}
