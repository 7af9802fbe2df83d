import { Args, Flags } from '@oclif/core'
import { CancelRow, cancelAction } from '../../bulk/index.js'
import { dryRunFlag, yesFlag } from '../../cli/command/write-flags.js'
import { BulkCommand, type BulkFlags, bulkFlags } from '../../cli/deliveries/bulk-command.js'
import { schemaChecks } from '../../cli/deliveries/dry-run-rows.js'
import { openRows } from '../../cli/deliveries/row-input.js'
import { cancelKeyOf } from '../../client/index.js'
import { CancelRequest, type Delivery, UsageError } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'

export default class CancelDelivery extends BulkCommand {
  static override summary = 'Cancel one delivery or many. A fee may apply.'
  static override description =
    'Running the same command again returns the same result and costs no second fee. A delivery that has ended is a conflict (exit code 5). To cancel many, pass ids, one per line, or rows of JSON or CSV with deliveryId, reason and reasonNotes; run the same command to resume.'
  static override examples = [
    '<%= config.bin %> deliveries cancel del_01ABC --reason customer_cancelled',
    '<%= config.bin %> deliveries cancel del_01ABC --notes "Wrong address" --yes',
    '<%= config.bin %> deliveries list --from 2h --status scheduled --all -q | <%= config.bin %> deliveries cancel - --yes',
    '<%= config.bin %> deliveries cancel --file cancellations.csv --results results.ndjson',
  ]
  static override args = {
    id: Args.string({ description: 'Delivery id; - reads ids or rows from standard input', ignoreStdin: true }),
  }
  static override flags = {
    file: Flags.string({ char: 'f', summary: 'File of ids or rows; - for standard input', helpValue: 'FILE' }),
    reason: Flags.string({ summary: 'Reason for reports, such as customer_cancelled', helpValue: 'REASON' }),
    notes: Flags.string({ summary: 'Notes for reports (reasonNotes)', helpValue: 'TEXT' }),
    'idempotency-key': Flags.string({
      summary: 'Idempotency key (default: derived from the request)',
      helpValue: 'KEY',
    }),
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
    const source = flags.file ?? (args.id === '-' ? '-' : undefined)
    if (source !== undefined) {
      if (flags['idempotency-key'] !== undefined)
        throw new UsageError('--idempotency-key is for one delivery; a bulk run derives a key for each.')
      if (args.id !== undefined && args.id !== '-')
        throw new UsageError('Use either a delivery id or --file, not both.')
      return this.cancelAll(source, body, flags)
    }
    const { id: deliveryId } = args
    if (deliveryId === undefined)
      throw new UsageError('No delivery given.', {
        hint: 'Pass its id; for many, --file FILE or - for standard input.',
      })
    this.output.checkColumns(deliveryView)
    const settings = await this.settings()
    const idempotencyKey = flags['idempotency-key'] ?? cancelKeyOf({ profile: settings.profile, deliveryId, body })
    const input = { deliveryId, idempotencyKey, ...(Object.keys(body).length === 0 ? {} : { body }) }
    if (flags['dry-run']) return this.dryRun('cancelDelivery', input)
    if (!(await this.confirmOnProduction(`Cancel ${deliveryId}`, flags.yes))) return undefined
    const client = await this.api()
    const { value: delivery, replayed } = await client.call('cancelDelivery', input)
    if (replayed) this.notices.notice('Already cancelled; showing the original result.')
    await this.show(deliveryView, delivery)
    return delivery
  }

  private cancelAll(source: string, request: CancelRequest, flags: BulkFlags) {
    const checks = schemaChecks(CancelRequest, this.nowMs())
    return this.carryOutAll(
      {
        rows: openRows(this.context, source, CancelRow),
        source,
        question: 'Cancel every delivery of the input',
        action: (client, profile) => cancelAction(client, { profile, request }),
        check: ({ body }) => checks(body),
      },
      flags,
    )
  }
}
