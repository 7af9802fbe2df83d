const lineFeed = 10
const quote = 0x22
const backslash = 0x5c

/** Reads along a JSON object that comes in pieces, to find where it ends. */
export class JsonScan {
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Line feeds in the piece that was read last, as far as it was read. */
  linesRead = 0

  /** Whether an object has begun and not ended. */
  get isOpen(): boolean {
    return this.#depth > 0
  }

  /** Reads on from a position, at which an object begins unless one is open; gives the position behind its end. */
  read(text: string, from: number): number | undefined {
    this.linesRead = 0
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at)
      if (character === lineFeed) this.linesRead++
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (character === backslash) this.#isEscaped = true
        else if (character === quote) this.#isInString = false
      } else if (character === quote) this.#isInString = true
      // `[` and `{`, `]` and `}` differ in one bit only.
      else if ((character | 0x20) === 0x7b) this.#depth++
      else if ((character | 0x20) === 0x7d && --this.#depth === 0) return at + 1
    }
    return undefined
  }
}
