import { Flags } from '@oclif/core'
import { readCapturedRequest } from '../../cli/captured-request.js'
import { parseTime } from '../../cli/durations.js'
import { exitCodes } from '../../cli/exit-codes.js'
import { WebhookCommand } from '../../cli/webhook-command.js'
import { SignatureError } from '../../contract/index.js'
import { verdictView } from '../../render/verdict-view.js'
import { type Acceptance, explainFailure, verify } from '../../webhooks/index.js'

const multiple = { multiple: true, multipleNonGreedy: true } as const

export default class VerifyWebhook extends WebhookCommand {
  static override summary = 'Does a webhook verify? Names the mistake where it does not (9).'
  static override examples = [
    "<%= config.bin %> webhooks verify --file body.json --header 'webhook-id: evt_1' --header 'webhook-timestamp: 1614265330' --header 'webhook-signature: v1,…'",
    '<%= config.bin %> webhooks verify --request captured.http --secret-file secret.txt --explain',
    '<%= config.bin %> webhooks verify --request captured.http --at 2026-03-02T15:00:00Z',
  ]
  static override flags = {
    file: Flags.string({ char: 'f', summary: 'The body, byte for byte: a file, or -', helpValue: 'BODY' }),
    header: Flags.string({ char: 'H', summary: "'name: value'; repeatable", helpValue: 'HEADER', ...multiple }),
    request: Flags.string({
      summary: 'A whole request: headers, an empty line, the body',
      helpValue: 'FILE',
      exclusive: ['file'],
    }),
    'secret-file': Flags.string({ summary: 'Secret; repeatable', helpValue: 'FILE', ...multiple }),
    at: Flags.string({ summary: 'The time to judge its age by (default now)', helpValue: 'TIME' }),
    tolerance: Flags.integer({ summary: 'Seconds that the clocks may differ (default 300)', min: 0 }),
    explain: Flags.boolean({ summary: 'Try the usual mistakes and name the one that fits (done anyway on a failure)' }),
  }

  async run(): Promise<Acceptance> {
    const { flags } = await this.parse(VerifyWebhook)
    const { headers, body } = await readCapturedRequest(flags)
    const secrets = await this.secrets(flags['secret-file'])
    const nowMs = Date.now()
    const input = {
      secrets: secrets.map(({ secret }) => secret),
      headers,
      body,
      ...(flags.at === undefined
        ? {}
        : { nowSeconds: Math.floor(Date.parse(parseTime(flags.at, '--at', nowMs)) / 1_000) }),
      ...(flags.tolerance === undefined ? {} : { toleranceSeconds: flags.tolerance }),
    }
    const verdict = verify(input)
    if (!verdict.ok) {
      const explanation = explainFailure({ ...input, otherSecrets: this.foreignSecrets(secrets) })
      throw new SignatureError(`It does not verify (${verdict.reason}): ${explanation?.message ?? verdict.message}.`, {
        reason: verdict.reason,
        hint: explanation?.hint ?? verdict.hint,
      })
    }
    const { name = '' } = secrets[verdict.secretIndex] ?? {}
    await this.show(verdictView(name, secrets.length), verdict)
    this.endWith(exitCodes.done)
    return verdict
  }
}
