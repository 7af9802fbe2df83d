import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/contract/openapi/index.js'
import { isRecord } from '../../src/shared/json.js'
import { JsonNumber, numericFields, parseNumbers } from '../../src/shared/json-number.js'

/** The names of all members that are numbers in a part of the document. */
function numbersIn(part: unknown, name: string | undefined, found: Set<string>): Set<string> {
  if (Array.isArray(part)) for (const each of part) numbersIn(each, name, found)
  if (!isRecord(part)) return found
  const types = [part.type].flat()
  if (name !== undefined && (types.includes('number') || types.includes('integer'))) found.add(name)
  for (const [member, value] of Object.entries(part)) {
    if (member === 'properties' && isRecord(value))
      for (const [field, schema] of Object.entries(value)) numbersIn(schema, field, found)
    else if (member === 'parameters' && Array.isArray(value))
      for (const parameter of value) numbersIn(recordOf(parameter).schema, String(recordOf(parameter).name), found)
    else numbersIn(value, ['anyOf', 'oneOf', 'allOf'].includes(member) ? name : undefined, found)
  }
  return found
}

const recordOf = (value: unknown) => (isRecord(value) ? value : {})

test('The fields whose numbers are calculated with are those of the contract', () => {
  expect([...numbersIn(openApiDocument(), undefined, new Set())].sort()).toEqual([...numericFields])
})

test('Such a field is a plain number, in an answer with its form, and any other number keeps its text', () => {
  const text = '{"tipAmountCents":300.0,"fees":[{"valueCents":5e2}],"surge":1.10,"metadata":{"limit":2.0},"x":[1.0,-0]}'
  for (const reading of ['input', 'answer'] as const) {
    const value = parseNumbers(text, reading) as Record<string, unknown>
    expect([value.tipAmountCents, (value.fees as object[])[0]]).toEqual([
      300,
      expect.objectContaining({ valueCents: 500 }),
    ])
    expect(value.surge).toBeInstanceOf(JsonNumber)
  }
  expect(JSON.stringify(parseNumbers(text, 'answer'))).toBe(text)
  expect(JSON.stringify(parseNumbers(text, 'input'))).toBe(text.replace('300.0', '300').replace('5e2', '500'))
  const changed = parseNumbers(text, 'answer') as Record<string, unknown>
  changed.tipAmountCents = 400
  expect(JSON.stringify(changed)).toBe(text.replace('300.0', '400'))
})

test('A text without such a number is parsed as it is', () => {
  const texts = ['{"a":"9007199254740993, 1.10","b":[0,-1,1.5,9007199254740991,0.000001]}', '"1e5\\\\"', 'null', '12']
  for (const text of texts) expect(JSON.stringify(parseNumbers(text, 'free'))).toBe(JSON.stringify(JSON.parse(text)))
  for (const text of ['1.10', '[1e5]', '{"a":"\\"","b":-0}', '{"a\\\\":0.0000001}', '12345678901234567890'])
    expect(JSON.stringify(parseNumbers(text, 'free'))).toBe(text)
  for (const text of ['[1.10', '01', '1.10.1', '--1', '1e'])
    expect(() => parseNumbers(text, 'free')).toThrow(SyntaxError)
})
