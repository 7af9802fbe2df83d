import { describe, expect, it } from 'vitest'
import { startListener } from '../../src/listener/index.js'
import {
  expressReceiver,
  fetchReceiver,
  newSecret,
  parseSecret,
  sign,
  signatureHeaders,
  testReceiver,
  verify,
} from '../../src/webhooks/index.js'
import { fingerprintOf } from '../../src/webhooks/internal.js'
import { otherThanSecrets, pastedTexts } from '../support/impossible-keys.js'
import { sampleCount } from '../support/samples.js'
import { vectorSecret } from '../support/webhooks/verdict-vectors.js'

const nowSeconds = 1_772_463_600
const content = { id: 'evt_1', timestampSeconds: nowSeconds, body: new TextEncoder().encode('{}') }
const onEvent = () => {}
const tooShort = 'whsec_AQ=='

/** What a lenient decoder makes of a text, signed with it: what a forger would send. */
function forgedWith(key: Uint8Array) {
  return signatureHeaders({ ...content, secrets: { key, warnings: [], allowWeak: true } })
}

describe('A text that cannot be a secret', () => {
  const texts = [...pastedTexts, ...otherThanSecrets]

  it.each(texts)('%j is refused by every function, which says so', async (text, word) => {
    const attempts: (() => unknown)[] = [
      () => parseSecret(text),
      () => sign({ ...content, secret: text }),
      () => signatureHeaders({ ...content, secrets: [newSecret(), text] }),
      () => fetchReceiver({ secrets: [newSecret(), text], onEvent }),
      () => expressReceiver({ secrets: text, onEvent }),
      () => testReceiver({ url: 'http://127.0.0.1:9/', secret: text }),
      () => startListener({ secrets: [{ name: 'one', secret: text }], journal: '/nowhere/journal.db' }),
    ]
    for (const attempt of attempts) {
      const refused = await Promise.resolve()
        .then(attempt)
        .then(
          () => 'taken',
          (error: Error) => error.message,
        )
      expect(refused).toContain(word)
      if (text.length > 8) expect(refused).not.toContain(text)
    }
  })

  it.each(texts)('%j verifies nothing, alone or beside a good one', (text) => {
    for (const lenient of [Buffer.from(text, 'base64'), Buffer.from(text), Buffer.from(text.slice(6), 'base64')]) {
      const request = { headers: forgedWith(lenient), body: content.body, nowSeconds }
      expect(verify({ ...request, secrets: text })).toMatchObject({ ok: false, reason: 'no_usable_secret' })
      expect(verify({ ...request, secrets: [text, newSecret()] })).toMatchObject({ reason: 'no_matching_signature' })
    }
  })

  it('is told by the verdict, if there is no other', () => {
    const request = { headers: forgedWith(new Uint8Array([1])), body: content.body, nowSeconds }
    expect(verify({ ...request, secrets: tooShort })).toMatchObject({ message: expect.stringContaining('1 byte;') })
    const decoded = { key: new Uint8Array([1]), warnings: [] }
    expect(verify({ ...request, secrets: decoded })).toMatchObject({ reason: 'no_usable_secret' })
  })
})

describe('A weak secret that a test asks for', () => {
  it('signs, verifies and is taken by receivers', async () => {
    const weak = parseSecret(tooShort, { allowWeak: true })
    const headers = { ...signatureHeaders({ ...content, secrets: weak }) }
    expect(verify({ headers, body: content.body, nowSeconds, secrets: weak })).toMatchObject({ ok: true })
    const quiet = { onEvent, onError: () => {}, nowSeconds: () => nowSeconds }
    const receive = fetchReceiver({ secrets: weak, ...quiet })
    const response = await receive(new Request('http://localhost/', { method: 'POST', headers, body: content.body }))
    expect(response.status).toBe(200)
  })

  it('shows no fingerprint, which could be counted back', () => {
    const shown = [tooShort, 'whsec_AgM=', 'hunter2', 'whsec_MfKQ9r8GKYqrTwjUPD8I'].map(fingerprintOf)
    expect(new Set(shown)).toEqual(new Set(['weak']))
    expect(fingerprintOf(vectorSecret)).toMatch(/^[0-9a-f]{12}$/)
  })
})

it('Secrets as services issue and people generate them are taken', () => {
  const hex = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + 11) % 256)).toString('hex')
  for (const secret of [
    vectorSecret,
    hex,
    Buffer.from('a key of 16 byte').toString('base64'),
    '/BC+De0123456789ab/cdEFGHij',
    'v1AbCdEfGhIjKlMnOpQrStUvWxYzAbCd',
  ]) {
    expect(parseSecret(secret).key.length).toBeGreaterThanOrEqual(16)
  }
  for (let round = 0; round < sampleCount(5_000); round++) {
    const secret = newSecret()
    expect(parseSecret(secret).key).toHaveLength(24)
    expect(parseSecret(secret.slice(6)).key).toHaveLength(24)
  }
})
