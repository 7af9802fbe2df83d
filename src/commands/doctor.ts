import { Flags } from '@oclif/core'
import { postgresArchive } from '../archive/index.js'
import { BaseCommand } from '../cli/command/base-command.js'
import { examine } from '../cli/doctor/checks.js'
import type { Finding } from '../cli/doctor/finding.js'
import { databaseAddress } from '../cli/input/network-addresses.js'
import { journalFlag, journalPlace, missingJournal } from '../cli/journal/place.js'
import { exitCodes } from '../cli/process/exit-codes.js'
import { findingList } from '../render/service-views.js'
import { onAccount } from '../shared/command-words.js'

export default class Doctor extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'Check configuration, network, key and clock. Exits 9 on a problem.'
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor -P acme',
    '<%= config.bin %> doctor --journal postgres://dlv@one:5432,two:5432/dlv',
    '<%= config.bin %> doctor --to postgres://dlv@db.example.com/dlv',
    '<%= config.bin %> doctor --jq \'.[] | select(.verdict != "ok")\'',
  ]

  static override flags = {
    ...journalFlag,
    to: Flags.string({ summary: 'Also check the database of dlv sync --to', helpValue: 'postgres://…' }),
  }

  async run(): Promise<Finding[]> {
    const { flags } = await this.parse(Doctor)
    this.session.output.checkColumns(findingList, 'profile')
    const journal = journalPlace(this.session.context, flags.journal)
    const to = flags.to === undefined ? undefined : databaseAddress(flags.to)
    const settings = await this.session.account.settings()
    const findings: Finding[] = []
    const { configDir, dataDir } = this.config
    const surroundings = {
      settings,
      open: () =>
        this.session.client({ timeoutMs: 10_000, retries: { maxRetries: 1 }, limit: 'each', saysWaiting: true }),
      configDir,
      dataDir,
      env: this.session.context.env,
      nowMs: this.session.nowMs(),
    }
    const add = (finding: Finding) => {
      const hint = finding.hint === null ? null : onAccount(finding.hint, this.session.context.accountFlags ?? '')
      findings.push({ ...finding, hint })
    }
    for await (const finding of examine(surroundings)) add(finding)
    for await (const finding of this.journalFindings(journal, flags.journal)) add(finding)
    if (to !== undefined) {
      const { examineCopy } = await postgresArchive()
      for await (const finding of examineCopy(to, this.session.context.env)) add(finding)
    }
    await this.session.show(findingList, findings)
    if (findings.some(({ verdict }) => verdict === 'problem')) this.session.endWith(exitCodes.otherOutcome)
    return findings
  }

  /** Checks the journal if one is named: the one of a profile is a file that nothing has to be set up for. */
  private async *journalFindings(journal: string | undefined, flag: string | undefined): AsyncGenerator<Finding> {
    if (journal === undefined) return
    const missing = missingJournal(this.session.context, journal, flag)
    if (missing !== undefined) {
      yield { check: 'journal', verdict: 'problem', finding: missing.message, hint: missing.hint ?? null }
      return
    }
    const { examineJournal } = await import('../listener/index.js')
    yield* examineJournal(journal, this.session.context.env, () => this.session.nowMs())
  }
}
