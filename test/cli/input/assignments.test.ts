import { describe, expect, it } from 'vitest'
import { parseAssignment, withValue } from '../../../src/cli/input/assignments.js'

describe('--set', () => {
  it('reads a value as JSON where it is JSON, else as text', () => {
    expect(parseAssignment('tipAmountCents=300').value).toBe(300)
    expect(parseAssignment('dropoff.instructions=Ring twice').value).toBe('Ring twice')
    expect(parseAssignment('package.contains=["alcohol"]').value).toEqual(['alcohol'])
    expect(parseAssignment('dropoff.unit.room="214"').value).toBe('214')
    expect(parseAssignment('dropoff.instructions=a=b').value).toBe('a=b')
  })

  it('makes the objects on the way and leaves the original alone', () => {
    const order = { dropoff: { contactName: 'Maya' } }
    expect(withValue(order, 'dropoff.unit.room', '214')).toEqual({
      dropoff: { contactName: 'Maya', unit: { room: '214' } },
    })
    expect(order).toEqual({ dropoff: { contactName: 'Maya' } })
  })

  it('reaches array elements by index', () => {
    expect(withValue({ package: { items: [{ name: 'a' }] } }, 'package.items.0.name', 'b')).toEqual({
      package: { items: [{ name: 'b' }] },
    })
    expect(() => withValue({ package: { items: [] } }, 'package.items.length', 0)).toThrow(/needs an index/)
  })

  for (const path of ['__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__', 'a..b', '.a', ''])
    it(`refuses the path "${path}"`, () => {
      expect(() => withValue({}, path, 1)).toThrow()
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    })

  it('refuses a value that is nested too deep, which would be sent as a text', () => {
    const deep = (levels: number) => `metadata.a=${'['.repeat(levels)}${']'.repeat(levels)}`
    expect(() => parseAssignment(deep(201))).toThrow('--set: the value of metadata.a is nested deeper than 200 levels.')
    expect(parseAssignment(deep(200)).value).toBeInstanceOf(Array)
  })

  it('drops names that reach outside an object from values too', () => {
    expect(parseAssignment('metadata={"__proto__":{"a":1},"b":{"constructor":2,"c":3}}').value).toEqual({ b: { c: 3 } })
  })
})
