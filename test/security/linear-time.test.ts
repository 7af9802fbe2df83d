import { expect, test } from 'vitest'
import { isMilitaryMail, parseAddress, postalCodeOf, undeliverableDestination } from '../../src/contract/index.js'
import { matchesType, targetsOf } from '../../src/listener/index.js'
import { hostilePieces, hostileText } from '../support/security/hostile-texts.js'

// A pattern that backs up takes minutes to hours for such a text: the test would not end. test/soak measures the growth.
test.each(hostilePieces)('A long text of %j is read at once, as an address and as the type of an event', (...piece) => {
  const text = hostileText(piece, 131_072)
  for (const address of [text, `28301${text}`, `${text}, NC 28301${text}`]) {
    expect(parseAddress(address)?.line1.length ?? 0).toBeLessThanOrEqual(address.length)
    expect(undeliverableDestination(address)).toBe(isMilitaryMail(address) ? 'military' : undefined)
    expect(postalCodeOf(address)?.length ?? 5).toBeLessThanOrEqual(10)
  }
  expect(matchesType(['*a*b*c*', `*${text}*`, 'delivery.*'], text)).toBe(false)
  expect(matchesType(['*', text], text)).toBe(true)
  expect(targetsOf([{ url: 'http://127.0.0.1/', eventTypes: [`${text}*`] }], 'delivery.delivered')).toEqual([])
})

test.each([
  ['delivery.*', 'delivery.delivered', true],
  ['*.failed', 'delivery.failed', true],
  ['d*y.*d', 'delivery.delivered', true],
  ['delivery.delivered', 'delivery.delivered', true],
  ['a*a', 'a', false],
  ['a*b*b', 'ab', false],
  ['**', 'x', true],
  ['driver.*', 'delivery.driver.', false],
  ['d.livery*', 'delivery', false],
])('%s takes %s: %s', (pattern, type, isTaken) => {
  expect(matchesType([pattern], type)).toBe(isTaken)
})
