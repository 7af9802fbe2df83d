import { Flags } from '@oclif/core'
import { repeatable } from '../../cli/command/repeatable.js'
import { parseTime } from '../../cli/input/durations.js'
import { readCapturedRequest } from '../../cli/webhooks/captured-request.js'
import { secretFilesFlag, unmaskFlag } from '../../cli/webhooks/flags.js'
import { signatureErrorOf } from '../../cli/webhooks/signature-failure.js'
import { WebhookCommand } from '../../cli/webhooks/webhook-command.js'
import { verdictView } from '../../render/verdict-view.js'
import { type Acceptance, maskPersonalData, verify } from '../../webhooks/index.js'

export default class VerifyWebhook extends WebhookCommand {
  static override summary = 'Does a webhook verify? Names the mistake where it does not (9).'
  static override examples = [
    "<%= config.bin %> webhooks verify --file body.json --header 'webhook-id: evt_1' --header 'webhook-timestamp: 1614265330' --header 'webhook-signature: v1,…'",
    '<%= config.bin %> webhooks verify --request captured.http --secret-file secret.txt --explain',
    '<%= config.bin %> webhooks verify --request captured.har --at 1772463600',
  ]
  static override flags = {
    file: Flags.string({ char: 'f', summary: 'The body, byte for byte: a file, or -', helpValue: 'BODY' }),
    header: Flags.string({ char: 'H', summary: "'name: value'; repeatable", helpValue: 'HEADER', ...repeatable }),
    request: Flags.string({
      summary: 'All of it: an HTTP request as it came, or a HAR file',
      helpValue: 'FILE',
      exclusive: ['file'],
    }),
    entry: Flags.integer({ summary: 'Which webhook of the HAR file', min: 1, dependsOn: ['request'] }),
    'secret-file': secretFilesFlag('Secret; repeatable'),
    at: Flags.string({ summary: 'The time to judge its age by (default now)', helpValue: 'TIME' }),
    tolerance: Flags.integer({ summary: 'Seconds that the clocks may differ (default 300)', min: 0 }),
    explain: Flags.boolean({ summary: 'Try the usual mistakes and name the one that fits (always done on a failure)' }),
    ...unmaskFlag,
  }

  async run(): Promise<Acceptance> {
    const { flags } = await this.parse(VerifyWebhook)
    const { headers, body } = await readCapturedRequest(this.context, flags)
    const secrets = await this.secrets(flags['secret-file'])
    const nowMs = this.nowMs()
    const at = flags.at === undefined ? undefined : Date.parse(parseTime(flags.at, '--at', nowMs))
    const input = {
      secrets: secrets.map(({ secret }) => secret),
      headers,
      body,
      ...(at === undefined ? {} : { nowSeconds: Math.floor(at / 1_000) }),
      ...(flags.tolerance === undefined ? {} : { toleranceSeconds: flags.tolerance }),
    }
    const verdict = verify(input)
    if (!verdict.ok) throw signatureErrorOf(verdict, { ...input, otherSecrets: this.foreignSecrets(secrets) })
    const { name = '' } = secrets[verdict.secretIndex] ?? {}
    await this.show(verdictView(name, secrets.length), flags.unmask ? verdict : maskPersonalData(verdict))
    return verdict
  }
}
