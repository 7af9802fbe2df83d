import { canonicalJson } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import type { StoreClocks } from './store-clocks.js'

/** A value that a flag gives every order, and the flag for errors. */
export interface OrderAssignment {
  path: string
  value: unknown
  flag: string
  /** The flag, such as `--store`, that only fills in what a row of several leaves blank. */
  by?: string | undefined
  /** Only for an order that has a window and does not say what it means. */
  forWindow?: true
  /** The flag, such as `--clear dropoff.instructions`, that removes the field of rows that give it no value. */
  removes?: string | undefined
  /** Only with a new address, whose unit nothing else gives. */
  forMove?: true
}

/**
 * Counts the rows of a file that keep a value of their own where a flag has another: flags fill in blanks, and remove
 * only what a row does not give.
 */
export class KeptValues {
  readonly #rows = new Map<string, { path: string; count: number }>()

  /**
   * @param purpose in an update, `null` is a value: it clears the field
   * @param clocks the clocks that times are read by, which count them
   */
  constructor(
    private readonly purpose: 'order' | 'update',
    private readonly clocks?: Pick<StoreClocks, 'begin' | 'text'>,
  ) {}

  /** Begins a new reading of the rows. */
  begin(): void {
    this.#rows.clear()
    this.clocks?.begin()
  }

  /** The assignments that apply to a row. Counts the row once for each flag against which it keeps its own value. */
  left(row: unknown, assignments: readonly OrderAssignment[]): readonly OrderAssignment[] {
    const kept = new Map<string, string>()
    for (const { by, removes, path, value } of assignments) {
      const flag = by ?? removes
      if (flag === undefined || kept.has(flag)) continue
      const own = removes === undefined ? this.#ownPath(row, path, value) : givenPath(row, path)
      if (own !== undefined) kept.set(flag, own)
    }
    for (const [by, path] of kept) this.#rows.set(by, { path, count: (this.#rows.get(by)?.count ?? 0) + 1 })
    return assignments.filter(({ by, removes }) => !kept.has(by ?? removes ?? ''))
  }

  #ownPath(row: unknown, path: string, value: unknown): string | undefined {
    const own = valueAt(row, path)
    if (!this.#isBlank(own)) return canonicalJson(own) === canonicalJson(value) ? undefined : path
    // An order for now has no window.
    const window = 'timeWindows.dropoff'
    return value === 'asap' && !this.#isBlank(valueAt(row, window)) ? window : undefined
  }

  #isBlank(own: unknown): boolean {
    return own === undefined || own === '' || (own === null && this.purpose === 'order')
  }

  /**
   * `12 rows keep their own pickup.storeReference (--store fills in blanks); 18 times read in America/Chicago`; empty
   * without such rows and times.
   */
  get text(): string {
    const parts = [...this.#rows].map(([by, { path, count }]) => {
      const rows = count === 1 ? '1 row keeps its' : `${count.toLocaleString('en-US')} rows keep their`
      const why = /^--(?:clear|no-)/.test(by) ? 'does not remove it' : 'fills in blanks'
      return `${rows} own ${path} (${by} ${why})`
    })
    return [parts.join(', '), this.clocks?.text ?? ''].filter(Boolean).join('; ')
  }
}

/** The path, if the row has a value there. */
function givenPath(row: unknown, path: string): string | undefined {
  const own = valueAt(row, path)
  return own === undefined || own === null || own === '' ? undefined : path
}
