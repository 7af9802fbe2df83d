import { expect, it } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { newSecret, signatureHeaders, verify } from '../../src/webhooks/index.js'
import { fc, sampleCount, testSeed } from '../support/samples.js'
import { mutate } from '../support/webhooks/mutations.js'

const nowSeconds = 1_772_463_600

it('no changed signature, header or body is accepted, and none makes the verifier throw', () => {
  // Faults that were put into the verifier show after 25,000 at the latest; test/soak tries ten million.
  const count = sampleCount(250_000)
  const report = mutate(count, seededRandom(testSeed()))
  expect(report.accepted).toEqual([])
  expect(report.tried).toBe(count)
  // Else the mutations would be too timid, or too wild, to prove anything.
  expect(report.unchanged).toBeGreaterThan(0)
  expect(report.unchanged).toBeLessThan(count / 2)
})

it('whatever is signed is accepted by its secret, and by no other', () => {
  const [secret, other] = [newSecret(), newSecret()]
  const id = fc.stringMatching(/^[\x21-\x2d\x2f-\x7e]{1,256}$/)
  const noObject = fc.uint8Array({ maxLength: 500 }).filter((bytes) => bytes[0] !== 0x7b)
  const skew = fc.integer({ min: -300, max: 300 })
  const property = fc.property(id, noObject, skew, (eventId, body, skewSeconds) => {
    const timestampSeconds = nowSeconds + skewSeconds
    const headers = { ...signatureHeaders({ secrets: [secret], id: eventId, timestampSeconds, body }) }
    const accepted = verify({ secrets: [secret], headers, body, nowSeconds })
    const refused = verify({ secrets: [other], headers, body, nowSeconds })
    return accepted.ok && accepted.skewSeconds === skewSeconds && !refused.ok
  })
  expect(() => fc.assert(property, { numRuns: sampleCount(2_000) })).not.toThrow()
})

it('arbitrary headers of any shape get a verdict', () => {
  const anything = fc.oneof(fc.array(fc.string()), fc.dictionary(fc.string(), fc.string()), fc.anything())
  const property = fc.property(anything, fc.uint8Array(), (headers, body) => {
    const input: object = { secrets: [newSecret()], headers, body }
    return verify(input as Parameters<typeof verify>[0]).ok === false
  })
  expect(() => fc.assert(property, { numRuns: sampleCount(2_000) })).not.toThrow()
})
