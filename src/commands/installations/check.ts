import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { InstallationNames } from '../../cli/installations/order-names.js'
import { serviceabilityRequest, warnOfInstallation } from '../../cli/installations/serviceability.js'
import type { Stops } from '../../cli/orders/check-stops.js'
import { fileReading, spreadsheetFlags } from '../../cli/orders/sheets/column-map.js'
import { DeliveryCreate, type InputOf, type Serviceability, UsageError } from '../../contract/index.js'
import { serviceabilityView } from '../../render/installation-view.js'

export default class CheckServiceability extends BaseCommand {
  static override summary = 'Check whether a stop can be served right now.'
  static override description =
    'A stop that cannot be served is a result, not an error, and exits 0. The check is free. The result holds for now; do not cache it across a scheduled window. An address without a code is checked as an ordinary one; if its ZIP holds an installation, a warning says what the code would be answered. A sheet (.csv, .xlsx, .ods) with the columns of orders is checked row by row, for the start of each window.'
  static override aliases = ['serviceability check']
  static override examples = [
    '<%= config.bin %> installations check FTBRAGG',
    '<%= config.bin %> installations check FTBRAGG --contains alcohol --at 2026-03-02T15:00:00Z',
    '<%= config.bin %> installations check --to "200 Hay St, Fayetteville, NC 28301"',
    '<%= config.bin %> installations check --file order.json --jq .serviceable',
    '<%= config.bin %> installations check --file orders.xlsx --map-file map.json -o csv',
  ]
  static override args = { code: Args.string({ description: 'Installation code', ignoreStdin: true }) }
  static override flags = {
    file: Flags.string({
      char: 'f',
      summary: 'Request, order, or sheet of orders; - for standard input',
      helpValue: 'FILE',
    }),
    set: Flags.string({ summary: 'Set a field: path=value', helpValue: 'PATH=VALUE', ...repeatable }),
    to: Flags.string({ summary: 'dropoff.address in one line', helpValue: 'ADDRESS' }),
    building: Flags.string({ summary: 'dropoff.unit.buildingNumber', helpValue: 'NUMBER' }),
    'delivery-point': Flags.string({ summary: 'dropoff.unit.deliveryPoint', helpValue: 'POINT' }),
    contains: Flags.string({ summary: 'package.contains', helpValue: 'CARGO', ...repeatable }),
    at: Flags.string({ summary: 'deliverAt (default now)', helpValue: 'TIME' }),
    ...spreadsheetFlags,
  }

  async run(): Promise<Serviceability | undefined> {
    const { args, flags } = await this.parse(CheckServiceability)
    const names = new InstallationNames(this.session)
    const code = args.code === undefined ? undefined : await this.#codeFor(names, args.code)
    const stops = await this.#stops(flags)
    const nowMs = this.session.context.nowMs()
    if (stops.rows !== undefined) {
      if (code !== undefined)
        throw new UsageError('An installation code is for one stop, but this file contains several.', {
          hint: 'Each row has its own dropoff.installation.code.',
        })
      const { checkMany } = await import('../../cli/orders/check-stops.js')
      const toRequest = (row: Record<string, unknown>) => serviceabilityRequest(row, flags, nowMs)
      return checkMany(this.session, stops.rows, { forms: stops.forms, toRequest })
    }
    const body = serviceabilityRequest(stops.given, { ...flags, code }, nowMs)
    refuseTestValuesOnProduction(await this.session.account.settings(), body)
    const client = await this.session.client()
    const answer = await client.checkServiceability({ body } as unknown as InputOf<'checkServiceability'>)
    await this.session.show(serviceabilityView, answer)
    await warnOfInstallation(this.session.notices, client, body, answer, names)
    if (code !== undefined && answer.reasonCode === 'installation_not_served') {
      const offer = await names.offerFor(code)
      if (offer !== undefined) this.session.notices.notice(`No installation has the code "${code}". ${offer}`)
    }
    return answer
  }

  async #stops(flags: Parameters<typeof fileReading>[0] & { file?: string | undefined }): Promise<Stops> {
    if (flags.file === undefined) return { given: {} }
    const reading = await fileReading(flags, DeliveryCreate, this.session)
    const { openStops } = await import('../../cli/orders/check-stops.js')
    return openStops(this.session, flags.file, reading)
  }

  #codeFor(names: InstallationNames, text: string): Promise<string> {
    return names.codeFor(text, 'Installation code', (said) => this.session.notices.notice(said))
  }
}
