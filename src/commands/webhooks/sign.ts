import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { readInputBytes } from '../../cli/input/read.js'
import { allowWeakSecretFlag } from '../../cli/input/secrets.js'
import { parseTime } from '../../cli/input/times.js'
import { secretFilesFlag } from '../../cli/webhooks/flags.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { UsageError } from '../../contract/index.js'
import { signedHeadersView } from '../../render/webhook-views.js'
import { type SignatureHeaders, signatureHeaders } from '../../webhooks/index.js'
import { eventIdOf, namedKey } from '../../webhooks/internal.js'

export default class SignWebhook extends BaseCommand {
  static override summary = 'Sign a body as the service does, and print the three headers.'
  static override examples = [
    '<%= config.bin %> webhooks sign --file body.json --secret-file secret.txt',
    '<%= config.bin %> webhooks sign --file body.json --id evt_1 --at 2026-03-02T15:00:00Z --json',
  ]
  static override flags = {
    file: Flags.string({
      char: 'f',
      summary: 'File with the exact body; - for standard input',
      helpValue: 'BODY',
      required: true,
    }),
    id: Flags.string({ summary: "webhook-id (default: the body's eventId)", helpValue: 'ID' }),
    at: Flags.string({ summary: 'Signing time (default now)', helpValue: 'TIME' }),
    'secret-file': secretFilesFlag('Secret; repeatable'),
    ...allowWeakSecretFlag,
  }

  private secrets!: Secrets

  async run(): Promise<SignatureHeaders> {
    const { flags } = await this.parse(SignWebhook)
    this.secrets = new Secrets(this.session)
    const body = await readInputBytes(this.session.context, flags.file, '--file')
    const id = flags.id ?? eventIdOf(body)
    if (id === undefined) throw new UsageError('The body has no eventId; use --id.')
    const secrets = (await this.secrets.given(flags['secret-file'], flags['allow-weak-secret'])).map(namedKey)
    const atMs = Date.parse(parseTime(flags.at ?? 'now', '--at', this.session.nowMs()))
    const headers = signatureHeaders({ secrets, id, timestampSeconds: Math.floor(atMs / 1_000), body })
    if (id.includes('.'))
      this.session.notices.warn('Receivers reject an id with a dot, because dots separate the signed parts.')
    await this.session.show(signedHeadersView, headers)
    return headers
  }
}
