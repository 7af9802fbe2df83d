import { Args, Flags } from '@oclif/core'
import { UpdateRow } from '../../bulk/index.js'
import { bulkFlags } from '../../cli/bulk/carry-out.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { dryRunFlag, repeatable, yesFlag } from '../../cli/command/write-flags.js'
import { maxTipFlag, orderFlags } from '../../cli/orders/order-flags.js'
import { spreadsheetFlags } from '../../cli/orders/sheets/column-map.js'
import { typedOrFile } from '../../cli/orders/sheets/row-input.js'
import { updateMany, updateOne } from '../../cli/orders/update.js'
import type { Delivery } from '../../contract/index.js'

export default class UpdateDelivery extends BaseCommand {
  static override summary = 'Update one delivery or many.'
  static override description =
    'Objects are merged, arrays are replaced, and --clear removes a field. After pickup only the instructions, contact phone and tip can change. Any update of a delivery in dispatch_failed dispatches it again. On a terminal it shows what changed, and the price. To update several alike, name them all. To update many, pass rows of JSON or CSV with deliveryId or clientOrderReference and the fields to change, or ids or order references, one per line, with flags that apply to all. A column profile names the account of each row. In front of a word, id: and ref: say which it is.'
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
    const [name, ...others] = names
    if (name !== undefined && name !== '-' && others.length === 0) return updateOne(this.session, name, flags)
    const given = typedOrFile(names, flags.file)
    if (typeof given === 'string') {
      const { runByAccounts } = await import('../../cli/orders/sheets/by-account.js')
      if (await runByAccounts(this.session, { file: given, schema: UpdateRow, flags })) return undefined
    }
    return updateMany(this.session, given, flags)
  }
}
