import { Flags, type Interfaces } from '@oclif/core'
import { isArchive, tableRecords } from '../../bulk/internal.js'
import { cellText, UsageError } from '../../contract/index.js'
import type { KnownOrders } from '../../sent/index.js'
import { trimmed } from '../../shared/texts.js'
import { type StuckLimits, stuckLimits, stuckMeans } from '../../trade/problems.js'
import type { PromiseRules } from '../../trade/promise.js'
import { repeatable } from '../command/write-flags.js'
import { unknownWordError } from '../input/known-word.js'
import { readInputBytes } from '../input/read.js'
import { isRelativeTime, parseDurationMs, parseTime } from '../input/times.js'
import { assertOnce, wallMsOf } from '../input/wall-time.js'
import type { ProcessContext } from '../process/context.js'

/** Flags that say when an order was promised. */
export const promiseFlags = {
  promise: Flags.string({ summary: 'CSV or workbook: clientOrderReference, promisedBy', helpValue: 'FILE' }),
  sla: Flags.string({ summary: 'Promise counted from acceptance', helpValue: 'DURATION' }),
}

const limitNames = Object.keys(stuckLimits) as (keyof StuckLimits)[]

/** Flags that say when an order is late or stuck. */
export const judgingFlags = {
  ...promiseFlags,
  'stuck-after': Flags.string({
    summary: 'Stuck after this time: 30m, or driver=10m; repeatable',
    helpValue: '[WHAT=]DURATION',
    ...repeatable,
  }),
}

/** The limits of `--stuck-after`, for a description. */
export const stuckText = `${stuckMeans}; --stuck-after 30m changes all of them, --stuck-after ${limitNames[0]}=10m one (${limitNames.join(', ')}).`

/** The promises in the account's own files, `--promise` and `--sla`. */
export async function promiseRulesOf(
  flags: Partial<Interfaces.InferredFlags<typeof promiseFlags>>,
  context: ProcessContext,
  known: KnownOrders | undefined,
): Promise<PromiseRules> {
  const { promise, sla } = flags
  return {
    file:
      promise === undefined
        ? undefined
        : await readPromises(await readInputBytes(context, promise, '--promise'), promise),
    ...known,
    slaMs: sla === undefined ? undefined : parseDurationMs(sla, '--sla'),
  }
}

/** The rules by which orders are judged: their promises, and when they count as stuck. */
export interface Judging {
  promises?: PromiseRules | undefined
  limits?: StuckLimits | undefined
}

/** The rules in the flags and in the account's own files. */
export async function judgingOf(
  flags: Partial<Interfaces.InferredFlags<typeof judgingFlags>>,
  context: ProcessContext,
  known: KnownOrders | undefined,
): Promise<Judging> {
  const limits = stuckLimitsOf(flags['stuck-after'])
  return { promises: await promiseRulesOf(flags, context, known), limits }
}

function stuckLimitsOf(given: readonly string[] | undefined): StuckLimits {
  const limits = { ...stuckLimits }
  for (const text of (given ?? []).flatMap((one) => one.split(','))) {
    const [what, span] = text.includes('=') ? text.split('=', 2) : [undefined, text]
    const name = limitNames.find((known) => known === trimmed(what ?? ''))
    if (what !== undefined && name === undefined)
      throw unknownWordError(what, limitNames, { flag: '--stuck-after', noun: 'a limit' })
    const limitMs = parseDurationMs(trimmed(span ?? ''), '--stuck-after')
    for (const changed of name === undefined ? limitNames : [name]) limits[changed] = limitMs
  }
  return limits
}

/**
 * Reads promises from CSV or a workbook with the columns `clientOrderReference` and `promisedBy` (a date and time); other columns are
 * ignored. Returns milliseconds since the epoch by reference.
 *
 * @throws UsageError if a column is missing, or a time is invalid
 */
async function readPromises(bytes: Uint8Array, file: string): Promise<Map<string, number>> {
  const promises = new Map<string, number>()
  let columns: { reference: number; promisedBy: number } | undefined
  const isHeader = (names: readonly string[]) => names.some((name) => name.trim() === 'clientOrderReference')
  const what = `--promise ${file}`
  // A promise is nothing that is sent: rows that a sheet hides are promises too.
  const records = await tableRecords([bytes], {
    what,
    search: { isHeader },
    hiddenRows: isArchive(bytes) ? 'read' : undefined,
  })
  for (const { cells, line } of records) {
    if (columns === undefined) {
      const names = cells.map(trimmed)
      columns = { reference: names.indexOf('clientOrderReference'), promisedBy: names.indexOf('promisedBy') }
      if (columns.reference < 0 || columns.promisedBy < 0)
        throw new UsageError(`--promise ${file} has no columns clientOrderReference and promisedBy.`, {
          hint: `Its first line has ${names.slice(0, 8).join(', ')}.`,
        })
      continue
    }
    const reference = cellText(cells[columns.reference] ?? '')
    if (reference === '') continue
    const promisedBy = cellText(cells[columns.promisedBy] ?? '')
    promises.set(reference, pointInTimeMs(promisedBy, `--promise ${file}, line ${line}`))
  }
  return promises
}

/** A time that does not depend on when the file is read. */
function pointInTimeMs(text: string, place: string): number {
  const time = isRelativeTime(text) ? undefined : tryParseTime(text)
  if (time !== undefined) {
    const wallMs = wallMsOf(text)
    if (wallMs !== undefined) assertOnce(text, wallMs, place)
    return Date.parse(time)
  }
  throw new UsageError(`${place}: "${text.slice(0, 40)}" is not a time.`, {
    hint: 'Write a date and a time, such as 2026-03-02T15:00:00Z.',
  })
}

function tryParseTime(text: string): string | undefined {
  try {
    return parseTime(text, 'promisedBy', 0)
  } catch {
    return undefined
  }
}
