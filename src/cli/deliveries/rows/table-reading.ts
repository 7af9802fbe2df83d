import type { InputRow, RowAction, RowOptions, Rows } from '../../../bulk/index.js'
import { type FieldError, UsageError } from '../../../contract/index.js'
import { plainText } from '../../../render/plain-text.js'
import { inFlags } from '../../errors/flag-words.js'
import type { Notices } from '../../output/notices.js'
import type { Doubts } from './doubts.js'

/** What is said while a table is read. */
type TableNotices = Pick<RowOptions, 'onLeftOut' | 'onItemRows' | 'onLeftOutLine' | 'onSheet'>

/** Names of columns that hold the second line of an address. */
const secondLine =
  /^(?!.*bill)(?:.*\b)?(?:(?:address|addr|street|line)[ _-]*(?:line[ _-]*)?(?:2|two)|apt|apartment|suite|ste|unit(?: ?(?:no|number|#))?)\b\.?(?: ?(?:no|number|#))?$/i

/** The lines that are named one by one. */
const namedLines = 5

/**
 * Says which parts of a table are left out, and warns of a column whose absence leaves a driver without an apartment.
 *
 * @param columns the columns that are mapped, with their fields
 * @param doubts takes what is doubted, instead of warnings as it is read
 */
export function tableNotices(
  notices: Pick<Notices, 'notice' | 'warn'>,
  columns: ReadonlyMap<string, string> = new Map(),
  doubts?: Doubts,
): TableNotices {
  let lines = 0
  return {
    onLeftOut(names) {
      const second = names.filter((name) => secondLine.test(name))
      const others = names.filter((name) => !second.includes(name))
      if (others.length > 0) notices.notice(`Columns left out: ${others.map(plainText).join(', ')}.`)
      for (const name of second) {
        const text = `The column "${plainText(name)}" is left out, and a driver may need it: ${placeFor(name, columns)}`
        if (doubts === undefined) notices.warn(`${text}.`)
        else doubts.add(text)
      }
    },
    onLeftOutLine(line, text) {
      const shown = plainText(text.slice(0, 80))
      if (doubts !== undefined)
        doubts.add(`left out, because it looks like a total or a footer: "${shown}"`, { row: line, line }, `"${shown}"`)
      else if (++lines <= namedLines)
        notices.notice(`Line ${line} left out, because it looks like a total or a footer: ${shown}`)
    },
    onSheet(text, isWarning) {
      const shown = plainText(inFlags(text))
      if (!isWarning) notices.notice(shown)
      else if (doubts === undefined) notices.warn(shown)
      else doubts.add(shown)
    },
    onItemRows: (orders) =>
      notices.notice(
        `${orders.toLocaleString('en-US')} ${orders === 1 ? 'order has' : 'orders have'} several rows, one an item: they are sent once.`,
      ),
  }
}

/** The same for a second reading, which repeats nothing. */
export const silentNotices: TableNotices = {
  onLeftOut: () => undefined,
  onLeftOutLine: () => undefined,
  onItemRows: undefined,
  onSheet: undefined,
}

/** The pair that maps a second line of an address. */
function placeFor(name: string, columns: ReadonlyMap<string, string>): string {
  const whole = [...columns].find(([, path]) => path === 'dropoff.address')?.[0]
  const [first, ...others] = whole?.split('+') ?? []
  const pair =
    first === undefined ? `${name}=dropoff.address.line2` : `${[first, name, ...others].join('+')}=dropoff.address`
  return `--map "${pair.replaceAll('"', '\\"')}"`
}

/** Names a sheet's own columns in the errors of its rows, beside the fields that they are mapped to. */
export class OwnColumns {
  readonly #names: ReadonlyMap<string, string>

  /** @param columns the columns with the fields that they are mapped to */
  constructor(columns: ReadonlyMap<string, string>) {
    this.#names = new Map([...columns].map(([name, path]) => [path, name]))
  }

  rows(rows: Rows): Rows {
    const named = (row: InputRow) => ('problem' in row ? { ...row, problem: this.#text(row.problem) } : row)
    return {
      reading: rows.reading,
      async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
        for await (const batch of rows) yield batch.map(named)
      },
    }
  }

  refusals(refusals: readonly FieldError[]): FieldError[] {
    return refusals.map(({ field, message, ...refusal }) => ({
      ...refusal,
      field: this.#field(field),
      message:
        message === 'is required' && this.#names.has(field)
          ? `is required, and the cell is empty: fill it in, or give a value for rows without one, such as --set ${field}=VALUE`
          : message,
    }))
  }

  action<Input>(action: RowAction<Input>): RowAction<Input> {
    return {
      ...action,
      prepare: (value) => {
        try {
          return action.prepare(value)
        } catch (error) {
          throw error instanceof UsageError
            ? new UsageError(this.#text(error.message), { hint: error.hint, cause: error })
            : error
        }
      },
      execute: async (...call) => {
        const done = await action.execute(...call)
        const { error } = done
        const fields = (error?.fieldErrors ?? []).map(({ field }) => field)
        const isIn = (path: string) => fields.some((field) => path === field || path.startsWith(`${field}.`))
        const names = [...this.#names].flatMap(([path, name]) => (isIn(path) ? [name] : []))
        if (error === undefined || names.length === 0) return done
        const which = names.map((name) => `"${name}"`).join(', ')
        return { ...done, error: { ...error, message: `column ${which}: ${error.message}` } }
      },
    }
  }

  /** A text that begins with a field and a colon. */
  #text(text: string): string {
    return text.replace(/^[\w.]+(?=: )/, (field) => this.#field(field))
  }

  #field(field: string): string {
    const name = this.#names.get(field)
    return name === undefined ? field : `${field} (column "${name}")`
  }
}
