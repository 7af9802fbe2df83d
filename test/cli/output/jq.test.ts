import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { jq } from '../../../src/cli/output/jq/evaluate.js'
import { UsageError } from '../../../src/contract/index.js'

const deliveries = [
  { deliveryId: 'del_1', status: 'delivered', pricing: { totalPriceCents: 1200 }, tags: ['a', 'b'] },
  { deliveryId: 'del_2', status: 'failed', pricing: { totalPriceCents: 800 }, tags: [] },
]

const expressions = [
  '.',
  '.[]',
  '.[0].deliveryId',
  '.[-1].status',
  '.[].pricing.totalPriceCents',
  '.[] | select(.status == "failed") | .deliveryId',
  'map(.pricing.totalPriceCents)',
  'map(.pricing.totalPriceCents) | add',
  'map(select(.pricing.totalPriceCents > 1000)) | length',
  '.[0] | keys',
  'length',
  '[.[] | {deliveryId, cents: .pricing.totalPriceCents}]',
  '.[].tags | length',
  '.[] | .missing // "none"',
  'sort_by(.pricing.totalPriceCents) | first | .deliveryId',
  'group_by(.status) | map({status: .[0].status, count: length})',
  '.[0].tags | join("-")',
  '.[] | if .status == "failed" then "bad" else "good" end',
  '.[0:1] | length',
  '.[] | (.pricing.totalPriceCents / 100)',
  'any(.status == "failed"), all(.status == "failed")',
  '.[0] | to_entries | map(.key)',
  '.[].status | startswith("del")',
  '.[].status | test("^f")',
  '[.[].tags[]] | unique | reverse',
  '.[0].pricing | has("totalPriceCents")',
  '.[0].tags[0], .[1].tags[0]',
  'map(.status) | min, max',
  '.[0].pricing["totalPriceCents"]',
  '.[].deliveryId | ascii_upcase',
  'not',
  '[.[] | .pricing.totalPriceCents >= 800 and .status != "failed"]',
]

function realJq(expression: string): unknown[] {
  const printed = execFileSync('jq', ['-c', expression], { input: JSON.stringify(deliveries), encoding: 'utf8' })
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function hasJq(): boolean {
  try {
    execFileSync('jq', ['--version'])
    return true
  } catch {
    return false
  }
}

describe('--jq', () => {
  const known: Record<string, unknown[]> = {
    '.[].deliveryId': ['del_1', 'del_2'],
    '.[] | select(.status == "failed") | .deliveryId': ['del_2'],
    'map(.pricing.totalPriceCents) | add': [2000],
    '.[] | .missing // "none"': ['none', 'none'],
    '{a: (.[0].status), b: length}': [{ a: 'delivered', b: 2 }],
  }
  for (const [expression, expected] of Object.entries(known))
    it(`${expression} gives what jq gives`, () => {
      expect(JSON.parse(JSON.stringify(jq(expression, deliveries)))).toEqual(expected)
    })

  it('agrees with jq itself on every expression of its subset, where jq is installed', () => {
    const compared = hasJq() ? expressions : []
    for (const expression of compared)
      expect(JSON.parse(JSON.stringify(jq(expression, deliveries))), expression).toEqual(realJq(expression))
    expect(compared.length).toBe(hasJq() ? expressions.length : 0)
  })

  for (const broken of ['.[', '.a |', 'select(', 'foo', '{a', '.[] | @base64', '"unclosed', 'if . then 1', '.a b'])
    it(`refuses ${broken} in plain words`, () => {
      expect(() => jq(broken, deliveries)).toThrow(UsageError)
    })

  it('says what it cannot do with a value instead of guessing', () => {
    expect(() => jq('.[0].status.name', deliveries)).toThrow(/cannot take "name" of a string/)
    expect(jq('.[0].status.name?', deliveries)).toEqual([])
  })

  it('never reaches the prototype of an object', () => {
    expect(jq('.constructor', { a: 1 })).toEqual([null])
    expect(jq('.["__proto__"]', { a: 1 })).toEqual([null])
  })
})
