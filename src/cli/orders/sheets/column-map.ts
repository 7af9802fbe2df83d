import { readFileSync, statSync } from 'node:fs'
import { Flags, type Interfaces } from '@oclif/core'
import { z } from 'zod'
import { DeliveryCreate, isRequestField, listOf, type Unit, UsageError, unitsOf } from '../../../contract/index.js'
import { trimmed } from '../../../shared/texts.js'
import { isTimeZone } from '../../../trade/zoned-time.js'
import { Doubts } from '../../bulk/doubts.js'
import { tableNotices } from '../../bulk/table-reading.js'
import { repeatable } from '../../command/write-flags.js'
import { withProfileField } from '../../input/account-rows.js'
import { checkField, parseAssignment } from '../../input/assignments.js'
import { parseJson, pathOf, unreadable } from '../../input/read.js'
import { parseDurationMs } from '../../input/times.js'
import type { ProcessContext } from '../../process/context.js'
import type { Session } from '../../session/session.js'
import type { FileReading } from '../order-file.js'
import type { SheetForms } from './sheet-forms.js'
import type { SheetTimes } from './sheet-times.js'
import { doubtOf } from './unit-doubts.js'

/** The flags of commands that read a workbook. */
export const workbookFlags = {
  sheet: Flags.string({
    summary: 'Sheet of a workbook (.xlsx, .ods)',
    description: 'Without it, the first sheet that is shown and has rows. A hidden sheet is read only by its name.',
    helpGroup: 'order',
    helpValue: 'NAME',
  }),
  hidden: Flags.option({
    summary: "Read or skip a sheet's hidden or struck-out rows",
    description: 'A sheet with such rows is refused without it, because they may be orders or not.',
    helpGroup: 'order',
    helpValue: 'read|skip',
    options: ['read', 'skip'] as const,
  })(),
}

/** The flags of commands that read a table. */
export const tableFlags = {
  map: Flags.string({
    summary: 'Map a CSV column to a field; repeatable',
    description:
      'Takes a CSV as a spreadsheet saves it: --map "Order no=clientOrderReference" --map "Phone=dropoff.contactPhone". Columns that are neither a field nor mapped are left out, with a notice. Several pairs can be separated by commas. A unit behind the field reads money and weights of a sheet: --map "Total=package.valueCents:dollars", :cents, :kg, :pounds, :ounces, :grams. Several columns of one field are joined: --map "First name+Last name=dropoff.contactName".',
    helpGroup: 'order',
    helpValue: 'THEIRS=PATH',
    ...repeatable,
  }),
  'map-file': Flags.string({
    summary: 'JSON file with the mapping of a sheet',
    description:
      'Keeps what --map, --us-phones, --us-tips, --us-times, --day-first, --leave-out, --encoding, --skip, --sheet and --hidden say: {"columns": {"Order no": "clientOrderReference"}, "values": {"pickup.storeReference": "STORE-001"}, "leaveOut": {"Status": ["cancelled"]}, "usPhones": true, "usTips": true, "usTimes": "store", "dayFirst": true, "zones": {"57601": "America/Chicago"}}. values fill in what a new order lacks; zones are those of ZIP codes that lie in two. "stores": {"Hay Street": "STORE-001"} gives names of stores their references, and "windowLength": "1h" a single time its window. The flags take precedence. dlv deliveries map writes it.',
    helpGroup: 'order',
    helpValue: 'FILE',
  }),
  encoding: Flags.string({
    summary: 'Encoding of --file (default utf-8)',
    description:
      'What is not UTF-8 is refused, because a wrong guess would misspell names and addresses. Spreadsheets save windows-1252 in Western Europe and the Americas, macintosh on older Macs, utf-16le as "Unicode text".',
    helpGroup: 'order',
    helpValue: 'NAME',
  }),
  skip: Flags.integer({
    summary: 'Lines before the header of a CSV',
    description: 'Without it, the header is the first line with the mapped columns, or with names of fields.',
    helpGroup: 'order',
    helpValue: 'N',
    min: 0,
  }),
  'leave-out': Flags.string({
    summary: 'Leave out orders by a column; repeatable',
    description:
      'Takes the name of a column and the values whose orders are not sent: --leave-out "Order Status=cancelled,refunded" --leave-out "Cancelled at=*". * is any value. Case does not matter. What was left out is said.',
    helpGroup: 'order',
    helpValue: 'COLUMN=VALUES',
    ...repeatable,
  }),
  ...workbookFlags,
}

/** The flags of commands that read a CSV as a spreadsheet saves it. */
export const spreadsheetFlags = {
  ...tableFlags,
  'us-phones': Flags.boolean({ summary: 'Read phones such as (910) 555-0101', helpGroup: 'order' }),
  'us-tips': Flags.boolean({
    summary: 'Read tips in dollars, such as 3.50 or $5.00',
    description:
      'Without it, tips are cents, and one under 100 is refused in a mapped column whose name does not say cents; "usTips": false in --map-file allows it.',
    helpGroup: 'order',
  }),
  'us-times': Flags.string({
    summary: 'Read times such as 11/25/2026 3:00 PM in ZONE',
    description:
      "ZONE is a zone such as America/New_York, or store for the zone of each order's store, which the ZIP code of the address tells. A ZIP code that lies in two zones, or whose zone nobody knows, is refused if that makes a difference: name a zone, or put it into --map-file. Times without a zone in --window are read so too.",
    helpGroup: 'order',
    helpValue: 'ZONE|store',
  }),
  'day-first': Flags.boolean({
    summary: 'Read dates such as 30/11/2026 and 30.11.2026',
    description:
      'With --us-times. Without it, dates with slashes begin with their month, and if one of the file begins with its day, no date that could be either is sent; dates with dots or hyphens are read if they can be only one day. --no-day-first says that the month comes first.',
    helpGroup: 'order',
    allowNo: true,
  }),
}

/** The values of these flags. */
export type SpreadsheetFlags = Partial<Interfaces.InferredFlags<typeof spreadsheetFlags>>

/** The flags that give all orders a window. */
interface WindowFlags {
  window?: unknown
  'pickup-window'?: unknown
  set?: readonly string[] | undefined
}

function areTimed(flags: WindowFlags, values: Readonly<Record<string, unknown>> = {}): boolean {
  const fields = [...(flags.set ?? []), ...Object.keys(values)]
  const isGiven = flags.window !== undefined || flags['pickup-window'] !== undefined
  return isGiven || fields.some((field) => field.startsWith('timeWindows'))
}

/**
 * How a CSV is read; nothing without the flags. A pair may also be FIELD=COLUMN, if only its
 * left side is a field.
 *
 * @throws UsageError for what is not a pair, or names no field
 */
export async function fileReading(
  flags: SpreadsheetFlags & WindowFlags & { 'tip-cents'?: unknown; 'dry-run'?: boolean | undefined },
  given: z.ZodType,
  { context, notices, flags: { profile } }: Pick<Session, 'context' | 'notices' | 'flags'>,
): Promise<FileReading> {
  const schema = withProfileField(given)
  const { map } = flags
  const file = flags['map-file'] === undefined ? {} : readMapFile(context, flags['map-file'], schema)
  const encoding = flags.encoding ?? file.encoding
  const times = await timesOf(flags, file, context.nowMs)
  const usTips = flags['us-tips'] || file.usTips === true
  const forms: SheetForms = { usPhones: flags['us-phones'] || file.usPhones === true, times }
  if (given === DeliveryCreate && file.values !== undefined) forms.values = new Map(Object.entries(file.values))
  if (file.windowLength !== undefined) forms.windowMs = parseDurationMs(file.windowLength, '--map-file: windowLength')
  if (file.stores !== undefined)
    forms.stores = new Map(Object.entries(file.stores).map(([name, store]) => [trimmed(name).toLowerCase(), store]))
  const units = new Map<string, Unit>(usTips ? [['tipAmountCents', 'dollars']] : [])
  const skipLines = flags.skip ?? file.skip
  const sheet = flags.sheet ?? file.sheet
  const hiddenRows = flags.hidden ?? file.hidden
  const isSheetKept = flags.sheet === undefined && flags.hidden === undefined
  const leaveOut = leftOutValues(flags['leave-out'], file.leaveOut)
  const doubts = flags['dry-run'] ? new Doubts() : undefined
  const table = {
    encoding,
    forms,
    units,
    skipLines,
    sheet,
    hiddenRows,
    isSheetKept,
    leaveOut,
    hasItemRows: given === DeliveryCreate,
    doubts,
    isAccountChosen: profile !== undefined,
  }
  if (map === undefined && file.columns === undefined) return { ...table, ...tableNotices(notices, undefined, doubts) }
  const mapped = new Map(Object.entries(file.columns ?? {}).map(([theirs, path]) => [theirs, trimmed(path)]))
  const typed = new Set<string>()
  for (const [theirs, path] of (map ?? []).flatMap((text) => pairsOf(text, schema))) {
    if (typed.has(theirs)) throw new UsageError(`--map: the column "${theirs}" is mapped twice.`)
    typed.add(theirs)
    mapped.set(theirs, path)
  }
  const columns = new Map([...mapped].map(([theirs, place]) => [theirs, measuredField(place, units)]))
  const isTimed = given !== DeliveryCreate || areTimed(flags, file.values)
  const isTipSaid = file.usTips === false || flags['tip-cents'] !== undefined
  forms.doubts = [...columns].flatMap(([theirs, path]) =>
    units.has(path) || (path === 'tipAmountCents' && isTipSaid) ? [] : doubtOf(theirs, path),
  )
  return { ...table, columns, ...tableNotices(notices, columns, doubts, isTimed) }
}

/** The field of `package.valueCents:dollars`, whose unit is noted. Throws `UsageError` for a unit that it does not have. */
function measuredField(place: string, noted: Map<string, Unit>): string {
  const { path, unit } = splitUnit(place)
  if (unit === undefined) return path
  const known = unitsOf(path).find((name) => name === unit.toLowerCase())
  if (known === undefined)
    throw new UsageError(`--map: "${unit.slice(0, 80)}" is not a unit of ${path}.`, {
      hint: `Expected ${unitsOf(path)
        .map((name) => `${path}:${name}`)
        .join(', ')}.`,
    })
  noted.set(path, known)
  return path
}

/** A field with the unit behind it, if it is a field that has units: names of `metadata` may hold a colon. */
function splitUnit(place: string): { path: string; unit: string | undefined } {
  const at = place.lastIndexOf(':')
  const path = place.slice(0, Math.max(at, 0))
  return at < 1 || unitsOf(path).length === 0 ? { path: place, unit: undefined } : { path, unit: place.slice(at + 1) }
}

/** What the flags of `map` say beforehand. Throws `UsageError` for what is no field. */
export function givenMapping(flags: {
  map?: string[] | undefined
  set?: string[] | undefined
  'leave-out'?: string[] | undefined
}) {
  const columns = new Map((flags.map ?? []).flatMap((text) => pairsOf(text, withProfileField(DeliveryCreate))))
  for (const [column, place] of columns) columns.set(column, trimmed(place))
  const assignments = (flags.set ?? []).map((text) => parseAssignment(text, 'input'))
  for (const assignment of assignments) checkField(DeliveryCreate, assignment, '--set')
  const values = new Map(assignments.map(({ path, value }) => [path, value]))
  return { columns, values, leaveOut: leftOutValues(flags['leave-out']) }
}

/** `Status=cancelled,refunded` by the column; the flags go before the mapping's. */
function leftOutValues(
  given: readonly string[] | undefined,
  kept: Readonly<Record<string, readonly string[]>> = {},
): ReadonlyMap<string, readonly string[]> | undefined {
  const values = new Map<string, readonly string[]>(Object.entries(kept))
  const typed = new Map<string, string[]>()
  for (const text of given ?? []) {
    const at = text.indexOf('=')
    const [column, list] = [trimmed(text.slice(0, at)), listOf(text.slice(at + 1))]
    if (at < 1 || column === '' || list.length === 0)
      throw new UsageError(`--leave-out expects COLUMN=VALUES, such as Status=cancelled, got "${text.slice(0, 80)}".`)
    typed.set(column, [...(typed.get(column) ?? []), ...list])
  }
  for (const [column, list] of typed) values.set(column, list)
  return values.size === 0 ? undefined : values
}

const MapFile = z.strictObject({
  columns: z.record(z.string(), z.string()).optional(),
  values: z.record(z.string(), z.unknown()).optional(),
  leaveOut: z.record(z.string(), z.array(z.string())).optional(),
  encoding: z.string().optional(),
  sheet: z.string().optional(),
  hidden: z.enum(['read', 'skip']).optional(),
  usPhones: z.boolean().optional(),
  usTips: z.boolean().optional(),
  skip: z.int().min(0).optional(),
  usTimes: z.string().optional(),
  dayFirst: z.boolean().optional(),
  zones: z.record(z.string(), z.string()).optional(),
  stores: z.record(z.string(), z.string()).optional(),
  windowLength: z.string().optional(),
})

/** How times without a zone are read; the table of ZIP codes is loaded only for the clocks of stores. */
async function timesOf(
  flags: SpreadsheetFlags,
  file: z.infer<typeof MapFile>,
  nowMs: () => number,
): Promise<SheetTimes | undefined> {
  const flag = flags['us-times']
  const zone = flag ?? file.usTimes
  for (const [zip, named] of Object.entries(file.zones ?? {})) {
    if (!/^\d{5}$/.test(zip))
      throw new UsageError(`--map-file: zones: "${zip.slice(0, 40)}" is not a ZIP code of five digits.`)
    checkZone(named, `--map-file: zones: ${zip}`, false)
  }
  const dayFirst = flags['day-first'] ?? file.dayFirst
  if (zone === undefined && flags['day-first'] !== undefined)
    throw new UsageError(`--${dayFirst ? '' : 'no-'}day-first is for dates of times without a zone.`, {
      hint: 'Add --us-times store, or the zone of all of them, such as --us-times America/New_York.',
    })
  if (zone === undefined) return undefined
  checkZone(zone, flag === undefined ? '--map-file: usTimes' : '--us-times')
  const [{ StoreClocks }, { SheetTimes }] = await Promise.all([import('./store-clocks.js'), import('./sheet-times.js')])
  const order = dayFirst === undefined ? undefined : dayFirst ? 'day' : 'month'
  if (zone !== 'store') return new SheetTimes(new StoreClocks(zone), order, nowMs)
  const { zonesOfStop } = await import('../../../trade/zip-zones.js')
  return new SheetTimes(new StoreClocks(zone, file.zones, zonesOfStop), order, nowMs)
}

function readMapFile(context: ProcessContext, name: string, schema: z.ZodType): z.infer<typeof MapFile> {
  let text: string
  try {
    const path = pathOf(context, name)
    // A pipe or a device may never end.
    const stats = statSync(path)
    if (!stats.isFile())
      throw new UsageError(`--map-file ${name} is not a regular file.`, { hint: 'Name a file of JSON.' })
    if (stats.size > 1_048_576) throw new UsageError(`--map-file ${name} is larger than 1 MB.`)
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(context, name, '--map-file', cause)
  }
  const { data, error } = MapFile.safeParse(parseJson(text, name))
  if (data === undefined)
    throw new UsageError(
      `${name} is not a mapping: ${error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ')}`,
      {
        hint: 'Expected {"columns": {"Order no": "clientOrderReference"}, "usPhones": true, "usTips": true, "usTimes": "store"}.',
      },
    )
  for (const path of Object.keys(data.values ?? {})) checkField(schema, { path, value: undefined }, `${name}: values`)
  for (const path of Object.values(data.columns ?? {}))
    checkField(schema, { path: splitUnit(trimmed(path)).path, value: undefined }, `${name}: columns`)
  return data
}

function checkZone(zone: string, flag: string, mayBeStore = true): void {
  if ((mayBeStore && zone === 'store') || isTimeZone(zone)) return
  throw new UsageError(`${flag}: "${zone.slice(0, 80)}" is not a time zone.`, {
    hint: `Expected ${mayBeStore ? 'store, or ' : ''}a zone such as America/New_York.`,
  })
}

/** A name of a column may hold commas: they separate pairs only if each part is a pair. */
function pairsOf(text: string, schema: z.ZodType): [theirs: string, path: string][] {
  const whole = pairOf(text, schema)
  const parts = text.split(',').map((part) => pairOf(part, schema))
  if (parts.length > 1 && parts.every((pair) => pair !== undefined)) return parts
  // The whole would be a column whose name holds pairs.
  if (whole !== undefined && !(parts.length > 1 && whole[0].includes('='))) return [whole]
  const wrong = parts.length > 1 ? (text.split(',')[parts.indexOf(undefined)] ?? text) : text
  const at = wrong.lastIndexOf('=')
  if (at < 1 || at === wrong.length - 1)
    throw new UsageError(`--map expects THEIRS=PATH, such as Phone=dropoff.contactPhone, got "${wrong.slice(0, 80)}".`)
  const { path } = splitUnit(trimmed(wrong.slice(at + 1)))
  checkField(schema, { path, value: undefined }, '--map')
  throw new UsageError(`--map: "${path.slice(0, 80)}" is not a field of an order.`)
}

function pairOf(text: string, schema: z.ZodType): [theirs: string, path: string] | undefined {
  const last = text.lastIndexOf('=')
  const [theirs, path] = [trimmed(text.slice(0, last)), trimmed(text.slice(last + 1))]
  if (last > 0 && theirs !== '' && isRequestField(schema, splitUnit(path).path)) return [theirs, path]
  const first = text.indexOf('=')
  const [field, column] = [trimmed(text.slice(0, first)), trimmed(text.slice(first + 1))]
  return first > 0 && column !== '' && isRequestField(schema, field) ? [column, field] : undefined
}
