import { maxJsonDepth } from '../../shared/json.js'

const space = /[ \t\r\n]*/y
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The position at which a text stops being JSON: that of the first token that is not allowed there. Only for invalid texts. */
export function jsonFaultAt(text: string): number {
  const reader = new FaultReader(text)
  return reader.readValue() ? reader.skipSpace() : reader.at
}

class FaultReader {
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  skipSpace(): number {
    this.#match(space)
    return this.at
  }

  /** Whether a value stands here; if not, `at` is where it breaks. */
  readValue(depth = 0): boolean {
    const opening = this.#text[this.skipSpace()]
    if (depth > maxJsonDepth || (opening !== '{' && opening !== '[')) return this.#match(scalar)
    const closing = opening === '{' ? '}' : ']'
    this.at++
    if (this.#take(closing)) return true
    do {
      if (opening === '{' && !this.#readName()) return false
      if (!this.readValue(depth + 1)) return false
    } while (this.#take(','))
    return this.#take(closing)
  }

  #readName(): boolean {
    return this.#text[this.skipSpace()] === '"' && this.#match(scalar) && this.#take(':')
  }

  #take(character: string): boolean {
    if (this.#text[this.skipSpace()] !== character) return false
    this.at++
    return true
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)
    this.at += found?.[0].length ?? 0
    return found !== null
  }
}
