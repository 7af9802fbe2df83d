import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/contract/index.js'
import { newSecret, parseSecret, sampleEvent, sendEvent, sign, signatureHeaders } from '../../src/webhooks/index.js'
import { thrownBy } from '../support/thrown-by.js'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const knownAnswer = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: '{"test": 2432232314}',
}

describe('signing', () => {
  it('gives the known answers of the scheme', () => {
    expect(sign({ ...knownAnswer, secret })).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    expect(
      sign({
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
        id: 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
        timestampSeconds: 1649367553,
        body: '{"email":"test@example.com","username":"test_user"}',
      }),
    ).toBe('v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=')
  })

  it('signs bytes and text of the same body alike, and bytes that are no text as they are', () => {
    expect(sign({ ...knownAnswer, secret, body: Buffer.from(knownAnswer.body) })).toBe(sign({ ...knownAnswer, secret }))
    const noText = Buffer.from([0x7b, 0xff, 0x7d])
    expect(sign({ ...knownAnswer, secret, body: noText })).not.toBe(
      sign({ ...knownAnswer, secret, body: noText.toString() }),
    )
  })

  it('writes the three headers with one signature for each secret', () => {
    const second = newSecret()
    expect(signatureHeaders({ ...knownAnswer, secrets: [secret, second] })).toEqual({
      'webhook-id': knownAnswer.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': `${sign({ ...knownAnswer, secret })} ${sign({ ...knownAnswer, secret: second })}`,
    })
  })
})

describe('what cannot be signed', () => {
  it.each([
    [Date.parse('2026-03-02T15:00:00Z')],
    [1614265330.5],
    [Number.NaN],
    [-1],
  ])('is a time that is not in whole seconds: %d', (timestampSeconds) => {
    const error = thrownBy(() => signatureHeaders({ ...knownAnswer, timestampSeconds, secrets: secret }))
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toMatchObject({
      message: expect.stringContaining('whole seconds'),
      hint: expect.stringContaining('/ 1000'),
    })
  })

  it('is an object, which has no bytes of its own', async () => {
    const body = sampleEvent('delivery.accepted') as unknown as string
    const refused = {
      kind: 'usage',
      message: expect.stringContaining('bytes or a text'),
      hint: 'Pass JSON.stringify(event).',
    }
    expect(thrownBy(() => signatureHeaders({ ...knownAnswer, body, secrets: secret }))).toMatchObject(refused)
    const sent = sendEvent({ url: 'http://127.0.0.1:9/hooks', secrets: secret, body })
    await expect(sent).rejects.toMatchObject(refused)
  })
})

it('one secret needs no list', () => {
  expect(signatureHeaders({ ...knownAnswer, secrets: secret })).toEqual(
    signatureHeaders({ ...knownAnswer, secrets: [secret] }),
  )
})

describe('secrets', () => {
  it('are read with and without prefix, padding and a trailing newline', () => {
    const { key } = parseSecret(secret)
    expect(key).toHaveLength(24)
    const bytes = Uint8Array.from({ length: 25 }, (_, at) => (at * at * 7 + at * 37 + 11) % 256)
    const padded = Buffer.from(bytes).toString('base64')
    for (const text of ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `${secret}\n`]) expect(parseSecret(text).key).toEqual(key)
    for (const text of [padded, padded.replaceAll('=', ''), `whsec_${padded}`]) {
      expect(parseSecret(text)).toEqual({ key: bytes, warnings: [] })
    }
  })

  it.each([
    ['', 'empty'],
    ['whsec_', 'empty'],
    [' \n', 'empty'],
    ['whsec_!!!', 'not base64'],
    ['whsec_MfKQ9r8G KYqrTwjUPD8ILPZIo2LaLaSw', 'white space'],
    [`v1,${secret}`, 'like a signature'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-', 'not base64'],
    ['whsec_AAAAA', 'not base64'],
    ['whsec_AAAA=', 'not base64'],
    ['whsec_=', 'not base64'],
  ])('%j is refused because it is %s, without being quoted', (text, why) => {
    const failure = thrownBy(() => parseSecret(text))
    expect(failure).toBeInstanceOf(UsageError)
    expect(failure.message).toContain(why)
    if (text.length > 10) expect(failure.message).not.toContain(text.slice(6))
  })

  it('with keys under 24 bytes work, with a warning', () => {
    expect(parseSecret(Buffer.from('a key of twenty-three b').toString('base64')).warnings).toEqual([
      'the key has 23 bytes; at least 24 are recommended',
    ])
  })

  it('are new each time, prefixed, of 24 bytes', () => {
    expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(newSecret()).not.toBe(newSecret())
  })
})
