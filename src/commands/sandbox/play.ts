import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { checkReceiver, checkStateUrl } from '../../cli/input/network-addresses.js'
import { checkOutput, outputKinds, overwriteFlag, writeOutput } from '../../cli/input/output-file.js'
import { allowWeakSecretFlag } from '../../cli/input/secrets.js'
import { progressLine } from '../../cli/output/notices.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { scenarioNamed } from '../../cli/sandbox/scenario-source.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { UsageError } from '../../contract/index.js'
import { scenarioView } from '../../render/sandbox-lists.js'
import type { PlayProgress, PlayReport } from '../../scenarios/index.js'

export default class PlayScenario extends BaseCommand {
  static override summary = 'Play a period of traffic against your app in seconds.'
  static override description =
    'Creates the orders of a scenario in a service of its own, moves its clock through hours or weeks, posts every webhook to your app, signed with DLV_WEBHOOK_SECRET, and checks what the app made of them. Scenarios: ordinary-day, rush-hour, receiver-outage, rotated-secret, storm, or a YAML or JSON file. Exits 9 if an expectation fails. Without --target, a correct app of dlv itself takes the webhooks.'
  static override examples = [
    '<%= config.bin %> sandbox play storm --target http://localhost:3000/hooks --state-url http://localhost:3000/state/{deliveryId}',
    '<%= config.bin %> sandbox play month.yaml --seed 7 --junit play.xml',
    '<%= config.bin %> sandbox play --schema > scenario.schema.json',
  ]
  static override args = { scenario: Args.string({ description: 'Name of a scenario, or a file', ignoreStdin: true }) }
  static override flags = {
    target: Flags.string({ summary: 'URL where your app takes webhooks', helpValue: 'URL' }),
    'state-url': Flags.string({
      summary: "URL that returns the app's state, with {deliveryId}",
      helpValue: 'URL',
      dependsOn: ['target'],
    }),
    seed: Flags.integer({ summary: "Seed (default: the scenario's)", min: 0, max: 4_294_967_295 }),
    'secret-file': Flags.string({ summary: "The app's secret", helpValue: 'FILE', dependsOn: ['target'] }),
    ...allowWeakSecretFlag,
    junit: Flags.string({ summary: 'Write the report as JUnit XML', helpValue: 'FILE' }),
    ...overwriteFlag,
    schema: Flags.boolean({
      summary: 'Print the JSON Schema of scenario files',
      exclusive: ['target', 'junit', 'seed'],
    }),
  }

  private secrets!: Secrets

  async run(): Promise<PlayReport | undefined> {
    const { args, flags } = await this.parse(PlayScenario)
    this.secrets = new Secrets(this.session)
    const { playJunit, playScenario, scenarioNames, scenarioSchema } = await import('../../scenarios/index.js')
    if (flags.schema) {
      await this.session.output.text(JSON.stringify(scenarioSchema(), null, 2))
      return undefined
    }
    if (args.scenario === undefined)
      throw new UsageError('Expected the name of a scenario or a file.', {
        hint: `Scenarios: ${scenarioNames.join(', ')}.`,
      })
    const { target, 'state-url': stateUrl, seed, junit } = flags
    if (target !== undefined) checkReceiver(target, '--target')
    if (stateUrl !== undefined) checkStateUrl(stateUrl)
    const scenario = await scenarioNamed(this.session.context, args.scenario)
    const { overwrite } = flags
    const output =
      junit === undefined ? undefined : { name: junit, flag: '--junit', kind: outputKinds.junit, overwrite }
    const secretFiles = flags['secret-file'] === undefined ? [] : [flags['secret-file']]
    if (output !== undefined) checkOutput(this.session.context, { ...output, inputs: [args.scenario, ...secretFiles] })
    const named = target === undefined ? undefined : await this.secrets.given(secretFiles, flags['allow-weak-secret'])
    const secrets = named?.map(({ secret }) => secret)
    if (target === undefined)
      this.session.notices.notice(
        'No --target: an app of dlv itself takes the webhooks. Use --target URL to test yours.',
      )
    const signal = this.session.takeSignals()
    const progress = progressLine(this.session.context)
    this.session.onClose(() => progress.clear())
    const onProgress = ({ part, orders, events }: PlayProgress) =>
      progress.show(
        `${Math.floor(part * 100)}% played: ${orders.toLocaleString('en-US')} orders, ${events.toLocaleString('en-US')} events`,
      )
    const report = await playScenario(scenario, { seed, target, stateUrl, secrets, signal, onProgress })
    progress.clear()
    if (output !== undefined) await writeOutput(this.session.context, output, playJunit(report))
    await this.session.show(scenarioView, report)
    if (report.expectations.some(({ passed }) => passed === false)) this.session.endWith(exitCodes.otherOutcome)
    return report
  }
}
