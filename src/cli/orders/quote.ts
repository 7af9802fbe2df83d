import type { InputRow, Rows } from '../../bulk/index.js'
import { type Client, createPacer } from '../../client/index.js'
import { DeliveryCreate, type InputOf, type QuoteResponse, UsageError, withoutMarks } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { noQuoteText, type QuotedRow, quotedRowsView, quotedSentence, quoteView } from '../../render/quote-view.js'
import { isRecord } from '../../shared/json.js'
import { certainRefusals } from '../bulk/preflight.js'
import { RowWarnings } from '../bulk/row-warnings.js'
import { refuseTestValuesOnProduction } from '../command/production-guard.js'
import { InstallationNames } from '../installations/order-names.js'
import { exitCodes } from '../process/exit-codes.js'
import type { Session } from '../session/session.js'
import { completedOrder, KeptValues, type OrderCompletion, orderAssignments } from './complete-order.js'
import { admitOrder, rowFailure, sayClocks, warningsOf } from './judge-order.js'
import { type OrderFile, readOrders } from './order-file.js'
import { fieldFlags, type OrderFlags, windowEnds } from './order-flags.js'
import { fileReading, type SpreadsheetFlags } from './sheets/column-map.js'

/** The flags of a command that quotes orders. */
export type QuotingFlags = Partial<OrderFlags> & SpreadsheetFlags & { 'dry-run': boolean }

/** The settings of every order that is quoted. */
export interface QuotingPlan {
  settings: Settings
  completion: OrderCompletion
}

/** The orders that files and flags give, and what completes them. Throws `UsageError` for what cannot be read. */
export async function planQuotes(
  session: Session,
  flags: QuotingFlags,
): Promise<{ file: OrderFile; plan: QuotingPlan }> {
  const nowMs = await session.nowMsForOrder(windowEnds(flags), flags['dry-run'])
  const settings = await session.account.settings()
  const reading = await fileReading(flags, DeliveryCreate, session)
  const file = await readOrders(session.context, flags, reading)
  // Its tests of production are for the parts that a quote has.
  const completion = { assignments: orderAssignments(flags, nowMs), forms: reading.forms }
  return { file, plan: { settings, completion } }
}

/** Quotes one order. Its promises are kept, and the reason is said if there is no quote. */
export async function quoteOne(
  session: Session,
  given: unknown,
  { settings, completion }: QuotingPlan,
  flags: QuotingFlags,
): Promise<QuoteResponse | undefined> {
  const order = withoutMarks(completedOrder(given, completion))
  sayClocks(completion.forms, session.notices)
  if (Object.keys(order).length === 0)
    throw new UsageError('No order given. It needs --store and --to.', {
      hint: 'Pass these flags, or --file order.json; dlv deliveries template prints an order to fill in.',
    })
  const { quote, leftOut } = quotePartOf(order, flags)
  sayLeftOut(session, leftOut)
  refuseTestValuesOnProduction(settings, quote)
  const judge = { notices: session.notices, names: new InstallationNames(session) }
  await admitOrder(quote, judge, {
    purpose: 'order',
    nowMs: flags['dry-run'] ? await session.windowsNowMs(quote) : undefined,
  })
  const input = { body: quote } as unknown as InputOf<'createQuote'>
  if (flags['dry-run']) return session.dryRun('createQuote', input)
  const client = await session.client()
  // Opened first: that decides whose the key is, and a quote that cannot be kept for its account is not asked for.
  const ledger = await session.account.ledger()
  const quotes = await client.createQuote(input)
  ledger.quoted(quotes.quotes)
  await session.show(quoteView, quotes)
  // JSON contains the reason.
  if (quotes.quotes.length === 0 && !session.output.isJson) await sayWhyNone(session, quotes)
  return quotes
}

/** The fields of an order that a quote request does not have. */
const orderOnlyFields = ['quoteId', 'dispatch', 'handling', 'tipAmountCents', 'metadata']

const rootOf = (path: string): string => path.split('.')[0] ?? path

/** The flags of an order that do not apply to a quote. */
export const flagsOutsideQuotes: readonly string[] = Object.entries(fieldFlags).flatMap(([flag, path]) =>
  orderOnlyFields.includes(rootOf(path)) ? [`--${flag}`] : [],
)

/**
 * The parts of an order that a quote has, so that the same file and flags serve both, and the names of the omitted
 * parts.
 */
export function quotePartOf(
  order: Readonly<Record<string, unknown>>,
  flags: Partial<OrderFlags>,
): { quote: Record<string, unknown>; leftOut: string[] } {
  const quote = Object.fromEntries(Object.entries(order).filter(([name]) => !orderOnlyFields.includes(name)))
  const byFlag = Object.entries(fieldFlags).filter(([flag]) => flags[flag as keyof OrderFlags] !== undefined)
  const leftOut = orderOnlyFields
    .filter((name) => order[name] !== undefined)
    .flatMap((name) => {
      const given = byFlag.flatMap(([flag, path]) => (rootOf(path) === name ? [`--${flag}`] : []))
      return given.length === 0 ? [name] : given
    })
  return { quote, leftOut }
}

export function sayLeftOut({ notices }: Session, parts: readonly string[]): void {
  if (parts.length > 0) notices.notice(`Not part of a quote, left out: ${parts.join(', ')}.`)
}

/** A person has read the reason on stdout; in a pipe, a table without rows would say nothing. */
async function sayWhyNone({ output, notices }: Session, quotes: QuoteResponse): Promise<void> {
  if (!output.forPeople) notices.notice(noQuoteText(quotes))
  const { explain } = await import('../explanations/index.js')
  const [explanation] = explain(quotes.noQuoteReason ?? '')
  if (explanation !== undefined) notices.notice(`${explanation.meaning} More: dlv explain ${explanation.code}`)
}

/** The number of orders that are quoted at a time; the pacer keeps to the allowance. */
const quotesAtOnce = 16

/** Quotes the orders of a file as they are read, the cheapest quote first; 9 if some could not be quoted. */
export async function quoteMany(
  session: Session,
  rows: Rows,
  { settings, completion }: QuotingPlan,
  flags: QuotingFlags,
): Promise<undefined> {
  refuseSingle(flags)
  session.output.checkColumns(quotedRowsView)
  const leftOutOfAll = new Set<string>()
  const kept = new KeptValues('order', completion.forms?.times)
  const names = new InstallationNames(session)
  const warnings = new RowWarnings((row) => warningsOf(row, names, 'order'), session.notices)
  const toRequest: ToQuoteRequest = async (value, row) => {
    const { quote, leftOut } = quotePartOf(withoutMarks(completedOrder(value, { ...completion, kept })), flags)
    for (const part of leftOut) leftOutOfAll.add(part)
    refuseTestValuesOnProduction(settings, quote)
    const [refused] = certainRefusals(quote, { purpose: 'order' })
    if (refused !== undefined) throw new UsageError(`${refused.field}: ${refused.message}`)
    await names.look(quote)
    warnings.look(row, quote)
    return quote
  }
  const client = await session.client({ pacer: createPacer() })
  const counts = { quoted: 0, none: 0, failed: 0 }
  const sums = new Map<string, number>()
  const pages = async function* () {
    for await (const page of quotedRows(rows, toRequest, client)) {
      for (const { outcome, quotes } of page) {
        counts[outcome]++
        const [best] = quotes
        const currency = best?.currency ?? 'USD'
        if (best !== undefined) sums.set(currency, (sums.get(currency) ?? 0) + best.totalPriceCents)
      }
      yield page
    }
  }
  await session.output.pages(quotedRowsView, pages())
  session.notices.notice(quotedSentence(counts, sums))
  if (counts.failed > 0) session.endWith(exitCodes.otherOutcome)
  warnings.end()
  sayLeftOut(session, [...leftOutOfAll])
  if (kept.text !== '') session.notices.notice(`${kept.text}.`)
  return undefined
}

function refuseSingle(flags: QuotingFlags): void {
  if (flags['dry-run'])
    throw new UsageError('--dry-run is for one order, but this file contains several.', {
      hint: 'dlv deliveries create --dry-run checks every row of a file.',
    })
  if (flags.ref !== undefined) throw new UsageError('--ref is for one order, but this file contains several.')
}

/** Turns an order into a quote request. Throws `UsageError` for an order that cannot be sent. */
type ToQuoteRequest = (order: unknown, row: InputRow) => Promise<Record<string, unknown>>

/**
 * The quotes for many orders, in their order.
 *
 * @throws the error of a request that fails for every row, such as a rejected key or a service that cannot be reached
 */
async function* quotedRows(rows: Rows, toRequest: ToQuoteRequest, client: Client): AsyncGenerator<QuotedRow[]> {
  for await (const batch of rows)
    for (let at = 0; at < batch.length; at += quotesAtOnce) {
      const asked: { row: InputRow; request: ReturnType<ToQuoteRequest> | undefined }[] = []
      // One after the other, so that warnings come in the order of their rows. A fault is told by the row itself.
      for (const row of batch.slice(at, at + quotesAtOnce)) {
        const request = 'problem' in row ? undefined : toRequest(row.value, row)
        await request?.catch(() => undefined)
        asked.push({ row, request })
      }
      yield await Promise.all(asked.map(({ row, request }) => quotedRow(row, request, client)))
    }
}

async function quotedRow(
  row: InputRow,
  request: ReturnType<ToQuoteRequest> | undefined,
  client: Client,
): Promise<QuotedRow> {
  let clientOrderReference: string | null = 'problem' in row ? (row.clientOrderReference ?? null) : null
  try {
    if ('problem' in row) throw new UsageError(row.problem, { hint: row.hint })
    const body = (await request) ?? {}
    if (typeof body.clientOrderReference === 'string') clientOrderReference = body.clientOrderReference
    const { quotes, ...more } = await client.createQuote({ body } as unknown as InputOf<'createQuote'>)
    const outcome = quotes.length === 0 ? 'none' : 'quoted'
    return { ...blank(row.row, clientOrderReference), ...withoutNulls(more), outcome, quotes: byPrice(quotes) }
  } catch (error) {
    const given = 'value' in row && isRecord(row.value) ? row.value.clientOrderReference : undefined
    const reference = clientOrderReference ?? (typeof given === 'string' ? given : null)
    return { ...blank(row.row, reference), error: rowFailure(error) }
  }
}

function blank(row: number, clientOrderReference: string | null): QuotedRow {
  return { row, clientOrderReference, outcome: 'failed', quotes: [], expiresAt: null, noQuoteReason: null, error: null }
}

function withoutNulls(more: Omit<QuoteResponse, 'quotes'>): Partial<QuotedRow> {
  return Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null && value !== undefined))
}

function byPrice(quotes: QuoteResponse['quotes']): QuoteResponse['quotes'] {
  return quotes.toSorted((one, other) => one.totalPriceCents - other.totalPriceCents)
}
