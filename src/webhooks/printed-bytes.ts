import { isRecord, tryParseJson } from '../shared/json.js'

/**
 * The bytes out of what programs print of them: a list of numbers, as JSON has a Buffer or Uint8Array, hex, as PHP and the
 * bytea of PostgreSQL, and `b'…'` of Python.
 */
export function fromPrintedBytes(text: string): Buffer[] {
  const bare = text.trim()
  const [, hex = ''] = /^(?:\\x|0x)?((?:[0-9a-f]{2}){8,})$/i.exec(bare) ?? []
  if (hex !== '') return [Buffer.from(hex, 'hex')]
  const [, , literal] = /^b(['"])([\s\S]*)\1$/.exec(bare) ?? []
  if (literal !== undefined) return [fromPython(literal)]
  const numbers = /^(?:\[\s*\d|\{\s*"(?:0|type|data)")/.test(bare) ? numbersIn(tryParseJson(bare)?.value) : undefined
  return numbers === undefined ? [] : [Buffer.from(numbers)]
}

/** The members of a list of bytes; `undefined` for anything else. */
export function numbersIn(value: unknown): number[] | undefined {
  const list = isRecord(value) ? (value.type === 'Buffer' ? value.data : inOrder(value)) : value
  const isByte = (one: unknown) => typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= 255
  return Array.isArray(list) && list.length > 0 && list.every(isByte) ? list : undefined
}

/** The members of `{"0":123,"1":34}`. */
function inOrder(value: Record<string, unknown>): unknown[] | undefined {
  return Object.keys(value).every((name, index) => name === String(index)) ? Object.values(value) : undefined
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function fromPython(literal: string): Buffer {
  const bytes = literal.replace(/\\(?:x([0-9a-f]{2})|([\s\S]))/gi, (_, code?: string, letter = '') =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  )
  return Buffer.from(bytes, 'latin1')
}
