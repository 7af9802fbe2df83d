import { describe, expect, it } from 'vitest'
import { Values } from '../../../src/cli/output/jq/values.js'
import { fc, sampleCount } from '../../support/samples.js'

/** Cuts bytes into pieces of these lengths, over and over. */
function* pieces(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    yield bytes.subarray(at, at + length)
    at += length
  }
}

function printed(text: string, lengths: readonly number[], terminal = false): string {
  const values = new Values(terminal)
  return [...pieces(new TextEncoder().encode(text), lengths)].map((piece) => values.take(piece)).join('')
}

const text = fc.string({ unit: fc.oneof(fc.constantFrom('"', '\\', 'u', '\n', '\u0000', '😀', '\u202e'), fc.string()) })
const value = fc.oneof({ weight: 3, arbitrary: text }, fc.jsonValue())
const isWellFormed = (json: string) => !/\\ud[89a-f]/i.test(json)

describe('Values of jq', () => {
  it('are the strings bare and the others as JSON, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(value), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (values, lengths) => {
        const lines = values.map((one) => JSON.stringify(one)).filter(isWellFormed)
        const expected = lines.map((line) => {
          const one: unknown = JSON.parse(line)
          return `${typeof one === 'string' ? one : line.replace(/[\u202e\u007f-\u009f]/g, escaped)}\n`
        })
        expect(printed(lines.map((line) => `${line}\n`).join(''), lengths)).toBe(expected.join(''))
      }),
      { numRuns: sampleCount(500) },
    )
  })

  it('are printed before they have ended', () => {
    const values = new Values(false)
    expect(values.take(new TextEncoder().encode('"abc'))).toBe('abc')
    expect(values.take(new TextEncoder().encode('\\u00'))).toBe('')
    expect(values.take(new TextEncoder().encode('e9"'))).toBe('é')
    expect(values.take(new TextEncoder().encode('\n[1,'))).toBe('\n[1,')
  })

  it('do nothing to a terminal', () => {
    expect(printed('"\\u001b[2Ja\\tb\\nc\u200d\u009b"\n', [99], true)).toBe('a\tb\nc\n')
  })
})

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
