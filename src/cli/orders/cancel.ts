import { cancelAction } from '../../bulk/index.js'
import { type Client, cancelKeyOf } from '../../client/index.js'
import { briefly } from '../../client/internal.js'
import { ApiError, CancelRequest, type Delivery, UsageError, withHint } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'
import { deliveryWord, shellWord } from '../../shared/command-words.js'
import { type BulkFlags, carryOutAll } from '../bulk/carry-out.js'
import { schemaChecks } from '../bulk/dry-run-rows.js'
import { unknownFields } from '../bulk/preflight.js'
import { NamedCancelRow, namedRows } from '../lookup/find-rows.js'
import type { RequestEffect } from '../session/dry-run.js'
import type { Session } from '../session/session.js'
import {
  cancellationCost,
  cancellationEffects,
  costDetails,
  costSentence,
  dryRunCost,
  FeeSum,
} from './cancellation-cost.js'
import { fileReading, type SpreadsheetFlags } from './sheets/column-map.js'
import { givenRows } from './sheets/row-input.js'

/** The flags of a command that cancels deliveries. */
type CancelFlags = BulkFlags & SpreadsheetFlags & { 'idempotency-key'?: string | undefined }

/** Cancels the delivery that a name leads to. A repetition returns the same result, and costs no second fee. */
export async function cancelOne(
  session: Session,
  name: string,
  body: CancelRequest,
  flags: CancelFlags,
): Promise<Delivery | undefined> {
  session.output.checkColumns(deliveryView)
  const client = await session.client()
  const { deliveryId } = await session.named(name, client, { forWrite: true, isSaid: flags['dry-run'] })
  const idempotencyKey = flags['idempotency-key'] ?? cancelKeyOf({ deliveryId, body })
  const input = { deliveryId, idempotencyKey, ...(Object.keys(body).length === 0 ? {} : { body }) }
  if (flags['dry-run']) return session.dryRun('cancelDelivery', input, await shownCost(session, client, deliveryId))
  const details = async (mayAsk: boolean) =>
    mayAsk ? costDetails(await cancellationCost(client, deliveryId, briefly)) : ''
  if (!(await session.account.confirmOnProduction(`Cancel ${deliveryId}`, flags.yes, details))) return undefined
  const look = `dlv deliveries get ${shellWord(deliveryWord(deliveryId))}`
  const cancel = () => client.call('cancelDelivery', input).catch((error) => refusalOfEnded(client, deliveryId, error))
  const { value: delivery, replayed, wasLost } = await session.sendWrite(cancel, { look })
  if (replayed && !wasLost) session.notices.notice('Already cancelled; showing the original result.')
  await session.show(deliveryView, delivery)
  return delivery
}

/** Says what cancelling costs now. */
async function shownCost(session: Session, client: Client, deliveryId: string): Promise<RequestEffect> {
  const cost = await dryRunCost(client, deliveryId, briefly)
  session.notices.notice(costSentence(cost))
  return { cancellationFeeCents: cost?.feeCents ?? null }
}

/** The refusal of a cancellation; of a delivery that was cancelled before, it says so. */
async function refusalOfEnded(client: Client, deliveryId: string, error: unknown): Promise<never> {
  if (!(error instanceof ApiError) || error.code !== 'INVALID_STATE_TRANSITION') throw error
  const now = await client.getDelivery({ deliveryId }, briefly).catch(() => undefined)
  if (now?.status !== 'cancelled') throw error
  const look = `dlv deliveries get ${shellWord(deliveryWord(deliveryId))}`
  throw withHint(error, `It is cancelled already, with the reason that it was given then. Next: ${look}`)
}

/**
 * Cancels the deliveries of a file, or those that are named: names become ids (`namedRows`), the rows are checked, what
 * cancelling costs now is summed for the question (`cancellationEffects`), and each is cancelled once (`cancelAction`).
 *
 * @param given the name of a file, or the names of deliveries
 */
export async function cancelMany(
  session: Session,
  given: string | readonly string[],
  request: CancelRequest,
  flags: CancelFlags,
): Promise<undefined> {
  if (flags['idempotency-key'] !== undefined)
    throw new UsageError('--idempotency-key is for one delivery; a bulk run derives a key for each.')
  const reading = await fileReading(flags, NamedCancelRow, session)
  const input = givenRows(session.context, given, NamedCancelRow)
  const checks = schemaChecks(CancelRequest)
  const charged = new FeeSum()
  await carryOutAll(
    session,
    {
      operation: 'cancelDelivery',
      rows: {
        source: input.source,
        open: (client) => namedRows(input.open(reading), client, session.naming(true)),
        ...(input.isReadOnce ? { again: 'never' } : {}),
        reading,
      },
      judge: {
        action: (client) =>
          cancelAction(client, {
            request,
            onCancelled: ({ pricing }) => {
              if (pricing?.cancellationFeeCents != null)
                charged.addCents(pricing.cancellationFeeCents, pricing.currency ?? undefined)
            },
          }),
        check: ({ body }) => checks(body),
        warn: (row) => unknownFields(row, NamedCancelRow, 'a cancellation'),
      },
      effects: {
        question: input.isNamed
          ? `Cancel ${given.length.toLocaleString('en-US')} ${given.length === 1 ? 'delivery' : 'deliveries'}`
          : 'Cancel every delivery of the input',
        of: (client, isDryRun) => cancellationEffects(client, isDryRun),
      },
    },
    flags,
  )
  if (!charged.isEmpty) session.notices.notice(`Cancellation fees of this run: ${charged.amount}.`)
  return undefined
}
