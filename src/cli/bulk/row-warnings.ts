import type { InputRow, RowError, Rows } from '../../bulk/index.js'
import type { FieldError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { sentence } from '../../shared/texts.js'
import type { Notices } from '../output/notices.js'
import type { Doubts } from './doubts.js'

/** Returns the warnings for a row, which is sent all the same. */
export type RowWarning = (value: unknown) => readonly FieldError[]

/** The number of warnings that are printed; others are only counted. */
const shown = 20

/** Warns of each kind of mistake where it first occurs, while rows are read, and counts the rows that have it. */
export class RowWarnings {
  readonly #said = new Set<string>()
  readonly #rows = new Map<string, number>()

  /** @param doubts takes what is doubted, to be said at the end, instead of warnings where it first occurs */
  constructor(
    private readonly warningsOf: RowWarning,
    private readonly notices: Pick<Notices, 'warn'>,
    private readonly doubts?: Doubts,
  ) {}

  /**
   * The rows, with a warning for what looks wrong in them. Each reading counts from the beginning, and repeats nothing.
   *
   * @param clear makes room for a warning on the screen
   */
  watch(rows: Rows, clear: () => void = () => undefined): Rows {
    const begin = () => this.#rows.clear()
    const look = (row: InputRow) => {
      if ('value' in row) this.look(row, row.value, clear)
      else if (row.given !== undefined) this.look(row, row.given, clear, row.unread)
    }
    return {
      reading: rows.reading,
      async *[Symbol.asyncIterator](): AsyncGenerator<readonly InputRow[]> {
        begin()
        for await (const batch of rows) {
          for (const row of batch) look(row)
          yield batch
        }
      },
    }
  }

  /**
   * Warns of what looks wrong in what a row becomes.
   *
   * @param unread the fields that could not be read; of a window, neither end is warned of
   */
  look(row: InputRow, value: unknown, clear: () => void = () => undefined, unread: readonly string[] = []): void {
    for (const { field, message } of this.warningsOf(value)) {
      if (
        unread.some(
          (path) => path === field || (path.split('.')[0] === field.split('.')[0] && /^timeWindows/.test(field)),
        )
      )
        continue
      if (this.doubts !== undefined) {
        this.doubts.add(`${field}: ${message}`, row, message)
        continue
      }
      this.#rows.set(field, (this.#rows.get(field) ?? 0) + 1)
      const text = `${field}: ${message}`
      if (this.#said.size === shown || this.#said.has(text)) continue
      this.#said.add(text)
      clear()
      this.notices.warn(`${placeOf(row)}: ${sentence(text)}`)
    }
  }

  /** Says how many rows have what was warned of, unless each warning has told it. */
  end(): void {
    const count = [...this.#rows.values()].reduce((sum, rows) => sum + rows, 0)
    if (count > this.#said.size) this.notices.warn(`Rows to check: ${countedText(this.#rows, 'other fields')}.`)
  }
}

/** The place of a row in its input. */
export function placeOf({ row, line, sheet }: Pick<InputRow, 'row' | 'line' | 'sheet'>): string {
  if (sheet !== undefined) return `${sheet}, row ${line}`
  return line === undefined ? `Row ${row}` : `Line ${line}`
}

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
function countedText(counts: ReadonlyMap<string, number>, others: string): string {
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
