import { Args, Flags } from '@oclif/core'
import { cancelAction } from '../../bulk/index.js'
import { dryRunFlag, yesFlag } from '../../cli/command/write-flags.js'
import { BulkCommand, type BulkFlags, bulkFlags } from '../../cli/deliveries/bulk-command.js'
import { schemaChecks } from '../../cli/deliveries/dry-run-rows.js'
import {
  cancellationCost,
  cancellationEffects,
  costDetails,
  costSentence,
  dryRunCost,
  FeeSum,
} from '../../cli/deliveries/effects/cancellation-cost.js'
import { unknownFields } from '../../cli/deliveries/preflight.js'
import { isReadOnce } from '../../cli/input/source.js'
import { NamedCancelRow, namedRows } from '../../cli/naming/named-rows.js'
import { fileReading, type SpreadsheetFlags, tableFlags } from '../../cli/orders/column-map.js'
import { openRows, wordRows } from '../../cli/orders/row-input.js'
import type { RequestEffect } from '../../cli/session/dry-run.js'
import { type Client, cancelKeyOf } from '../../client/index.js'
import { withHint } from '../../client/internal.js'
import { ApiError, CancelRequest, type Delivery, UsageError } from '../../contract/index.js'
import { keyScope } from '../../profiles/index.js'
import { deliveryView } from '../../render/delivery-view.js'
import { deliveryWord } from '../../shared/delivery-word.js'
import { shellWord } from '../../shared/shell-word.js'

const knownReason = 'customer_cancelled'

/** Timeout for the fee that the question shows, which is optional. */
const briefly = { timeoutMs: 5_000, retries: { maxRetries: 0 } }

export default class CancelDelivery extends BulkCommand {
  static override summary = 'Cancel one delivery or many. A fee may apply.'
  static override description =
    'Running the same command again returns the same result and costs no second fee. --dry-run reads what cancelling costs now, and so does the question on a production profile. A delivery that has ended is a conflict (exit code 5). To cancel several, name them all. To cancel many, pass ids or order references, one per line, or rows of JSON or CSV with deliveryId or clientOrderReference, reason and reasonNotes; run the same command to resume. In front of a word, id: and ref: say which it is; deliveryId is always an id.'
  static override examples = [
    '<%= config.bin %> deliveries cancel ORDER-1001 --dry-run',
    '<%= config.bin %> deliveries cancel ORDER-1001 --reason customer_cancelled',
    '<%= config.bin %> deliveries cancel del_01ABC --notes "Wrong address" --yes',
    '<%= config.bin %> deliveries cancel ORDER-1001 ORDER-1002 ORDER-1003',
    '<%= config.bin %> deliveries list --from 2h --status scheduled --all -q | <%= config.bin %> deliveries cancel - --yes',
    '<%= config.bin %> deliveries cancel --file cancellations.csv --results results.ndjson',
  ]
  static override args = {
    id: Args.string({
      description: 'Delivery ids or order references; - reads them, or rows, from standard input',
      ignoreStdin: true,
      multiple: true,
    }),
  }
  static override flags = {
    file: Flags.string({ char: 'f', summary: 'File of ids or rows; - for standard input', helpValue: 'FILE' }),
    reason: Flags.string({ summary: 'Reason for reports, such as customer_cancelled', helpValue: 'REASON' }),
    notes: Flags.string({ summary: 'Notes for reports (reasonNotes)', helpValue: 'TEXT' }),
    'idempotency-key': Flags.string({
      summary: 'Idempotency key (default: derived from the request)',
      helpValue: 'KEY',
    }),
    ...tableFlags,
    ...bulkFlags,
    ...yesFlag,
    ...dryRunFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { args, flags } = await this.parse(CancelDelivery)
    const body = {
      ...(flags.reason === undefined ? {} : { reason: flags.reason }),
      ...(flags.notes === undefined ? {} : { reasonNotes: flags.notes }),
    }
    this.checkReason(flags.reason)
    const names = args.id ?? []
    const [name] = names
    const source = flags.file ?? (names.includes('-') ? '-' : undefined)
    if (source !== undefined || names.length > 1) {
      if (flags['idempotency-key'] !== undefined)
        throw new UsageError('--idempotency-key is for one delivery; a bulk run derives a key for each.')
      if (source !== undefined && names.some((one) => one !== '-'))
        throw new UsageError(`Use either delivery ids or ${flags.file === undefined ? '-' : '--file'}, not both.`)
      return this.cancelAll(source ?? names, body, flags)
    }
    if (name === undefined)
      throw new UsageError('No delivery given.', {
        hint: 'Pass its id or reference; for many, --file FILE or - for standard input.',
      })
    this.session.output.checkColumns(deliveryView)
    const client = await this.session.client()
    const { deliveryId } = await this.session.named(name, client, { forWrite: true, isSaid: flags['dry-run'] })
    const idempotencyKey = flags['idempotency-key'] ?? cancelKeyOf({ profile: keyScope, deliveryId, body })
    const input = { deliveryId, idempotencyKey, ...(Object.keys(body).length === 0 ? {} : { body }) }
    if (flags['dry-run']) return this.session.dryRun('cancelDelivery', input, await this.shownCost(client, deliveryId))
    const details = async (mayAsk: boolean) =>
      mayAsk ? costDetails(await cancellationCost(client, deliveryId, briefly)) : ''
    if (!(await this.session.account.confirmOnProduction(`Cancel ${deliveryId}`, flags.yes, details))) return undefined
    const look = `dlv deliveries get ${shellWord(deliveryWord(deliveryId))}`
    const cancel = () =>
      client.call('cancelDelivery', input).catch((error) => refusalOfEnded(client, deliveryId, error))
    const { value: delivery, replayed, wasLost } = await this.session.sent(cancel, { look })
    if (replayed && !wasLost) this.session.notices.notice('Already cancelled; showing the original result.')
    await this.session.show(deliveryView, delivery)
    return delivery
  }

  /** The contract shows one reason, and any may be given. */
  private checkReason(reason: string | undefined): void {
    if (reason === undefined || reason === knownReason) return
    this.session.notices.notice(`--reason: "${reason}" is not a reason that this version knows; it is used as it is.`)
  }

  /** Says what cancelling costs now. */
  private async shownCost(client: Client, deliveryId: string): Promise<RequestEffect> {
    const cost = await dryRunCost(client, deliveryId, briefly)
    this.session.notices.notice(costSentence(cost))
    return { cancellationFeeCents: cost?.feeCents ?? null }
  }

  /** Cancels the deliveries of a file, or those that are named. */
  private async cancelAll(
    given: string | readonly string[],
    request: CancelRequest,
    flags: BulkFlags & SpreadsheetFlags,
  ): Promise<undefined> {
    const reading = await fileReading(flags, NamedCancelRow, {
      context: this.session.context,
      notices: this.session.notices,
    })
    const open = () =>
      typeof given === 'string' ? openRows(this.session.context, given, NamedCancelRow, reading) : wordRows(given)
    const checks = schemaChecks(CancelRequest)
    const readsOnce = typeof given === 'string' && isReadOnce(this.session.context, given)
    const charged = new FeeSum()
    await this.carryOutAll(
      {
        rows: (client) => namedRows(open(), client, this.session.naming(true)),
        ...(readsOnce ? { look: 'never' } : {}),
        source: typeof given !== 'string' || readsOnce ? '-' : given,
        question:
          typeof given === 'string' ? 'Cancel every delivery of the input' : `Cancel ${given.length} deliveries`,
        action: (client) =>
          cancelAction(client, {
            profile: keyScope,
            request,
            onCancelled: ({ pricing }) => {
              if (pricing?.cancellationFeeCents != null)
                charged.addCents(pricing.cancellationFeeCents, pricing.currency ?? undefined)
            },
          }),
        columns: reading.columns,
        check: ({ body }) => checks(body),
        warn: (row) => unknownFields(row, NamedCancelRow, 'a cancellation'),
        effects: (client, isDryRun) => cancellationEffects(client, isDryRun),
      },
      flags,
    )
    if (!charged.isEmpty) this.session.notices.notice(`Cancellation fees of this run: ${charged.amount}.`)
    return undefined
  }
}

/** The refusal of a cancellation; of a delivery that was cancelled before, it says so. */
async function refusalOfEnded(client: Client, deliveryId: string, error: unknown): Promise<never> {
  if (!(error instanceof ApiError) || error.code !== 'INVALID_STATE_TRANSITION') throw error
  const now = await client.getDelivery({ deliveryId }, briefly).catch(() => undefined)
  if (now?.status !== 'cancelled') throw error
  const look = `dlv deliveries get ${shellWord(deliveryWord(deliveryId))}`
  throw withHint(error, `It is cancelled already, with the reason that it was given then. Next: ${look}`)
}
