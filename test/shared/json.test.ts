import { describe, expect, test } from 'vitest'
import { redactJson } from '../../src/client/index.js'
import { UsageError } from '../../src/contract/index.js'
import { canonicalJson } from '../../src/shared/canonical-json.js'
import {
  hasMoreMembers,
  isTooDeep,
  maxJsonDepth,
  readJsonText,
  recordAt,
  textAt,
  timeAt,
  tryParseJson,
} from '../../src/shared/json.js'
import { withoutUnsafeKeys } from '../../src/shared/unsafe-keys.js'
import { fc } from '../support/samples.js'

const nested = (levels: number, core = '1') => '[{"a":'.repeat(levels / 2) + core + '}]'.repeat(levels / 2)

/** Built without recursion: deeper than any stack. */
function nestedValue(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value]
  return value
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

/** Canonical JSON by its definition: names in code-unit order, whatever they are. */
function byDefinition(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(byDefinition).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${byDefinition(member)}`).join(',')}}`
}

describe('Canonical JSON', () => {
  test('has names in code-unit order, also those that an object puts first or takes for its prototype', () => {
    const names = fc.constantFrom('a', 'b', 'B', '10', '9', '-1', '1.5', '__proto__', 'constructor', 'ä', '')
    const { document } = fc.letrec((tie) => ({
      document: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), tie('object'), fc.array(tie('document'))),
      object: fc.uniqueArray(fc.tuple(names, tie('document')), { selector: ([name]) => name }).map(Object.fromEntries),
    }))
    fc.assert(
      fc.property(document, (value) => {
        const given: unknown = JSON.parse(JSON.stringify(value))
        expect(canonicalJson(given)).toBe(byDefinition(given))
      }),
    )
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"10":1,"9":2}}'))).toBe('{"__proto__":{"10":1,"9":2},"b":1}')
  })

  test('leaves out what JSON has no text for, as it did for the keys of earlier versions', () => {
    const noJson = { b: undefined, a: [undefined, 1], c: () => 1 }
    expect(canonicalJson(noJson)).toBe('{"a":[null,1],"c":null}')
    expect(canonicalJson(undefined)).toBe('null')
  })
})

describe('JSON from outside', () => {
  test('is read up to 200 levels and no deeper, as text and as bytes', () => {
    expect(readJsonText(nested(maxJsonDepth))).toHaveProperty('value')
    expect(tryParseJson(Buffer.from(nested(maxJsonDepth)))).toHaveProperty('value')
    const deeper = `[${nested(maxJsonDepth)}]`
    expect(readJsonText(deeper)).toEqual({ fault: 'depth', message: 'is nested deeper than 200 levels' })
    expect(tryParseJson(Buffer.from(deeper))).toBeUndefined()
  })

  test('brackets inside strings are no levels, whatever is escaped around them', () => {
    const brackets = '[{'.repeat(maxJsonDepth)
    for (const text of [brackets, `\\${brackets}`, `"${brackets}`, `\\"${brackets}\\`])
      expect(readJsonText(JSON.stringify([text]))).toEqual({ value: [text] })
  })

  test('a text that is not JSON is said to be none, with the reason', () => {
    expect(readJsonText('{"a":')).toMatchObject({ fault: 'syntax', message: expect.stringMatching(/^is not JSON: /) })
    expect(isTooDeep(`["${'['.repeat(500)}`)).toBe(false)
  })

  test('the depth of any JSON is told as its value has it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 190, max: 205 }), (core, levels) => {
        const text = '['.repeat(levels) + JSON.stringify(core) + ']'.repeat(levels)
        expect(isTooDeep(text)).toBe(levels + depthOf(core) > maxJsonDepth)
      }),
    )
  })

  test('values a million levels deep are refused or cut, never a stack that overflows', () => {
    const deep = nestedValue(1_000_000)
    expect(() => canonicalJson(deep)).toThrow(UsageError)
    expect(() => withoutUnsafeKeys(deep)).toThrow(UsageError)
    expect(JSON.stringify(redactJson(deep))).toContain('[nested too deep]')
  })
})

describe('A member of JSON', () => {
  test('is counted wherever it is', () => {
    const value = { a: [1, { b: null, c: [] }], d: 'text', e: { f: [2] } }
    expect([8, 9].map((most) => hasMoreMembers(value, most))).toEqual([true, false])
    expect([undefined, null, 'text', 7, [], {}].map((one) => hasMoreMembers(one, 0))).toEqual(Array(6).fill(false))
  })

  test('is read as what it is asked for, or not at all', () => {
    const value: unknown = JSON.parse(
      '{"text":"a","empty":"","number":1,"record":{"a":1},"list":[1],"at":"2026-03-02T15:00:00Z"}',
    )
    const names = ['text', 'empty', 'number', 'record', 'list', 'constructor', 'missing']
    expect(names.map((name) => textAt(value, name))).toEqual(['a', ...Array(6).fill(undefined)])
    expect(names.map((name) => recordAt(value, name))).toEqual([{}, {}, {}, { a: 1 }, {}, {}, {}])
    expect(['at', 'text', 'number'].map((name) => timeAt(value, name))).toEqual([
      1_772_463_600_000,
      undefined,
      undefined,
    ])
    for (const none of [null, 'text', [value]])
      expect([textAt(none, 'text'), recordAt(none, 'record')]).toEqual([undefined, {}])
  })
})
