import { describe, expect, it } from 'vitest'
import { assertSecureBaseUrl } from '../../src/client/index.js'
import { parseBaseAddress } from '../../src/profiles/index.js'
import { isLoopback } from '../../src/shared/web-address.js'

const here = ['localhost', 'LOCALHOST', 'localhost.', '127.0.0.1', '127.1.2.3', '[::1]', '::1']
const elsewhere = [
  'api.localhost',
  'localhost.example.com',
  '127.example.com',
  '127.0.0.1.example.com',
  '128.0.0.1',
  '[::2]',
  '',
]

describe('This machine', () => {
  it.each([...here, '::ffff:127.0.0.1'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each([...elsewhere, '::ffff:10.0.0.1'])('is not "%s"', (host) => {
    expect(isLoopback(host)).toBe(false)
  })

  it.each(['localhost.', '127.1.2.3', '[::1]'])('accepts a key over http at %s, in a profile too', (host) => {
    const baseUrl = `http://${host}:4010/delivery/v1`
    expect(() => assertSecureBaseUrl(baseUrl)).not.toThrow()
    expect(parseBaseAddress(baseUrl, '--base-url').baseUrl).toContain(':4010/delivery/v1')
  })
})
