const quote = 0x22
const backslash = 0x5c
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d])
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const comma = 0x2c
const decoder = new TextDecoder()

/**
 * The members of a JSON object as they stand in its text, byte for byte; of a name that comes twice the last one, as
 * `JSON.parse` has it. `undefined` for what is no object. The text must be JSON, which is for a parser to tell.
 */
export function jsonMembers(json: Uint8Array): Map<string, Uint8Array> | undefined {
  let at = startOf(json)
  if (json[at] !== 0x7b) return undefined
  const members = new Map<string, Uint8Array>()
  for (at = afterSpace(json, at + 1); json[at] === quote; ) {
    const nameEnd = endOfValue(json, at)
    const text = decoder.decode(json.subarray(at, nameEnd))
    const name = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
    const start = afterSpace(json, afterSpace(json, nameEnd) + 1)
    const end = endOfValue(json, start)
    members.set(name, json.subarray(start, end))
    at = afterComma(json, end)
  }
  return members
}

/** The elements of a JSON array as slices of its text, byte for byte; `undefined` if the text is not an array. */
export function jsonElements(json: Uint8Array): Uint8Array[] | undefined {
  let at = startOf(json)
  if (json[at] !== 0x5b) return undefined
  const elements: Uint8Array[] = []
  for (at = afterSpace(json, at + 1); at < json.length && !closing.has(json[at] ?? 0); ) {
    const end = endOfValue(json, at)
    elements.push(json.subarray(at, end))
    at = afterComma(json, end)
  }
  return elements
}

/** Past a byte order mark and white space. */
function startOf(json: Uint8Array): number {
  const hasMark = json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf
  return afterSpace(json, hasMark ? 3 : 0)
}

function afterSpace(json: Uint8Array, from: number): number {
  let at = from
  while (at < json.length && spaces.has(json[at] ?? 0)) at++
  return at
}

function afterComma(json: Uint8Array, from: number): number {
  const at = afterSpace(json, from)
  return json[at] === comma ? afterSpace(json, at + 1) : at
}

/** Every byte with a meaning here is ASCII, and no byte of a longer UTF-8 character is. */
function endOfValue(json: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (byte === quote) {
      at = endOfString(json, at)
      if (depth === 0) return at + 1
      // The brackets of arrays and objects differ in one bit only.
    } else if ((byte | 0x20) === 0x7b) depth++
    else if ((byte | 0x20) === 0x7d) {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === comma || spaces.has(byte))) return at
  }
  return json.length
}

/** The position of the closing quote of the string that begins at `from`. */
function endOfString(json: Uint8Array, from: number): number {
  let at = from + 1
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return at
}
