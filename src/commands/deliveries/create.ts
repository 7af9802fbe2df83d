import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/api-command.js'
import { bulkRun, defaultResultsFile, runSentence } from '../../cli/bulk-run.js'
import { createOnce } from '../../cli/create-once.js'
import { dryRun } from '../../cli/dry-run.js'
import { parseDurationMs } from '../../cli/durations.js'
import type { ExitCode } from '../../cli/exit-codes.js'
import { refuseMagicOnProduction } from '../../cli/guard.js'
import { takeSignals } from '../../cli/interruption.js'
import { changedRows } from '../../cli/order-file.js'
import { orderFlags } from '../../cli/order-flags.js'
import { admitOrder, completeOrder, readOrders } from '../../cli/order-input.js'
import { showWatch } from '../../cli/show-watch.js'
import { dryRunFlag, yesFlag } from '../../cli/write-flags.js'
import {
  createAction,
  createPacer,
  idempotencyKeyOf,
  newIdempotencyKey,
  type Rows,
  runExitCode,
} from '../../client/index.js'
import { type Delivery, type InputOf, UsageError } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'

export default class CreateDelivery extends ApiCommand {
  static override summary = 'Create and dispatch a delivery, or a file of them.'
  static override description =
    'The Idempotency-Key comes from the order itself: the same command again, after a time-out or a crash, dispatches no second driver. An array, NDJSON or CSV is a bulk run; its record resumes it.'
  static override examples = [
    '<%= config.bin %> deliveries create --file order.json',
    '<%= config.bin %> deliveries create --file order.json --set dropoff.instructions="Ring twice" --wait delivered',
    '<%= config.bin %> deliveries create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301" --name "Maya Reyes" --phone +19105550123 --ref ORDER-1001',
    'generate-order | <%= config.bin %> deliveries create --file - --json | jq -r .deliveryId',
    '<%= config.bin %> deliveries create --file orders.csv --results results.ndjson',
    '<%= config.bin %> deliveries create --file order.json --dry-run',
  ]
  static override flags = {
    ...orderFlags,
    quote: Flags.string({ summary: 'quoteId of a quote', helpValue: 'ID', helpGroup: 'order' }),
    'idempotency-key': Flags.string({ summary: 'Use this key (one order)', helpValue: 'KEY', exclusive: ['new-key'] }),
    'new-key': Flags.boolean({ summary: 'Use a key that nothing else has' }),
    wait: Flags.string({ summary: 'Follow it to this status; 9 where it ends elsewhere', helpValue: 'STATUS' }),
    concurrency: Flags.integer({ summary: 'Run: requests in flight at most (default 64)', min: 1, max: 1_024 }),
    results: Flags.string({ summary: 'Run: file of the results, from which it resumes', helpValue: 'FILE' }),
    ...dryRunFlag,
    ...yesFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { flags } = await this.parse(CreateDelivery)
    const nowMs = Date.now()
    const settings = await this.settings()
    const file = await readOrders(flags)
    const complete = (value: unknown) => {
      const order = completeOrder(value, flags, nowMs)
      refuseMagicOnProduction(settings, order)
      return flags.quote === undefined ? order : { ...order, quoteId: flags.quote }
    }
    if (file.kind === 'run') {
      await this.createAll(changedRows(file.rows, complete), flags)
      return undefined
    }
    const order = complete(file.order)
    admitOrder(order, this.notices, nowMs)
    const derived = () => idempotencyKeyOf({ profile: settings.profile, order })
    const idempotencyKey = flags['idempotency-key'] ?? (flags['new-key'] ? newIdempotencyKey() : derived())
    const input = { body: order, idempotencyKey } as unknown as InputOf<'createDelivery'>
    if (flags['dry-run']) return dryRun(this.output, settings, 'createDelivery', input)
    const client = await this.api()
    const { delivery, outcome } = await createOnce(client, input)
    if (outcome !== 'created') this.notices.notice(`Nothing new was dispatched: this order is ${outcome}.`)
    await this.show(deliveryView, delivery)
    if (flags.wait !== undefined) {
      const options = { until: flags.wait, signal: takeSignals() }
      const watching = await this.watchingApi(options.signal)
      this.endWith(await showWatch(watching, delivery.deliveryId, options, this.output, this.notices, true))
    }
    return delivery
  }

  private async createAll(rows: Rows, flags: RunFlags): Promise<void> {
    for (const flag of ['idempotency-key', 'ref', 'wait', 'dry-run'] as const)
      if (flags[flag]) throw new UsageError(`--${flag} is for one order; this file holds several.`)
    if (!(await this.confirmOnProduction('Create every order of this file', flags.yes))) return
    const { profile } = await this.settings()
    const { timeout, 'attempt-timeout': attemptTimeout } = this.globalFlags
    const pacer = createPacer()
    const signal = takeSignals()
    const client = await this.api({ pacer })
    const summary = await bulkRun(
      {
        rows,
        client,
        pacer,
        profile,
        signal,
        action: createAction(client, { profile, newKeys: flags['new-key'] }),
        resultsFile: flags.results ?? defaultResultsFile(flags.file ?? '-', this.config.dataDir, Date.now()),
        concurrency: flags.concurrency,
        timeoutMs: timeout === undefined ? undefined : parseDurationMs(timeout, '--timeout'),
        attemptTimeoutMs:
          attemptTimeout === undefined ? undefined : parseDurationMs(attemptTimeout, '--attempt-timeout'),
      },
      this.output,
      this.notices,
    )
    this.notices.notice(runSentence(summary))
    this.endWith(runExitCode(summary) as ExitCode)
  }
}

interface RunFlags {
  file?: string | undefined
  ref?: string | undefined
  wait?: string | undefined
  results?: string | undefined
  concurrency?: number | undefined
  'idempotency-key'?: string | undefined
  'new-key': boolean
  'dry-run': boolean
  yes: boolean
}
