import { createHmac, hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as node from '../../src/shared/crypto.js'
import * as web from '../../src/shared/crypto.web.js'
import { fc } from '../support/samples.js'

describe.each([
  ['Node', node],
  ['other platforms', web],
])('Hashes on %s', (_, crypto) => {
  it('are those of SHA-256', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(crypto.sha256(text, 'hex')).toBe(hash('sha256', text, 'hex'))
        expect(crypto.sha256(text, 'base64url')).toBe(hash('sha256', text, 'base64url'))
      }),
    )
  })

  it('are those of HMAC-SHA256, with keys shorter and longer than a block', () => {
    const bytes = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength })
    fc.assert(
      fc.property(bytes(150), fc.string(), fc.oneof(bytes(300), fc.string({ unit: 'grapheme' })), (key, head, body) => {
        const expected = createHmac('sha256', key).update(head).update(body).digest('base64')
        expect(crypto.hmacSha256(key, head, body)).toBe(expected)
      }),
    )
  })

  it('compare texts', () => {
    expect(crypto.isSameSecretly('v1,abc', 'v1,abc')).toBe(true)
    expect(crypto.isSameSecretly('v1,abc', 'v1,abd')).toBe(false)
    expect(crypto.isSameSecretly('v1,abc', 'v1,ab')).toBe(false)
  })
})
