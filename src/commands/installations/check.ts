import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { parseAssignment, withAssignments, withValue } from '../../cli/input/assignments.js'
import { parseTime } from '../../cli/input/durations.js'
import { readJson } from '../../cli/input/read.js'
import { checkField } from '../../cli/input/request-fields.js'
import { unnamedBases, unnamedInstallation } from '../../cli/installations/base-warning.js'
import { InstallationNames } from '../../cli/installations/order-names.js'
import type { ProcessContext } from '../../cli/process/context.js'
import type { Client } from '../../client/index.js'
import {
  cargoOf,
  type InputOf,
  readRequest,
  type Serviceability,
  ServiceabilityRequest,
  UsageError,
  withoutMarks,
} from '../../contract/index.js'
import { serviceabilityView } from '../../render/installation-view.js'
import { withoutUnsafeKeys } from '../../shared/unsafe-keys.js'

export default class CheckServiceability extends BaseCommand {
  static override summary = 'Check whether a stop can be served right now.'
  static override description =
    'A stop that cannot be served is a result, not an error, and exits 0. The check is free. The result holds for now; do not cache it across a scheduled window. An address without a code is checked as an ordinary one; if its ZIP holds an installation, a warning says what the code would be answered.'
  static override aliases = ['serviceability check']
  static override examples = [
    '<%= config.bin %> installations check FTBRAGG',
    '<%= config.bin %> installations check FTBRAGG --contains alcohol --at 2026-03-02T15:00:00Z',
    '<%= config.bin %> installations check --to "200 Hay St, Fayetteville, NC 28301"',
    '<%= config.bin %> installations check --file order.json --jq .serviceable',
  ]
  static override args = { code: Args.string({ description: 'Installation code', ignoreStdin: true }) }
  static override flags = {
    file: Flags.string({
      char: 'f',
      summary: 'JSON file with a request or order; - for standard input',
      helpValue: 'FILE',
    }),
    set: Flags.string({ summary: 'Set a field: path=value', helpValue: 'PATH=VALUE', ...repeatable }),
    to: Flags.string({ summary: 'dropoff.address in one line', helpValue: 'ADDRESS' }),
    building: Flags.string({ summary: 'dropoff.unit.buildingNumber', helpValue: 'NUMBER' }),
    'delivery-point': Flags.string({ summary: 'dropoff.unit.deliveryPoint', helpValue: 'POINT' }),
    contains: Flags.string({ summary: 'package.contains', helpValue: 'CARGO', ...repeatable }),
    at: Flags.string({ summary: 'deliverAt (default now)', helpValue: 'TIME' }),
  }

  async run(): Promise<Serviceability> {
    const { args, flags } = await this.parse(CheckServiceability)
    const names = new InstallationNames(this.session)
    const code = args.code === undefined ? undefined : await this.#codeFor(names, args.code)
    const body = await serviceabilityRequest(this.session.context, { ...flags, code })
    refuseTestValuesOnProduction(await this.session.account.settings(), body)
    const client = await this.session.client()
    const answer = await client.checkServiceability({ body } as unknown as InputOf<'checkServiceability'>)
    await this.session.show(serviceabilityView, answer)
    await this.#warnOfInstallation(client, body, answer, names)
    if (code !== undefined && answer.reasonCode === 'installation_not_served') {
      const offer = await names.offerFor(code)
      if (offer !== undefined) this.session.notices.notice(`No installation has the code "${code}". ${offer}`)
    }
    return answer
  }

  #codeFor(names: InstallationNames, text: string): Promise<string> {
    return names.codeFor(text, 'Installation code', (said) => this.session.notices.notice(said))
  }

  /** A stop without a code is an ordinary address, even at an installation that takes no deliveries. */
  async #warnOfInstallation(
    client: Client,
    body: Record<string, unknown>,
    answer: Serviceability,
    names: InstallationNames,
  ): Promise<void> {
    if (unnamedBases(body) === undefined) return
    const unnamed = unnamedInstallation(body, await names.list.load())
    if (unnamed === undefined) return
    const { codes, message } = unnamed
    const [code, another] = codes
    if (code === undefined || another !== undefined || !answer.serviceable)
      return this.session.notices.warn(`${message}.`)
    const named = withValue(body, 'dropoff.installation.code', code)
    const { serviceable, reasonCode } = await client.checkServiceability({
      body: named,
    } as unknown as InputOf<'checkServiceability'>)
    this.session.notices.warn(
      `${message}. With it, the stop ${serviceable ? 'can be served' : `cannot be served: ${reasonCode}`}.`,
    )
  }
}

/** Flags that describe the stop to check, and the installation code. */
interface StopFlags {
  code?: string | undefined
  file?: string | undefined
  set?: string[] | undefined
  to?: string | undefined
  building?: string | undefined
  'delivery-point'?: string | undefined
  contains?: string[] | undefined
  at?: string | undefined
}

/**
 * The request of a serviceability check. Of an order in `--file` it uses the relevant parts; flags override the file,
 * and `--set` overrides both. Throws `UsageError` if no stop is described.
 */
async function serviceabilityRequest(context: ProcessContext, flags: StopFlags): Promise<Record<string, unknown>> {
  const given =
    flags.file === undefined ? {} : withoutUnsafeKeys(await readJson(context, flags.file, '--file', 'input'))
  const fields = {
    'dropoff.installation.code': flags.code,
    'dropoff.address': flags.to,
    'dropoff.unit.buildingNumber': flags.building,
    'dropoff.unit.deliveryPoint': flags['delivery-point'],
    'package.contains': flags.contains === undefined ? undefined : cargoOf(flags.contains, '--contains'),
    deliverAt: flags.at === undefined ? undefined : parseTime(flags.at, '--at', context.nowMs()),
  }
  const described = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .reduce((made, [path, value]) => withValue(made, path, value), given as Record<string, unknown>)
  for (const text of flags.set ?? [])
    checkField(ServiceabilityRequest, parseAssignment(text, 'input'), '--set', 'a serviceability check')
  const {
    dropoff,
    package: cargo,
    deliverAt,
  } = withoutMarks(readRequest(ServiceabilityRequest, withAssignments(described, flags.set ?? [], 'input')))
  if (dropoff === undefined)
    throw new UsageError('Expected an installation code, --to ADDRESS or --file FILE.', {
      hint: 'dlv installations list shows the codes.',
    })
  return {
    dropoff,
    ...(cargo === undefined ? {} : { package: cargo }),
    ...(deliverAt === undefined ? {} : { deliverAt }),
  }
}
