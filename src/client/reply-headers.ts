import type { HeaderReader } from './transport.js'

/** Headers as the HTTP parser gives them: lower-case names, several values of one name as a list. */
export function readHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): HeaderReader {
  return {
    get(name) {
      const value = raw[name.toLowerCase()]
      return value === undefined ? null : joined(value)
    },
    *[Symbol.iterator]() {
      for (const [name, value] of Object.entries(raw)) if (value !== undefined) yield [name, joined(value)]
    },
  }
}

function joined(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join(', ')
}
