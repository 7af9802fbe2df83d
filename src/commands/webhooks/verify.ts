import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { allowWeakSecretFlag } from '../../cli/input/secrets.js'
import { parseTime } from '../../cli/input/times.js'
import { readCapturedRequest } from '../../cli/webhooks/captured-request.js'
import { secretFilesFlag, unmaskFlag } from '../../cli/webhooks/flags.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { signatureErrorOf } from '../../cli/webhooks/signature-failure.js'
import { verdictView } from '../../render/webhook-views.js'
import { type Acceptance, maskPersonalData, verify } from '../../webhooks/index.js'
import { namedKey } from '../../webhooks/internal.js'

export default class VerifyWebhook extends BaseCommand {
  static override summary = "Verify a webhook's signature. Exits 9 and names the mistake if it does not verify."
  static override examples = [
    "<%= config.bin %> webhooks verify --file body.json --header 'webhook-id: evt_1' --header 'webhook-timestamp: 1614265330' --header 'webhook-signature: v1,…'",
    '<%= config.bin %> webhooks verify --request captured.http --secret-file secret.txt --explain',
    '<%= config.bin %> webhooks verify --request captured.har --at 1772463600',
  ]
  static override flags = {
    file: Flags.string({ char: 'f', summary: 'File with the exact body; - for standard input', helpValue: 'BODY' }),
    header: Flags.string({ char: 'H', summary: "'name: value'; repeatable", helpValue: 'HEADER', ...repeatable }),
    request: Flags.string({
      summary: 'Raw HTTP request, or HAR file',
      helpValue: 'FILE',
      exclusive: ['file'],
    }),
    entry: Flags.integer({ summary: 'Number of the webhook in the HAR file', min: 1, dependsOn: ['request'] }),
    'secret-file': secretFilesFlag('Secret; repeatable'),
    ...allowWeakSecretFlag,
    at: Flags.string({ summary: 'Time to check the timestamp against (default now)', helpValue: 'TIME' }),
    tolerance: Flags.integer({ summary: 'Allowed clock difference in seconds (default 300)', min: 0 }),
    explain: Flags.boolean({ summary: 'Explain the result in detail' }),
    ...unmaskFlag,
  }

  private secrets!: Secrets

  async run(): Promise<Acceptance> {
    const { flags } = await this.parse(VerifyWebhook)
    this.secrets = new Secrets(this.session)
    const { headers, body } = await readCapturedRequest(this.session.context, flags)
    const secrets = await this.secrets.given(flags['secret-file'], flags['allow-weak-secret'])
    const nowMs = this.session.nowMs()
    const at = flags.at === undefined ? undefined : Date.parse(parseTime(flags.at, '--at', nowMs))
    const input = {
      secrets: secrets.map(({ secret }) => secret),
      headers,
      body,
      nowSeconds: at === undefined ? undefined : Math.floor(at / 1_000),
      toleranceSeconds: flags.tolerance,
    }
    const verdict = verify({ ...input, secrets: secrets.map(namedKey) })
    if (!verdict.ok) throw signatureErrorOf(verdict, { ...input, otherSecrets: this.secrets.foreign(secrets) })
    const { name = '' } = secrets[verdict.secretIndex] ?? {}
    await this.session.show(verdictView(name, secrets.length), flags.unmask ? verdict : maskPersonalData(verdict))
    return verdict
  }
}
