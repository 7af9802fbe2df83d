import { DeliveryCreate, type InputOf, type QuoteResponse, UsageError, withoutMarks } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { noQuoteText, quoteView } from '../../render/quote-view.js'
import { refuseTestValuesOnProduction } from '../command/production-guard.js'
import { InstallationNames } from '../installations/order-names.js'
import type { Session } from '../session/session.js'
import { completedOrder, type OrderCompletion, orderAssignments } from './complete-order.js'
import { admitOrder, sayClocks } from './judge-order.js'
import { type OrderFile, readOrders } from './order-file.js'
import { fieldFlags, type OrderFlags, windowEnds } from './order-flags.js'
import { fileReading, type SpreadsheetFlags } from './sheets/column-map.js'

/** The flags of a command that quotes orders. */
export type QuotingFlags = Partial<OrderFlags> & SpreadsheetFlags & { 'dry-run': boolean }

/** What holds for every order that is quoted. */
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
