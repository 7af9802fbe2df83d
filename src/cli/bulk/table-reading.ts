import type { InputRow, RowAction, RowOptions, Rows } from '../../bulk/index.js'
import { type FieldError, UsageError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { addressColumns, isCityColumn, isStateOrPostalCode, readName } from '../../shared/sheet-columns.js'
import { inFlags } from '../errors/flag-words.js'
import type { Notices } from '../output/notices.js'
import type { Doubts } from './doubts.js'
import { placeOf } from './row-warnings.js'

type TellingCell = Parameters<NonNullable<RowOptions['onTellingCell']>>[0]

/** What is said while a table is read. */
type TableNotices = Pick<
  RowOptions,
  'onLeftOut' | 'onItemRows' | 'onLeftOutLine' | 'onLeftOutOrders' | 'onTellingCell' | 'onSheet'
>

/** Whether a column holds the second line of an address. */
const isUnit = (name: string) => addressColumns.unit.test(readName(name))

/** The columns that hold the city of addresses, if none of those that are joined does. */
function leftOutCities(names: readonly string[], columns: ReadonlyMap<string, string>): string[] {
  const parts = [...columns].find(([, path]) => path === 'dropoff.address')?.[0].split('+') ?? []
  return parts.length < 2 || parts.some(isCityColumn) ? [] : names.filter(isCityColumn)
}

/** The lines that are named one by one. */
const namedLines = 5

/**
 * Says which parts of a table are left out, and warns of a column whose absence leaves a driver without an apartment.
 *
 * @param columns the columns that are mapped, with their fields
 * @param doubts takes what is doubted, instead of warnings as it is read
 * @param isTimed whether all orders have their window from elsewhere
 */
export function tableNotices(
  notices: Pick<Notices, 'notice' | 'warn'>,
  columns: ReadonlyMap<string, string> = new Map(),
  doubts?: Doubts,
  isTimed = false,
): TableNotices {
  let lines = 0
  const saidTimes = new Set<string>()
  return {
    onLeftOut(names) {
      const second = [...names.filter(isUnit), ...leftOutCities(names, columns)]
      const timed = columns.size === 0 || isTimed || hasTimes(columns) ? [] : names.filter(isTimeOfDelivery)
      for (const name of timed) saidTimes.add(name)
      const others = names.filter((name) => !second.includes(name) && !timed.includes(name))
      if (others.length > 0) notices.notice(`Columns left out: ${others.map(plainText).join(', ')}.`)
      const said = [
        ...second.map(
          (name) => `The column "${plainText(name)}" is left out, and a driver may need it: ${placeFor(name, columns)}`,
        ),
        ...(timed.length === 0 ? [] : [timesLeftOut(timed)]),
      ]
      for (const text of said)
        if (doubts === undefined) notices.warn(`${text}.`)
        else doubts.add(text)
    },
    onLeftOutLine(line, text, isHeader) {
      const shown = plainText(text.slice(0, 80))
      if (isHeader) {
        notices.notice(`Line ${line} left out: it is the header once more.`)
        return
      }
      if (doubts !== undefined)
        doubts.add(`left out, because it looks like a total or a footer: "${shown}"`, { row: line, line }, `"${shown}"`)
      else if (++lines <= namedLines)
        notices.notice(`Line ${line} left out, because it looks like a total or a footer: ${shown}`)
    },
    onLeftOutOrders(orders) {
      const kinds = Map.groupBy(orders, ({ column, value }) => `${plainText(column)}: ${plainText(value.slice(0, 40))}`)
      for (const [kind, { length }] of [...kinds].slice(0, namedLines))
        notices.notice(`${length.toLocaleString('en-US')} left out: ${kind}.`)
      if (kinds.size > namedLines)
        notices.notice(
          `${orders.length.toLocaleString('en-US')} orders left out in all, the first on line ${orders[0]?.line}.`,
        )
    },
    onTellingCell: tellingCells(notices, doubts, columns, (column) => isTimed || saidTimes.has(column)),
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

/** Doubts what columns that are not read say: that orders are called off or done, when they are wanted, and notes. */
function tellingCells(
  notices: Pick<Notices, 'warn'>,
  doubts: Doubts | undefined,
  columns: ReadonlyMap<string, string>,
  isSaid: (column: string) => boolean,
): TableNotices['onTellingCell'] {
  const said = new Set<string>()
  return ({ line, sheet, column, value, says }) => {
    if (/time$/.test(says) && isSaid(column)) return
    const name = plainText(column)
    const shown = plainText(value.slice(0, 40))
    const place = { row: line, line, sheet }
    const { text, kind } = wordsOf(says, { name, shown }, columns)
    if (doubts !== undefined)
      doubts.add(
        text,
        says === 'note' ? undefined : place,
        says === 'time' || says === 'told time' ? `says "${shown}"` : '',
      )
    else if (!said.has(kind) && said.size < namedLines) {
      said.add(kind)
      notices.warn(says === 'note' ? `${text}.` : `${placeOf(place)}: ${text}.`)
    }
  }
}

/** What is said of such a cell, and by what it is said once. */
function wordsOf(
  says: TellingCell['says'],
  { name, shown }: { name: string; shown: string },
  columns: ReadonlyMap<string, string>,
): { text: string; kind: string } {
  const named = (pair: string) => `"${pair.replaceAll('"', '\\"')}"`
  if (says === 'note') {
    const pair = [...fieldColumns(columns, 'dropoff.instructions'), name].join('+')
    const text = `The column "${name}" ("${shown}") is left out, and a driver may need it: --map ${named(`${pair}=dropoff.instructions`)}`
    return { text, kind: `note ${name}` }
  }
  if (says === 'below time' || says === 'below ended') {
    const sent = says === 'below time' ? 'without a window the order goes out now' : 'the row is sent all the same'
    const text = `stands below the line "${shown}", which is no part of it, and ${sent}: say it in a column`
    return { text, kind: text }
  }
  if (says === 'told time') {
    const text = `the column "${name}" says "${shown}", and without a window the order goes out now: give its times a column of their own`
    return { text, kind: `time ${name}` }
  }
  if (says === 'no time') return { text: `the column "${name}" is empty, and the order goes out now`, kind: 'no time' }
  if (says === 'time') {
    const pair = [name, ...fieldColumns(columns, 'timeWindows.dropoff')].join('+')
    const text = `the column "${name}" says "${shown}", and without a window the order goes out now: --map ${named(`${pair}=timeWindows.dropoff`)} with --us-times reads it`
    return { text, kind: `time ${name}` }
  }
  const text = `the column "${name}" says "${shown}", and the row is sent all the same: --leave-out ${named(`${name}=${shown}`)} leaves it out`
  return { text, kind: text }
}

function fieldColumns(columns: ReadonlyMap<string, string>, field: string): string[] {
  return [...columns].flatMap(([name, path]) => (path === field ? [plainText(name)] : []))
}

/** The same for a second reading, which repeats nothing. */
export const silentNotices: TableNotices = {
  onLeftOut: () => undefined,
  onLeftOutLine: () => undefined,
  onItemRows: undefined,
  onLeftOutOrders: undefined,
  onTellingCell: undefined,
  onSheet: undefined,
}

/** Names of columns with the time for which an order is meant. */
const timeOfDelivery =
  /^(?:(?:requested|scheduled|promised|desired|preferred|expected) )?(?:deliver(?:y|ed)?|drop ?off|arriv(?:al|e)|due|deadline|needed)(?: (?:date|day|time|window|slot|from|by|after|before|at|on|start|end|date time|datetime|hours?))+$|^(?:time slot|time window|due|deadline|requested (?:date|time)|scheduled (?:for|date|time|at)|deliver (?:by|at|on)|(?:liefer|wunsch)(?:termin|datum|zeit|tag|fenster)|(?:fecha|hora|dia) de entrega|(?:date|heure|jour) de livraison|(?:data|ora) di consegna|(?:data|hora) de entrega|(?:lever|bezorg)(?:datum|tijd|moment))$/i

function isTimeOfDelivery(name: string): boolean {
  return timeOfDelivery.test(
    name
      .replace(/[\s_\-./]+/g, ' ')
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .trim(),
  )
}

function hasTimes(columns: ReadonlyMap<string, string>): boolean {
  return [...columns.values()].some((path) => path.startsWith('timeWindows.'))
}

function timesLeftOut(names: readonly string[]): string {
  const pair = `${names.join('+')}=timeWindows.dropoff`
  const [columns, are] = names.length === 1 ? ['The column', 'is'] : ['The columns', 'are']
  const named = names.map((name) => `"${plainText(name)}"`).join(' and ')
  return `${columns} ${named} ${are} left out, so that these orders go out now: --map "${pair.replaceAll('"', '\\"')}" with --us-times reads them`
}

/** The pair that maps a second line of an address. */
function placeFor(name: string, columns: ReadonlyMap<string, string>): string {
  const whole = [...columns].find(([, path]) => path === 'dropoff.address')?.[0]
  const [first, ...others] = whole?.split('+') ?? []
  // A city stands behind the units, before state and ZIP code.
  const at = isCityColumn(name) ? others.findIndex(isStateOrPostalCode) : 0
  const parts = others.toSpliced(at === -1 ? others.length : at, 0, name)
  const pair = first === undefined ? `${name}=dropoff.address.line2` : `${[first, ...parts].join('+')}=dropoff.address`
  return `--map "${pair.replaceAll('"', '\\"')}"`
}

/** Names a sheet's own columns in the errors of its rows, beside the fields that they are mapped to. */
export class OwnColumns {
  readonly #names: ReadonlyMap<string, string>

  /**
   * @param columns the columns with the fields that they are mapped to
   * @param fillingFlag the flag that gives a field to rows without one; `--set` would replace what the others have
   */
  constructor(
    columns: ReadonlyMap<string, string>,
    private readonly fillingFlag: (field: string) => string | undefined = () => undefined,
  ) {
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
          ? `is required, and the cell is empty: ${this.#remedyOf(field)}`
          : message,
    }))
  }

  #remedyOf(field: string): string {
    const flag = this.fillingFlag(field)
    return flag === undefined ? 'fill it in' : `fill it in, or give every row without one the same with ${flag}`
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

  /** A text in which each fault begins with its field and a colon. */
  #text(text: string): string {
    return text.replace(/(^|; )([\w.]+)(?=: )/g, (_, before: string, field: string) => before + this.#field(field))
  }

  #field(field: string): string {
    // A window in one column has a start and an end.
    const name = this.#names.get(field) ?? this.#names.get(field.replace(/\.(?:start|end)$/, ''))
    return name === undefined ? field : `${field} (column "${name}")`
  }
}
