import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { withAssignments } from '../../cli/input/assignments.js'
import { parseKnownEventType } from '../../cli/input/contract-words.js'
import { checkReceiver } from '../../cli/input/network-addresses.js'
import { readInputBytes } from '../../cli/input/read.js'
import { allowWeakSecretFlag } from '../../cli/input/secrets.js'
import { exitCodes } from '../../cli/process/exit-codes.js'
import { receiverFlag, secretFilesFlag } from '../../cli/webhooks/flags.js'
import { Secrets } from '../../cli/webhooks/secrets.js'
import { UsageError } from '../../contract/index.js'
import { type SentRow, sentView } from '../../render/webhook-views.js'
import { shownUrl } from '../../shared/web-address.js'
import { isAccepted, sampleEvent, sendEvent } from '../../webhooks/index.js'
import { namedKey, redirectText } from '../../webhooks/internal.js'

export default class SendWebhook extends BaseCommand {
  static override summary = 'Sign an event and post it to a receiver. Exits 0 on a 2xx response.'
  static override examples = [
    '<%= config.bin %> webhooks send delivery.delivered --to http://localhost:3000/hooks',
    '<%= config.bin %> webhooks send delivery.failed --to http://localhost:3000/hooks --set delivery.statusReasonCode=gate_closed',
    '<%= config.bin %> webhooks send --file event.json --to http://localhost:3000/hooks --secret-file secret.txt',
  ]
  static override args = { type: Args.string({ description: 'Event type, with a sample body', ignoreStdin: true }) }
  static override flags = {
    to: receiverFlag,
    file: Flags.string({ char: 'f', summary: 'File with the exact body; - for standard input', helpValue: 'BODY' }),
    set: Flags.string({
      summary: 'Set a field of the sample body',
      helpValue: 'PATH=VALUE',
      exclusive: ['file'],
      ...repeatable,
    }),
    'secret-file': secretFilesFlag('Secret; repeatable'),
    ...allowWeakSecretFlag,
    id: Flags.string({ summary: "webhook-id (default: the body's eventId)", helpValue: 'ID' }),
  }

  private secrets!: Secrets

  async run(): Promise<SentRow> {
    const { args, flags } = await this.parse(SendWebhook)
    this.secrets = new Secrets(this.session)
    if ((args.type === undefined) === (flags.file === undefined))
      throw new UsageError('Expected an event type or --file.', { hint: 'dlv explain lists the event types.' })
    checkReceiver(flags.to, '--to')
    this.session.output.checkColumns(sentView, 'url', 'body')
    const secrets = (await this.secrets.given(flags['secret-file'], flags['allow-weak-secret'])).map(namedKey)
    const body =
      flags.file === undefined
        ? sampleBody(args.type ?? '', flags.set ?? [])
        : await readInputBytes(this.session.context, flags.file, '--file')
    const sent = await sendEvent({ url: flags.to, secrets, body, id: flags.id })
    const row: SentRow = {
      id: sent.id,
      url: shownUrl(flags.to),
      status: sent.answered ? sent.status : null,
      durationMs: sent.durationMs,
      error: sent.answered ? (redirectText(sent) ?? null) : sent.message,
      body: sent.answered && sent.body.length > 0 ? sent.body.toString('utf8') : null,
    }
    await this.session.show(sentView, row)
    if (!sent.answered) this.session.endWith(exitCodes.noAnswer)
    else if (!isAccepted(sent)) this.session.endWith(exitCodes.otherOutcome)
    return row
  }
}

/** The body of a sample event of a type, with fields set as `path=value`. Throws `UsageError` for an unknown type. */
function sampleBody(type: string, assignments: readonly string[]): string {
  return JSON.stringify(withAssignments(sampleEvent(parseKnownEventType(type, 'TYPE')), assignments, 'answer'))
}
