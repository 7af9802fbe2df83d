import type { HeaderReader } from './transport.js'

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Headers as the HTTP parser gives them: lower-case names, several values of one name as a list. */
export function readHeaders(raw: RawHeaders): HeaderReader {
  return new ReplyHeaders(raw)
}

class ReplyHeaders implements HeaderReader {
  readonly #raw: RawHeaders

  constructor(raw: RawHeaders) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const value = this.#raw[name.toLowerCase()]
    return value === undefined ? null : joined(value)
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [name, value] of Object.entries(this.#raw)) if (value !== undefined) yield [name, joined(value)]
  }
}

function joined(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join(', ')
}
