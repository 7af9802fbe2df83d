import { Args } from '@oclif/core'
import { isArchive, tableRecords } from '../../bulk/internal.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { readInputBytes } from '../../cli/input/read.js'
import { tableFlags } from '../../cli/orders/column-map.js'
import { headerLikeness, type Proposal, type ProposedMap, proposeMap } from '../../cli/orders/propose-map.js'
import { UsageError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { shellWord } from '../../shared/command-words.js'

/** The flags that set what a sheet lacks. */
const flagsOf: Readonly<Record<string, string>> = {
  clientOrderReference: '--map "COLUMN=clientOrderReference"',
  'pickup.storeReference': '--store STORE',
  'dropoff.contactName': '--name NAME',
  'dropoff.contactPhone': '--phone PHONE',
  'dropoff.address': '--to ADDRESS',
}

export default class MapDeliveries extends BaseCommand {
  static override summary = 'Propose the mapping of a sheet that has none.'
  static override description =
    'Looks at the columns and values of a CSV or workbook, and prints a mapping for --map-file; what it found, doubts and misses goes to standard error. Exports of Shopify, WooCommerce, Etsy, eBay, Amazon, Square and Onfleet are known by their columns, others are judged by names and values. Nothing is sent.'
  static override examples = [
    '<%= config.bin %> deliveries map orders_export.csv > shop.map.json',
    '<%= config.bin %> deliveries map orders.xlsx --sheet Orders > shop.map.json',
    '<%= config.bin %> deliveries create --file orders_export.csv --map-file shop.map.json --store STORE-001 --dry-run',
  ]
  static override args = { file: Args.string({ description: 'CSV or workbook; - for standard input', required: true }) }
  static override flags = {
    encoding: tableFlags.encoding,
    skip: tableFlags.skip,
    sheet: tableFlags.sheet,
  }

  async run(): Promise<ProposedMap> {
    const { args, flags } = await this.parse(MapDeliveries)
    const { context, notices } = this.session
    const bytes = await readInputBytes(context, args.file, 'FILE')
    const records = await tableRecords([bytes], {
      what: args.file === '-' ? 'Standard input' : args.file,
      encoding: flags.encoding,
      sheet: flags.sheet,
      // Nothing is sent: hidden rows are looked at like the others.
      hiddenRows: isArchive(bytes) ? 'read' : undefined,
      onSheet: (text) => notices.notice(plainText(text)),
      search: { skipLines: flags.skip, isHeader: () => false, likeness: headerLikeness },
    })
    const [header, ...rows] = records.map(({ cells }) => cells)
    if (header === undefined) throw new UsageError(`${args.file} is empty.`)
    const proposal = proposeMap(header, rows)
    if (proposal.pairs.length === 0)
      throw new UsageError(`${args.file} has no column that looks like one of an order.`, {
        hint: `Its columns are ${header
          .slice(0, 12)
          .map((name) => `"${name.slice(0, 40)}"`)
          .join(', ')}. Map them with --map "COLUMN=FIELD".`,
      })
    await this.session.output.json(JSON.stringify(proposal.map, null, 2))
    this.#say(proposal, args.file)
    return proposal.map
  }

  #say({ shop, pairs, doubts, leftOut, missing }: Proposal, file: string): void {
    const { notices } = this.session
    notices.notice(
      shop === undefined ? 'No export that is known; mapped by names and values.' : `Looks like an export of ${shop}.`,
    )
    for (const { column, field, values } of pairs)
      notices.notice(
        `${plainText(column)} = ${field}: ${values.map((value) => plainText(value.slice(0, 40))).join(' | ')}`,
      )
    for (const doubt of doubts) notices.warn(`${plainText(doubt)}.`)
    for (const field of missing) notices.warn(`No column for ${field}: ${flagsOf[field]} sets it.`)
    if (leftOut.length > 0)
      notices.notice(`Not mapped: ${leftOut.map((name) => plainText(name.slice(0, 40))).join(', ')}.`)
    const store = missing.includes('pickup.storeReference') ? ' --store STORE' : ''
    notices.notice(
      `Save it (> map.json), and check the orders: dlv deliveries create --file ${shellWord(file)} --map-file map.json${store} --dry-run`,
    )
  }
}
