import { UsageError } from '../contract/index.js'
import { parseCsv } from './csv-rows.js'
import { parseJson } from './input-text.js'
import { withoutForbidden, withValue } from './paths.js'

/** The orders that a file holds. */
export interface OrderFile {
  /** `true` for an array, NDJSON or CSV: a bulk run, even of one row. */
  isRun: boolean
  orders: Record<string, unknown>[]
}

/**
 * Reads one JSON object, a JSON array, NDJSON, or CSV with dotted column names; what it is shows in its text. `what`
 * names it in an error. Throws `UsageError` that names the line.
 */
export function parseOrders(text: string, what: string): OrderFile {
  const start = text.trimStart()[0]
  if (start === undefined) throw new UsageError(`${what} is empty.`)
  if (start === '[') {
    const orders = parseJson(text, what) as unknown[]
    return { isRun: true, orders: orders.map((order, index) => asOrder(order, `${what}, element ${index + 1}`)) }
  }
  if (start !== '{') return { isRun: true, orders: csvOrders(text, what) }
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1 && lines.every((line) => /^\s*\{.*\}\s*$/.test(line)))
    return {
      isRun: true,
      orders: lines.map((line, index) =>
        asOrder(parseJson(line, `${what}, line ${index + 1}`), `${what}, line ${index + 1}`),
      ),
    }
  return { isRun: false, orders: [asOrder(parseJson(text, what), what)] }
}

function asOrder(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${what} is not an order: one JSON object.`)
  return withoutForbidden(value) as Record<string, unknown>
}

/** Columns whose cells are numbers or lists; every other cell is text, so that a ZIP keeps its leading zero. */
const numbers = new Set([
  'package.itemsCount',
  'package.valueCents',
  'package.weightGrams',
  'tipAmountCents',
  'verification.dropoff.identity.minimumAge',
])

function csvOrders(text: string, what: string): Record<string, unknown>[] {
  const [names, ...rows] = parseCsv(text, what)
  if (names === undefined || !names.some((name) => /^[A-Za-z]\w*(?:\.\w+)*$/.test(name.trim())))
    throw new UsageError(`${what} is neither JSON nor CSV with dotted column names such as dropoff.contactName.`)
  return rows.map((cells, index) => {
    if (cells.length > names.length)
      throw new UsageError(
        `${what}, row ${index + 1} has ${cells.length} cells, and there are ${names.length} columns.`,
      )
    return names.reduce<Record<string, unknown>>((order, name, column) => {
      const cell = cells[column] ?? ''
      return cell === '' ? order : withValue(order, name.trim(), cellValue(name.trim(), cell), what)
    }, {})
  })
}

function cellValue(name: string, cell: string): unknown {
  if (numbers.has(name) && /^-?\d+$/.test(cell)) return Number(cell)
  if (/^[[{]/.test(cell) || /^(?:true|false)$/.test(cell)) {
    try {
      return withoutForbidden(JSON.parse(cell))
    } catch {
      return cell // text that only looks like JSON
    }
  }
  return name === 'package.contains' ? cell.split(/[;|]/).map((cargo) => cargo.trim()) : cell
}
