import { Args, Flags } from '@oclif/core'
import { bulkFlags } from '../../cli/bulk/carry-out.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { dryRunFlag, yesFlag } from '../../cli/command/write-flags.js'
import { NamedCancelRow } from '../../cli/lookup/find-rows.js'
import { cancelMany, cancelOne } from '../../cli/orders/cancel.js'
import { tableFlags } from '../../cli/orders/sheets/column-map.js'
import { typedOrFile } from '../../cli/orders/sheets/row-input.js'
import type { CancelRequest, Delivery } from '../../contract/index.js'

const knownReason = 'customer_cancelled'

export default class CancelDelivery extends BaseCommand {
  static override summary = 'Cancel one delivery or many. A fee may apply.'
  static override description =
    'Running the same command again returns the same result and costs no second fee. --dry-run reads what cancelling costs now, and so does the question on a production profile. A delivery that has ended is a conflict (exit code 5). To cancel several, name them all. To cancel many, pass ids or order references, one per line, or rows of JSON or CSV with deliveryId or clientOrderReference, reason and reasonNotes, and profile for the account of each; run the same command to resume. In front of a word, id: and ref: say which it is; deliveryId is always an id.'
  static override examples = [
    '<%= config.bin %> deliveries cancel ORDER-1001 --dry-run',
    '<%= config.bin %> deliveries cancel ORDER-1001 --reason customer_cancelled',
    '<%= config.bin %> deliveries cancel del_01ABC --notes "Wrong address" --yes',
    '<%= config.bin %> deliveries cancel ORDER-1001 ORDER-1002 ORDER-1003',
    '<%= config.bin %> deliveries list --from 2h --status scheduled --all -q | <%= config.bin %> deliveries cancel - --yes',
    "<%= config.bin %> deliveries list --status scheduled --all -P 'acme-*' -o csv | <%= config.bin %> deliveries cancel -",
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
    const given = typedOrFile(args.id ?? [], flags.file)
    if (typeof given === 'string') {
      const { runByAccounts } = await import('../../cli/orders/sheets/by-account.js')
      if (await runByAccounts(this.session, { file: given, schema: NamedCancelRow, flags })) return undefined
    }
    const request = this.request(flags)
    const [name, ...others] = typeof given === 'string' ? [] : given
    if (name !== undefined && others.length === 0) return cancelOne(this.session, name, request, flags)
    return cancelMany(this.session, given, request, flags)
  }

  /** What the flags ask for. The contract shows one reason, and any may be given. */
  private request({ reason, notes }: { reason?: string | undefined; notes?: string | undefined }): CancelRequest {
    if (reason !== undefined && reason !== knownReason)
      this.session.notices.notice(`--reason: "${reason}" is not a reason that this version knows; it is used as it is.`)
    return {
      ...(reason === undefined ? {} : { reason }),
      ...(notes === undefined ? {} : { reasonNotes: notes }),
    }
  }
}
