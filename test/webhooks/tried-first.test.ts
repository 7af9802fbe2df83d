import { expect, it } from 'vitest'
import { newSecret, parseSecret, signatureHeaders, verify } from '../../src/webhooks/index.js'
import { TriedFirst } from '../../src/webhooks/tried-first.js'

const secrets = Array.from({ length: 40 }, newSecret)
const timestampSeconds = 1_772_000_000

function signed(by: readonly number[], deliveryId: string, id = 'evt_1') {
  const body = Buffer.from(JSON.stringify({ eventId: id, delivery: { deliveryId, pickup: { storeReference: 'S-1' } } }))
  const own = by.map((place) => secrets[place] ?? '')
  return { headers: signatureHeaders({ secrets: own, id, timestampSeconds, body }), body }
}

const verdictOf = (list: readonly (string | ReturnType<typeof parseSecret>)[], request: ReturnType<typeof signed>) =>
  verify({ secrets: list, ...request, nowSeconds: timestampSeconds })

it('The secret of a verdict is the first that fits, whatever was tried before', () => {
  for (const list of [secrets, secrets.map((one) => parseSecret(one))]) {
    for (const [by, first] of [
      [[39], 39],
      [[3], 3],
      [[39], 39],
      // Both during a rotation: the newer one is named, so that the older one is seen to be no longer used.
      [[5, 4], 4],
      [[4, 5], 4],
      [[5], 5],
      [[4, 5], 4],
    ] as const)
      expect(verdictOf(list, signed(by, 'del_same'))).toMatchObject({ ok: true, secretIndex: first })
  }
})

it('A secret that is twice in a list is the first of both, and a signature of none of them is refused each time', () => {
  const list = [secrets[7] ?? '', ...secrets.slice(0, 5), secrets[7] ?? '']
  for (let round = 0; round < 3; round++) {
    expect(verdictOf(list, signed([7], 'del_twice'))).toMatchObject({ secretIndex: 0 })
    expect(verdictOf(list, signed([20], 'del_twice'))).toMatchObject({ ok: false, reason: 'no_matching_signature' })
  }
})

it('A list that has changed is read as it is now', () => {
  const list = [...secrets]
  expect(verdictOf(list, signed([39], 'del_1'))).toMatchObject({ secretIndex: 39 })
  list.splice(0, 39)
  expect(verdictOf(list, signed([39], 'del_1'))).toMatchObject({ secretIndex: 0 })
  list.splice(0)
  expect(verdictOf(list, signed([39], 'del_1'))).toMatchObject({ reason: 'no_usable_secret' })
})

it('The secret of the same delivery comes first, then that of its store, then that of the same source', () => {
  const list = {}
  const body = (deliveryId: string, storeReference: string) =>
    Buffer.from(JSON.stringify({ delivery: { deliveryId, pickup: { storeReference } } }))
  new TriedFirst(list, body('del_a', 'S-a'), 'one').keep([10])
  new TriedFirst(list, body('del_b', 'S-b'), 'two').keep([20])
  new TriedFirst(list, body('del_c', 'S-c'), 'three').keep([30])
  const firstOf =
    (...words: Parameters<typeof body>) =>
    (source: string) =>
      new TriedFirst(list, body(...words), source).places(40)[Symbol.iterator]().next().value
  expect(firstOf('del_a', 'S-b')('three')).toBe(10)
  expect(firstOf('del_x', 'S-b')('three')).toBe(20)
  expect(firstOf('del_x', 'S-x')('one')).toBe(10)
  expect(firstOf('del_x', 'S-x')('other')).toBe(30)
  // Each is tried once, and none is left out.
  const places = [...new TriedFirst(list, body('del_a', 'S-b'), 'three').places(40)]
  expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, place) => place))
})
