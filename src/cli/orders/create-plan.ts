import type { Interfaces } from '@oclif/core'
import type { QuoteChoice } from '../../client/index.js'
import { DeliveryCreate, UsageError } from '../../contract/index.js'
import type { BulkFlags } from '../bulk/carry-out.js'
import { refuseTestValuesOnProduction } from '../command/production-guard.js'
import { parseStatus } from '../input/contract-words.js'
import type { Session } from '../session/session.js'
import { type OrderCompletion, orderAssignments } from './complete-order.js'
import type { FileReading, OrderFile } from './order-file.js'
import { centsOf, type OrderFlags, type priceFlags, quoteChoiceOf, windowEnds } from './order-flags.js'
import { ordersToCreate } from './order-source.js'
import { fileReading, type SpreadsheetFlags } from './sheets/column-map.js'

/** The flags of a command that creates orders. */
export type CreationFlags = Partial<OrderFlags> &
  SpreadsheetFlags &
  Interfaces.InferredFlags<typeof priceFlags> &
  BulkFlags & {
    from?: string | undefined
    quote?: string | undefined
    'idempotency-key'?: string | undefined
    'new-key': boolean
    wait?: string | undefined
  }

/** What holds for every order of the command. */
export interface CreationPlan {
  completion: OrderCompletion
  /** How a quote is chosen, if one is. */
  choice: QuoteChoice | undefined
  /** The limits of `--max-total` and `--max-tip`. */
  maxTotalCents: number | undefined
  maxTipCents: number | undefined
  /** How `--file` is read. */
  reading: FileReading
  /** Whether a person was asked for parts, who has to see the price and confirm. */
  isAsked: boolean
  /** The status that is waited for. */
  until: string | undefined
}

/** Flags that are about one order. */
const singleFlags = ['idempotency-key', 'quote', 'ref', 'wait'] as const

/** The orders that files and flags give, and the settings for all of them. Throws `UsageError` for what cannot be read. */
export async function planCreation(
  session: Session,
  flags: CreationFlags,
): Promise<{ file: OrderFile; plan: CreationPlan }> {
  const until = flags.wait === undefined ? undefined : parseStatus(flags.wait, '--wait', session.notices)
  const nowMs = await session.nowMsForOrder(windowEnds(flags), flags['dry-run'])
  const choice = quoteChoiceOf(flags)
  const maxTotalCents = centsOf(flags['max-total'], '--max-total')
  const maxTipCents = centsOf(flags['max-tip'], '--max-tip')
  const account = await session.account.settings()
  refuseTestValuesOnProduction(account, { idempotencyKey: flags['idempotency-key'] })
  const reading = await orderReading(session, flags)
  const { file, isAsked, flags: answered } = await ordersToCreate({ session, flags, reading, nowMs })
  const assignments = orderAssignments(answered, nowMs)
  const completion = { assignments, quoteId: flags.quote, forms: reading.forms, account }
  return { file, plan: { completion, choice, maxTotalCents, maxTipCents, reading, isAsked, until } }
}

/** How `--file` is read: one order with results of its own is a run of one row. */
export async function orderReading(session: Session, flags: CreationFlags): Promise<FileReading> {
  const reading = await fileReading(flags, DeliveryCreate, session)
  const keepsResults = flags.results !== undefined || flags.rejects !== undefined
  return { ...reading, asRows: keepsResults && singleFlags.every((flag) => flags[flag] === undefined) }
}

/** A single order keeps no results: its key and its reference make a repetition safe. */
export function refuseResults(flags: CreationFlags): void {
  for (const flag of ['results', 'rejects'] as const)
    if (flags[flag] !== undefined)
      throw new UsageError(`--${flag} is for the orders of a file, not for one order of flags.`, {
        hint: `Leave out --${flag}, or pass the order with --file and without ${singleFlags.map((one) => `--${one}`).join(', ')}.`,
      })
}

/** What is about one order makes no sense for several. */
export function refuseSingleFlags(flags: CreationFlags): void {
  for (const flag of singleFlags)
    if (flags[flag] !== undefined) throw new UsageError(`--${flag} is for one order, but this file contains several.`)
}
