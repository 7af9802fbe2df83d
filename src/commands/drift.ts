import { existsSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { checkEvent, checkResponse } from '../cli/drift/check.js'
import { baselineText, Findings, junitOf, keyOf, readBaseline } from '../cli/drift/finding.js'
import {
  type Created,
  cancelCreated,
  LiveAccountError,
  probeLives,
  probeReads,
  type Route,
  usedRoute,
} from '../cli/drift/probe.js'
import { type Observed, observedOfHar, observedOfLine } from '../cli/drift/recorded.js'
import { pathOf } from '../cli/input/named-file.js'
import { checkOutput, outputKinds, overwriteFlag, writeOutput } from '../cli/input/output-file.js'
import { readInputText } from '../cli/input/read.js'
import { templateOrder } from '../cli/orders/template-order.js'
import { exitCodes } from '../cli/process/exit-codes.js'
import { accountKind } from '../cli/session/account-kind.js'
import { unmaskFlag } from '../cli/webhooks/flags.js'
import { Journals } from '../cli/webhooks/journals.js'
import { type Client, createPacer } from '../client/index.js'
import { UsageError } from '../contract/index.js'
import { type DriftResult, driftView } from '../render/service-views.js'
import { tryParseJson } from '../shared/json.js'
import { maskPersonalData } from '../webhooks/index.js'

export default class CheckDrift extends BaseCommand {
  static override readsSeveral = true
  static override flagsOfOne = ['har', 'input', 'update-baseline', 'junit']
  static override summary = 'Compare the service with its contract. Exits 9 on a new difference.'
  static override description =
    'Finds new properties, unknown enum values, missing fields, wrong types, and statuses and headers that the contract does not have. Without a source, probes the profile: every GET, and on an account that proves to be a test account the whole life of two deliveries. Nothing is created before: the service has to answer the simulation of an unknown delivery with 404, as it does for a test key. Recorded traffic is read from an HTTP archive, from NDJSON, or from the journal. A baseline holds the differences that are known.'
  static override examples = [
    '<%= config.bin %> drift',
    '<%= config.bin %> drift --baseline drift.json --junit drift.xml',
    '<%= config.bin %> drift --har traffic.har --journal',
    '<%= config.bin %> webhooks listen -o ndjson | <%= config.bin %> drift --input -',
  ]
  static override flags = {
    active: Flags.boolean({ summary: 'Probe the profile, beside recorded traffic' }),
    har: Flags.string({ summary: 'HTTP archive to compare', helpValue: 'FILE' }),
    input: Flags.string({ summary: 'Events or responses as NDJSON', helpValue: 'FILE' }),
    journal: Flags.boolean({ summary: 'Compare the events of the journal (DLV_JOURNAL)' }),
    baseline: Flags.string({ summary: 'Known differences, as --update-baseline writes them', helpValue: 'FILE' }),
    'update-baseline': Flags.boolean({ summary: 'Write the differences to the baseline', dependsOn: ['baseline'] }),
    store: Flags.string({
      summary: 'Store to order from (default: one of recent deliveries)',
      helpValue: 'REFERENCE',
    }),
    junit: Flags.string({ summary: 'Write a JUnit report', helpValue: 'FILE' }),
    ...overwriteFlag,
    ...unmaskFlag,
  }

  private journals!: Journals

  async run(): Promise<DriftResult> {
    const { flags } = await this.parse(CheckDrift)
    this.journals = new Journals(this.session)
    const { har, input, junit, overwrite } = flags
    const inputs = [har, input, flags['update-baseline'] ? undefined : flags.baseline]
    const output =
      junit === undefined ? undefined : { name: junit, flag: '--junit', kind: outputKinds.junit, overwrite, inputs }
    const isRecorded = flags.har !== undefined || flags.input !== undefined || flags.journal
    const known = await this.knownDifferences(flags.baseline, flags['update-baseline'])
    const baseline =
      flags.baseline === undefined || !flags['update-baseline']
        ? undefined
        : { name: flags.baseline, flag: '--baseline', kind: outputKinds.baseline, overwrite, inputs: [har, input] }
    if (output !== undefined) checkOutput(this.session.context, output)
    if (baseline !== undefined) checkOutput(this.session.context, baseline)
    const findings = new Findings()
    if (flags.har !== undefined) await this.compareArchive(flags.har, findings)
    if (flags.input !== undefined) await this.compareLines(flags.input, findings)
    if (flags.journal) await this.compareJournal(findings)
    const notTried = flags.active || !isRecorded ? await this.probe(findings, flags.store) : []

    const all = findings.list().map((finding) => (flags.unmask ? finding : masked(finding)))
    if (baseline !== undefined) {
      await writeOutput(this.session.context, baseline, baselineText(all))
      this.session.notices.notice(`Wrote ${all.length} known differences to ${baseline.name}.`)
    }
    const isAccepted = flags['update-baseline'] ? () => true : (key: string) => known.has(key)
    const result = {
      checked: findings.checked,
      notTried,
      findings: all.filter((finding) => !isAccepted(keyOf(finding))),
    }
    if (output !== undefined) await writeOutput(this.session.context, output, junitOf(result.checked, result.findings))
    await this.session.show(driftView, result)
    if (result.findings.length > 0) this.session.endWith(exitCodes.otherOutcome)
    return result
  }

  private async knownDifferences(file: string | undefined, isWritten: boolean): Promise<ReadonlySet<string>> {
    if (file === undefined || (isWritten && !existsSync(pathOf(this.session.context, file)))) return new Set()
    return readBaseline(await readInputText(this.session.context, file, '--baseline'), file)
  }

  private async compareArchive(file: string, findings: Findings): Promise<void> {
    const observed = observedOfHar(await readInputText(this.session.context, file, '--har'))
    if (observed === undefined)
      throw new UsageError(`--har ${file} is not an HTTP archive.`, { hint: 'Save one from a browser or a proxy.' })
    for (const one of observed) add(findings, one)
  }

  private async compareLines(file: string, findings: Findings): Promise<void> {
    const lines = (await readInputText(this.session.context, file, '--input')).split('\n')
    let other = 0
    for (const line of lines) {
      if (line.trim() === '') continue
      const observed = observedOfLine(line)
      if (observed === undefined) other++
      else add(findings, observed)
    }
    if (other > 0) this.session.notices.warn(`${other} lines of ${file} are neither events nor responses.`)
  }

  private async compareJournal(findings: Findings): Promise<void> {
    const journal = await this.journals.open()
    for await (const { body } of journal.list()) {
      const json = tryParseJson(body)
      if (json !== undefined) add(findings, { event: json.value })
    }
  }

  /** Probes the service, and returns what could not be tried. */
  private async probe(findings: Findings, store: string | undefined): Promise<string[]> {
    const client = await this.session.client({ pacer: createPacer(), retries: { maxRetries: 2 } })
    const notTried = await this.probeAsTest(client, findings, store)
    await probeReads(client, findings, client.serviceNowMs() ?? this.session.nowMs())
    for (const part of notTried) this.session.notices.notice(`Not tried: ${part}.`)
    return notTried
  }

  /** The requests that only a test account may get. Whatever they leave under way is cancelled and named. */
  private async probeAsTest(client: Client, findings: Findings, given: string | undefined): Promise<string[]> {
    const settings = await this.session.account.settings()
    const writes = 'quotes, creation, update, simulation, cancellation'
    if (settings.environment === 'production') return [`${writes}: the account is production`]
    const { kind, answer } = await accountKind(client)
    if (kind !== 'test')
      return [`${writes}: the account did not prove to be a test account; simulating an unknown delivery got ${answer}`]
    const nowMs = client.serviceNowMs() ?? this.session.nowMs()
    const route = (await usedRoute(client, nowMs, given)) ?? (await this.ownRoute())
    if (route === undefined) return [`${writes}: no store is known; name one with --store`]
    const created: Created = new Map()
    try {
      const name = `DRIFT-${this.session.nowMs().toString(36).toUpperCase()}`
      return await probeLives(client, findings, { name, route, created })
    } catch (error) {
      if (!(error instanceof LiveAccountError)) throw error
      if (created.size > 0) this.session.endWith(exitCodes.otherOutcome)
      return [`what only a test account may get: ${error.message}`]
    } finally {
      for (const line of await cancelCreated(client, created)) this.session.notices.warn(line)
    }
  }

  /** A route of a sandbox of this user, which may have no deliveries yet. */
  private async ownRoute(): Promise<Route | undefined> {
    if (!(await this.session.account.isOwnSandbox(await this.session.account.settings()))) return undefined
    return { store: templateOrder.pickup.storeReference, address: templateOrder.dropoff.address }
  }
}

function add(findings: Findings, observed: Observed): void {
  if ('event' in observed) findings.add(checkEvent(observed.event))
  else {
    const found = checkResponse(observed.response)
    if (found !== undefined) findings.add(found)
  }
}

function masked<Found extends { example: unknown }>(finding: Found): Found {
  return { ...finding, example: maskPersonalData(finding.example) }
}
