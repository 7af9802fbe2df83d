import type { RowError } from '../../../bulk/index.js'
import { plainText } from '../../../render/plain-text.js'

/** The number of reasons that are named. */
const named = 8

/** A field, or a column, at the beginning of what is wrong with a row. */
const place = /^(?:row \d+ \(line \d+\), )?(column [^:]{1,80}|[\w.]+(?: \(column "[^"]*"\))?): /

/** Counts why rows have failed: by code, and by field if dlv refused them. */
export class Reasons {
  readonly #counts = new Map<string, number>()

  add({ code, message }: RowError): void {
    const field = code === 'INVALID_ROW' ? place.exec(message)?.[1] : undefined
    const reason = plainText(field === undefined ? code : `${code} ${field}`)
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
  }

  /** The reasons, the most frequent first; empty for a single row. */
  get text(): string {
    return sumOf([...this.#counts]) < 2 ? '' : `Failed: ${countedText(this.#counts, 'for other reasons')}.`
  }
}

/** Counts with what they count, the highest first; a few, and the rest as `others`. */
export function countedText(counts: ReadonlyMap<string, number>, others: string): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  // A single one is named rather than counted.
  const most = sorted.length === named + 1 ? sorted.length : named
  const rest = sumOf(sorted.slice(most))
  const parts = sorted.slice(0, most).map(([what, count]) => `${count.toLocaleString('en-US')} ${what}`)
  return [...parts, ...(rest === 0 ? [] : [`${rest.toLocaleString('en-US')} ${others}`])].join(', ')
}

function sumOf(counts: readonly [string, number][]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0)
}
