import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { checkReceiver, checkStateUrl } from '../../cli/input/network-addresses.js'
import { checkOutput, outputKinds, overwriteFlag, writeOutput } from '../../cli/input/output-file.js'
import { allowWeakSecretFlag } from '../../cli/input/secrets.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { receiverFlag } from '../../cli/webhooks/flags.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { conformanceView } from '../../render/webhook-views.js'
import { type ConformanceReport, junitOf, testReceiver } from '../../webhooks/index.js'

export default class TestReceiver extends BaseCommand {
  static override summary = 'Test a receiver with valid, forged, stale, repeated, reordered and slow webhooks.'
  static override description =
    'Exits 9 if the receiver breaks a rule of the contract, 8 if it does not respond. Rules that cannot be observed from outside are reported as not observable.'
  static override examples = [
    '<%= config.bin %> webhooks test --to http://localhost:3000/hooks --secret-file secret.txt',
    '<%= config.bin %> webhooks test --to http://localhost:3000/hooks --junit report.xml --time-scale 10000',
  ]
  static override flags = {
    to: receiverFlag,
    'secret-file': Flags.string({ summary: "The receiver's secret", helpValue: 'FILE' }),
    ...allowWeakSecretFlag,
    'state-url': Flags.string({
      summary: "URL that returns the receiver's state, with {deliveryId}",
      helpValue: 'URL',
    }),
    junit: Flags.string({ summary: 'Write the report as JUnit XML', helpValue: 'FILE' }),
    ...overwriteFlag,
    'time-scale': Flags.integer({ summary: "Also play the service's retries, this much faster", min: 1 }),
  }

  private secrets!: Secrets

  async run(): Promise<ConformanceReport> {
    const { flags } = await this.parse(TestReceiver)
    this.secrets = new Secrets(this.session)
    checkReceiver(flags.to, '--to')
    this.session.output.checkColumns(conformanceView, 'durationMs')
    if (flags['state-url'] !== undefined) checkStateUrl(flags['state-url'])
    const { junit, overwrite } = flags
    const inputs = [flags['secret-file']]
    const output =
      junit === undefined ? undefined : { name: junit, flag: '--junit', kind: outputKinds.junit, overwrite, inputs }
    if (output !== undefined) checkOutput(this.session.context, output)
    const [first = { name: '', secret: '', allowWeak: false }] = await this.secrets.given(
      flags['secret-file'] === undefined ? [] : [flags['secret-file']],
      flags['allow-weak-secret'],
    )
    const report = await testReceiver({
      url: flags.to,
      secret: first.secret,
      allowWeakSecret: first.allowWeak,
      stateUrl: flags['state-url'],
      timeScale: flags['time-scale'],
    })
    if (output !== undefined) await writeOutput(this.session.context, output, junitOf(report))
    await this.session.show(conformanceView, report)
    if (!report.responded) this.session.endWith(exitCodes.noAnswer)
    if (!report.passed) this.session.endWith(exitCodes.otherOutcome)
    return report
  }
}
