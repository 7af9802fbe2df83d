import { Args, Flags } from '@oclif/core'
import { isArchive } from '../../bulk/internal.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { readInputBytes } from '../../cli/input/read.js'
import { givenMapping, tableFlags } from '../../cli/orders/sheets/column-map.js'
import { askMissing, readMapTable, settingOf, valueSentences } from '../../cli/orders/sheets/map-table.js'
import { headerLikeness, type Proposal, type ProposedMap, proposeMap } from '../../cli/orders/sheets/propose-map.js'
import { canAsk } from '../../cli/process/terminal.js'
import { UsageError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { shellWord } from '../../shared/command-words.js'

export default class MapDeliveries extends BaseCommand {
  static override summary = 'Propose the mapping of a sheet that has none.'
  static override description =
    'Looks at the columns and values of a CSV, workbook or JSON, and prints a mapping for --map-file; what it found, doubts and misses goes to standard error. Exports of Shopify, WooCommerce, Etsy, eBay, Amazon, Square, BigCommerce and Onfleet are known by their columns, so are the field names of DoorDash Drive and Uber Direct; others are judged by names and values. On a terminal it asks for what is missing; in a pipe, or with --yes, it maps what is sure. Nothing is sent.'
  static override examples = [
    '<%= config.bin %> deliveries map orders_export.csv > shop.map.json',
    '<%= config.bin %> deliveries map orders.xlsx --sheet Orders --set pickup.storeReference=STORE-001 > shop.map.json',
    '<%= config.bin %> deliveries map orders.csv --yes --map "Job=clientOrderReference" > shop.map.json',
    '<%= config.bin %> deliveries create --file orders_export.csv --map-file shop.map.json --store STORE-001 --dry-run',
  ]
  static override args = {
    file: Args.string({ description: 'CSV, workbook or JSON; - for standard input', required: true }),
  }
  static override flags = {
    map: tableFlags.map,
    set: Flags.string({ summary: 'Set a field of all orders: path=value', helpValue: 'PATH=VALUE', ...repeatable }),
    'leave-out': tableFlags['leave-out'],
    encoding: tableFlags.encoding,
    skip: tableFlags.skip,
    sheet: tableFlags.sheet,
    yes: Flags.boolean({ char: 'y', summary: 'Ask nothing' }),
  }

  async run(): Promise<ProposedMap> {
    const { args, flags } = await this.parse(MapDeliveries)
    const { context, notices } = this.session
    const given = givenMapping(flags)
    const bytes = await readInputBytes(context, args.file, 'FILE')
    const what = args.file === '-' ? 'Standard input' : args.file
    const { header, rows, faults } = await readMapTable(bytes, {
      what,
      encoding: flags.encoding,
      sheet: flags.sheet,
      // Nothing is sent: hidden rows are looked at like the others.
      hiddenRows: isArchive(bytes) ? 'read' : undefined,
      onSheet: (text) => notices.notice(plainText(text)),
      search: { skipLines: flags.skip, isHeader: () => false, likeness: headerLikeness },
    })
    let proposal = proposeMap(header, rows, given)
    const asks = !flags.yes && args.file !== '-' && canAsk(context, this.session.flags['no-input'])
    if (proposal.pairs.length === 0 && !asks)
      throw new UsageError(`${what} has no column that looks like one of an order.`, {
        hint: `Its columns are ${header
          .slice(0, 12)
          .map((name) => `"${name.slice(0, 40)}"`)
          .join(', ')}. Map them with --map "COLUMN=FIELD".`,
      })
    if (asks && proposal.missing.length > 0) {
      this.#sayFound(proposal)
      const { columns, values } = await askMissing(context, proposal)
      proposal = proposeMap(header, rows, {
        columns: new Map([...given.columns, ...columns]),
        values: new Map([...given.values, ...values]),
        leaveOut: given.leaveOut,
      })
    }
    const { encoding, skip, sheet } = flags
    const map = { ...proposal.map, encoding, skip, sheet }
    await this.session.output.json(JSON.stringify(map, null, 2))
    this.#say(proposal, { file: args.file, faults, hasRows: rows.length > 0 })
    return map
  }

  #sayFound({ shop, pairs }: Proposal): void {
    const { notices } = this.session
    notices.notice(
      shop === undefined ? 'No export that is known; mapped by names and values.' : `Looks like an export of ${shop}.`,
    )
    for (const { column, field, values } of pairs)
      notices.notice(
        `${plainText(column)} = ${field}: ${values.map((value) => plainText(value.slice(0, 40))).join(' | ')}`,
      )
  }

  #say(
    proposal: Proposal,
    { file, faults, hasRows }: { file: string; faults: readonly string[]; hasRows: boolean },
  ): void {
    const { map, doubts, leftOut, missing } = proposal
    const { notices } = this.session
    this.#sayFound(proposal)
    for (const said of valueSentences(map)) notices.notice(said)
    for (const [column, values] of Object.entries(map.leaveOut ?? {}))
      notices.notice(
        `Orders are left out whose "${plainText(column)}" is ${values.includes('*') ? 'not empty' : values.map(plainText).join(', ')}.`,
      )
    if (!hasRows) notices.warn('There are no rows below the header: only its names were judged.')
    for (const said of [...faults.slice(0, 5), ...doubts]) notices.warn(`${plainText(said)}.`)
    for (const field of missing) notices.warn(`No column for ${field}: ${settingOf[field]}.`)
    if (leftOut.length > 0)
      notices.notice(`Not mapped: ${leftOut.map(({ column }) => plainText(column.slice(0, 40))).join(', ')}.`)
    const store = missing.includes('pickup.storeReference') ? ' --store STORE' : ''
    const phone = missing.includes('dropoff.contactPhone') ? ' --phone PHONE' : ''
    notices.notice(
      `Save it (> map.json), and check the orders: dlv deliveries create --file ${shellWord(file)} --map-file map.json${store}${phone} --dry-run`,
    )
  }
}
