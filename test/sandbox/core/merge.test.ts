import { expect, test } from 'vitest'
import { changedPaths, clearedPaths } from '../../../src/sandbox/core/update-rules.js'
import { mergePatch } from '../../../src/trade/updates.js'
import { fc } from '../../support/samples.js'

const members = fc.letrec<{ value: unknown; members: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.integer(),
    fc.string(),
    fc.array(fc.integer(), { maxLength: 3 }),
    tie('members'),
  ),
  members: fc.dictionary(
    fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), fc.string()),
    tie('value'),
    { maxKeys: 5 },
  ),
})).members

test('merging twice is merging once', () => {
  fc.assert(
    fc.property(members, members, (target, patch) => {
      const once = mergePatch(target, patch)
      expect(mergePatch(once, patch)).toEqual(once)
    }),
  )
})

test('merging an empty update changes nothing, and what is not named stays', () => {
  fc.assert(
    fc.property(members, members, (target, patch) => {
      expect(mergePatch(target, {})).toEqual({ ...target })
      const merged = mergePatch(target, patch) as Record<string, unknown>
      for (const name of Object.keys(target)) {
        if (!Object.hasOwn(patch, name)) expect(merged[name]).toEqual(target[name])
      }
    }),
  )
})

test('merging changes neither side, and leaves null nowhere that an update put it', () => {
  fc.assert(
    fc.property(members, members, (target, patch) => {
      const before = JSON.stringify([target, patch])
      const merged = mergePatch({}, patch)
      mergePatch(target, patch)
      expect(JSON.stringify([target, patch])).toBe(before)
      expect(clearedPaths(merged)).toEqual([])
    }),
  )
})

test('merging reaches no prototype', () => {
  fc.assert(
    fc.property(members, members, (target, patch) => {
      const merged = mergePatch(target, patch) as object
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
      expect(Object.hasOwn(mergePatch({}, patch) as object, '__proto__')).toBe(false)
    }),
  )
})

test('an array is replaced as a whole, and an object replaces a scalar', () => {
  expect(mergePatch({ a: [1, 2, 3], b: 'line' }, { a: [4], b: { c: 1, d: null } })).toEqual({ a: [4], b: { c: 1 } })
  expect(mergePatch({ b: { c: 1 } }, { b: 'line' })).toEqual({ b: 'line' })
})

test('the paths of an update are those of its leaves', () => {
  const patch = { dropoff: { contactName: 'Pat', unit: { room: null } }, package: { contains: ['a'] }, metadata: {} }
  expect(changedPaths(patch)).toEqual(['dropoff.contactName', 'dropoff.unit.room', 'package.contains'])
  expect(clearedPaths(patch)).toEqual([['dropoff', 'unit', 'room']])
})
