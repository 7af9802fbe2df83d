import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import { compareArchive, compareJournal, compareLines, knownDifferences, probe } from '../cli/drift/compare.js'
import { baselineText, Findings, junitOf, keyOf } from '../cli/drift/finding.js'
import { checkOutput, outputKinds, overwriteFlag, writeOutput } from '../cli/input/output-file.js'
import { exitCodes } from '../cli/process/exit-codes.js'
import { unmaskFlag } from '../cli/webhooks/flags.js'
import { Journals } from '../cli/webhooks/journals.js'
import { type DriftResult, driftView } from '../render/service-views.js'
import { maskPersonalData } from '../webhooks/index.js'

export default class CheckDrift extends BaseCommand {
  static override readsSeveral = true
  static override flagsOfOne = ['har', 'input', 'update-baseline', 'junit']
  static override summary = 'Compare the service with its contract. Exits 9 on a new difference.'
  static override description =
    'Finds new properties, unknown enum values, missing fields, wrong types, and statuses and headers that the contract does not have. Without a source, probes the profile: every GET, and on an account that proves to be a test account the whole life of two deliveries. Nothing is created before: the service has to answer the simulation of an unknown delivery with 404, as it does for a test key. Of several accounts it only reads. Recorded traffic is read from an HTTP archive, from NDJSON, or from the journal. A baseline holds the differences that are known.'
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

  async run(): Promise<DriftResult> {
    const { flags } = await this.parse(CheckDrift)
    const { har, input, junit, overwrite } = flags
    this.session.output.checkColumns(driftView, 'profile')
    const inputs = [har, input, flags['update-baseline'] ? undefined : flags.baseline]
    const output =
      junit === undefined ? undefined : { name: junit, flag: '--junit', kind: outputKinds.junit, overwrite, inputs }
    const isRecorded = flags.har !== undefined || flags.input !== undefined || flags.journal
    const known = await knownDifferences(this.session, flags.baseline, flags['update-baseline'])
    const baseline =
      flags.baseline === undefined || !flags['update-baseline']
        ? undefined
        : { name: flags.baseline, flag: '--baseline', kind: outputKinds.baseline, overwrite, inputs: [har, input] }
    if (output !== undefined) checkOutput(this.session.context, output)
    if (baseline !== undefined) checkOutput(this.session.context, baseline)
    const findings = new Findings()
    if (flags.har !== undefined) await compareArchive(this.session, flags.har, findings)
    if (flags.input !== undefined) await compareLines(this.session, flags.input, findings)
    if (flags.journal) await compareJournal(new Journals(this.session), findings)
    const notTried = flags.active || !isRecorded ? await probe(this.session, findings, flags.store) : []

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
}

function masked<Found extends { example: unknown }>(finding: Found): Found {
  return { ...finding, example: maskPersonalData(finding.example) }
}
