import { Args, Flags } from '@oclif/core'
import { UpdateRow, updateAction } from '../../bulk/index.js'
import { mayRaisePrice, refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { dryRunFlag, repeatable, yesFlag } from '../../cli/command/write-flags.js'
import { BulkCommand, type BulkFlags, bulkFlags } from '../../cli/deliveries/bulk-command.js'
import { schemaChecks } from '../../cli/deliveries/dry-run-rows.js'
import { throwRefusal, updateEffects, updateRefusal } from '../../cli/deliveries/effects/update-effects.js'
import { ageCheckWarnings, orderWarnings } from '../../cli/deliveries/preflight.js'
import { silentNotices } from '../../cli/deliveries/rows/table-reading.js'
import { isReadOnce } from '../../cli/input/source.js'
import { besideName, namedRows, unnamedRows } from '../../cli/naming/named-rows.js'
import { fileReading, type SpreadsheetFlags, spreadsheetFlags } from '../../cli/orders/column-map.js'
import { assertInstallationGiven, movedRows } from '../../cli/orders/moved-rows.js'
import { centsOf, maxTipFlag, type OrderFlags, orderFlags, windowEnds } from '../../cli/orders/order-flags.js'
import {
  admitOrder,
  type FileReading,
  KeptValues,
  orderCompleter,
  readSingleOrder,
} from '../../cli/orders/order-input.js'
import { changedRows, openRows, wordRows } from '../../cli/orders/row-input.js'
import { withForms } from '../../cli/orders/us-forms.js'
import type { PromiseLedger } from '../../cli/promises/promise-ledger.js'
import { type Delivery, DeliveryUpdate, type InputOf, UsageError, withoutMarks } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'
import { plannedChanges, updateChanges } from '../../render/update-changes.js'
import { deliveryWord } from '../../shared/delivery-word.js'
import { movesWithoutInstallation } from '../../shared/order-guards.js'
import { shellWord } from '../../shared/shell-word.js'

/** The answers of a run that the archive takes at its end; of more, the next events tell. */
const archivedMost = 5_000

export default class UpdateDelivery extends BulkCommand {
  static override summary = 'Update one delivery or many.'
  static override description =
    'Objects are merged, arrays are replaced, and --clear removes a field. After pickup only the instructions, contact phone and tip can change. Any update of a delivery in dispatch_failed dispatches it again. On a terminal it shows what changed, and the price. To update several alike, name them all. To update many, pass rows of JSON or CSV with deliveryId or clientOrderReference and the fields to change, or ids or order references, one per line, with flags that apply to all. In front of a word, id: and ref: say which it is.'
  static override examples = [
    '<%= config.bin %> deliveries update ORDER-1001 --instructions "Ring twice"',
    '<%= config.bin %> deliveries update del_01ABC --room 214 --set package.itemsCount=3 --clear dropoff.instructions',
    '<%= config.bin %> deliveries update ORDER-1001 ORDER-1002 --window +2h/+4h',
    'echo \'{"tipAmountCents": 500}\' | <%= config.bin %> deliveries update del_01ABC --file -',
    '<%= config.bin %> deliveries update --file changes.csv --results results.ndjson',
    '<%= config.bin %> deliveries list --from 2h --all -q | <%= config.bin %> deliveries update - --tip-cents 500',
  ]
  static override args = {
    id: Args.string({
      description: 'Delivery ids or order references; - reads them, or rows, from standard input',
      ignoreStdin: true,
      multiple: true,
    }),
  }
  static override flags = {
    ...orderFlags,
    ...spreadsheetFlags,
    'no-installation': Flags.boolean({
      summary: 'The address is on no installation any more',
      description:
        'Removes dropoff.installation; with a new address, the building, room and delivery point too. A new address for a delivery on an installation needs this flag or --installation. In a file of several, rows with an installation of their own keep it.',
      helpGroup: 'order',
      exclusive: ['installation', 'gate'],
    }),
    clear: Flags.string({
      summary: 'Remove a field',
      description: 'In a file of several, rows that give the field a value keep it.',
      helpValue: 'PATH',
      ...repeatable,
      helpGroup: 'order',
    }),
    ...maxTipFlag,
    ...bulkFlags,
    ...yesFlag,
    ...dryRunFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { args, flags } = await this.parse(UpdateDelivery)
    const names = args.id ?? []
    const [name] = names
    if (name === undefined || names.includes('-') || names.length > 1) {
      if (names.length > 1 && (names.includes('-') || flags.file !== undefined))
        throw new UsageError(`Use either delivery ids or ${names.includes('-') ? '-' : '--file'}, not both.`)
      return this.updateAll(names.length > 1 ? names : (name ?? flags.file), flags)
    }
    const nowMs = await this.session.nowMsForOrder(windowEnds(flags), flags['dry-run'] ?? false)
    const reading = await this.reading(flags)
    const given = await readSingleOrder(this.session.context, flags, reading)
    const patch = withoutMarks(withForms(orderCompleter(flags, nowMs)(given), reading.forms))
    this.sayClocks(reading.forms)
    if (Object.keys(patch).length === 0 && flags.file === undefined)
      throw new UsageError('No changes given.', { hint: 'Use --set path=value, --clear path or --file.' })
    const maxTipCents = centsOf(flags['max-tip'], '--max-tip')
    admitOrder(patch, this.session.notices, {
      purpose: 'update',
      maxTipCents,
      nowMs: flags['dry-run'] ? nowMs : undefined,
    })
    this.session.output.checkColumns(deliveryView)
    const settings = await this.session.account.settings()
    refuseTestValuesOnProduction(settings, patch)
    const client = await this.session.client()
    const { deliveryId } = await this.session.named(name, client, { forWrite: true, isSaid: flags['dry-run'] })
    let read: Promise<Delivery> | undefined
    const current = () => {
      read ??= client.getDelivery({ deliveryId })
      return read
    }
    if (movesWithoutInstallation(patch)) assertInstallationGiven(patch, await current())
    const input = { deliveryId, body: patch } as InputOf<'updateDelivery'>
    if (flags['dry-run']) {
      throwRefusal(updateRefusal(await current(), patch))
      return this.session.dryRun('updateDelivery', input)
    }
    const question = `Change the tip or the package of ${deliveryId}`
    const details = async (mayAsk: boolean) => plannedChanges(patch, mayAsk ? await current() : undefined)
    if (mayRaisePrice(patch) && !(await this.session.account.confirmOnProduction(question, flags.yes, details)))
      return undefined
    // Only people read what changed; a script gets the service's own object, for one request.
    const before = this.session.output.forPeople ? await current() : undefined
    const look = `dlv deliveries get ${shellWord(deliveryWord(deliveryId))}`
    const delivery = await this.session.sent(() => client.updateDelivery(input), { look })
    const promises = await this.session.account.promises()
    promises.moved(delivery, patch)
    await this.archived([delivery], promises)
    await this.session.show(deliveryView, delivery)
    if (before !== undefined)
      await this.session.output.text(`\n${updateChanges(patch, before, delivery, this.session.output.style)}`)
    return delivery
  }

  private reading(flags: SpreadsheetFlags): Promise<FileReading> {
    return fileReading(flags, UpdateRow, { context: this.session.context, notices: this.session.notices })
  }

  private async updateAll(
    given: string | readonly string[] | undefined,
    flags: BulkFlags &
      Partial<OrderFlags> &
      SpreadsheetFlags & {
        clear?: string[] | undefined
        'max-tip'?: string | undefined
        'no-installation': boolean
      },
  ): Promise<undefined> {
    if (given === undefined)
      throw new UsageError('No delivery given.', {
        hint: 'Pass its id or reference; for many, --file FILE or - for standard input.',
      })
    if (given === '-' && flags.file !== undefined && flags.file !== '-')
      throw new UsageError('Use either --file or -, not both.')
    if (flags.ref !== undefined) throw new UsageError('--ref is for one delivery, because references are unique.')
    const nowMs = await this.session.nowMsForOrder(windowEnds(flags), flags['dry-run'] ?? false)
    const settings = await this.session.account.settings()
    const reading = await this.reading(flags)
    const completed = orderCompleter(flags, nowMs)
    if (typeof given !== 'string' && Object.keys(completed({})).length === 0)
      throw new UsageError('No changes given.', { hint: 'Use --set path=value or --clear path.' })
    const rules = { purpose: 'update', maxTipCents: centsOf(flags['max-tip'], '--max-tip') } as const
    const kept = new KeptValues('update', reading.forms?.clocks)
    const change = (value: unknown) => {
      const row = withForms(completed(value, kept), reading.forms)
      refuseTestValuesOnProduction(settings, row)
      return row
    }
    const open = (how: FileReading) =>
      changedRows(
        typeof given === 'string' ? openRows(this.session.context, given, UpdateRow, how) : wordRows(given),
        besideName(change),
        kept,
      )
    const readsOnce = typeof given === 'string' && isReadOnce(this.session.context, given)
    const promises = await this.session.account.promises()
    const checks = schemaChecks(DeliveryUpdate, rules)
    const changed: Delivery[] = []
    await this.carryOutAll(
      {
        rows: (client) => movedRows(namedRows(open(reading), client, this.session.naming(true)), client),
        look: readsOnce ? 'never' : () => Promise.resolve(unnamedRows(open({ ...reading, ...silentNotices }))),
        looksAtAll: 'for the question',
        looksLocally: true,
        source: typeof given !== 'string' || readsOnce ? '-' : given,
        question:
          typeof given === 'string' ? 'Change every delivery of the input' : `Change ${given.length} deliveries`,
        action: (client) =>
          updateAction(client, (delivery, body) => {
            promises.moved(delivery, body)
            if (changed.length < archivedMost) changed.push(delivery)
          }),
        check: ({ body }, atMs) => checks(body, atMs),
        warn: (row) => [...orderWarnings(row, UpdateRow), ...ageCheckWarnings(row)],
        nowMs,
        kept,
        columns: reading.columns,
        effects: updateEffects,
      },
      flags,
    )
    await this.archived(changed, promises)
    return undefined
  }

  /** The archive has the answers at once. */
  private async archived(deliveries: readonly Delivery[], promises: PromiseLedger): Promise<void> {
    promises.flush()
    const { dataDir } = this.config
    const { archiveAnswers } = await import('../../cli/archive/archive-service.js')
    await archiveAnswers(deliveries, {
      dataDir,
      account: await this.session.account.dataName(),
      nowMs: this.session.context.nowMs,
    })
  }
}
