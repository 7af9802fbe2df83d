import type { RowError } from '../../../bulk/index.js'
import { plainText } from '../../../render/plain-text.js'

/** The number of reasons that are named. */
const named = 8

/** A field, or a column, at the beginning of what is wrong with a row. */
const place = /^(?:row \d+ \(line \d+\), )?(column [^:]{1,80}|[\w.]+(?: \(column "[^"]*"\))?): /

/** Counts why rows were rejected: by code, and by field if dlv refused them. */
export class Reasons {
  readonly #counts = new Map<string, number>()

  add({ code, message }: RowError): void {
    const field = code === 'INVALID_ROW' ? place.exec(message)?.[1] : undefined
    const reason = plainText(field === undefined ? code : `${code} ${field}`)
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
  }

  /** The reasons, the most frequent first; empty for a single rejected row. */
  get text(): string {
    const sorted = [...this.#counts].sort(([, one], [, other]) => other - one)
    const rows = (counts: typeof sorted) => counts.reduce((sum, [, count]) => sum + count, 0)
    if (rows(sorted) < 2) return ''
    const parts = sorted.slice(0, named).map(([reason, count]) => `${count.toLocaleString('en-US')} ${reason}`)
    const others = rows(sorted.slice(named))
    return `Rejected: ${parts.join(', ')}${others === 0 ? '' : `, ${others.toLocaleString('en-US')} for other reasons`}.`
  }
}
