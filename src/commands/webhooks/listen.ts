import { parseDurationMs, parseTime } from '../../cli/durations.js'
import { exitCodes } from '../../cli/exit-codes.js'
import { takeSignals } from '../../cli/interruption.js'
import { forwardingOf, listenFlags, tlsOf } from '../../cli/listen-flags.js'
import { pullInto } from '../../cli/listen-pull.js'
import { expectEvents, listenUntil } from '../../cli/listen-run.js'
import { parseRoutes } from '../../cli/routes.js'
import { WebhookCommand } from '../../cli/webhook-command.js'
import type { ListenerRecord } from '../../listener/index.js'
import { listenerLine } from '../../render/listener-lines.js'

export default class Listen extends WebhookCommand {
  static override summary = 'Receive webhooks: verified, kept on disk before they are acknowledged, passed on.'
  static override description =
    'In the local profile the embedded sandbox posts here by itself, also for commands in other processes. Ends with 130 on Ctrl-C, 143 on SIGTERM, 9 where --expect was not met.'
  static override examples = [
    '<%= config.bin %> webhooks listen',
    '<%= config.bin %> webhooks listen --forward-to http://localhost:3000/hooks --show-response',
    '<%= config.bin %> webhooks listen --pull --since 2h',
    "<%= config.bin %> webhooks listen --expect delivery.delivered --within 60s --exec 'npm test'",
    '<%= config.bin %> webhooks listen -o ndjson | jq .eventType',
  ]
  static override flags = listenFlags

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen)
    const stop = new AbortController()
    const signal = AbortSignal.any([takeSignals(), stop.signal])
    const secrets = await this.secrets(flags['secret-file'])
    const { startListener, matchesType } = await import('../../listener/index.js')
    const shown = flags.events?.split(',').map((type) => type.trim())
    const isShown = (record: ListenerRecord) =>
      shown === undefined || !('eventType' in record) || matchesType(shown, record.eventType ?? undefined)
    const expected = expectEvents(
      flags.expect,
      flags.count ?? 1,
      flags.within === undefined ? undefined : parseDurationMs(flags.within, '--within'),
      matchesType,
    )
    const listener = await startListener({
      secrets,
      otherSecrets: this.foreignSecrets(secrets),
      journalFile: await this.journalFile(),
      ...(flags.host === undefined ? {} : { host: flags.host }),
      ...(flags.port === undefined ? {} : { port: flags.port }),
      ...(flags.path === undefined ? {} : { path: flags.path }),
      ...(flags['allow-host'] === undefined ? {} : { allowedHosts: flags['allow-host'] }),
      ...tlsOf(flags),
      forward: {
        routes: parseRoutes(flags['forward-to'] ?? [], await this.projectRoutes(), shown),
        ...forwardingOf(flags),
      },
      onRecord: (record) => {
        if (isShown(record)) this.print(record)
        expected.see(record)
      },
      onFailure: (failure) => {
        this.notices.warn(failure.message)
        this.endWith(exitCodes.defect)
        stop.abort()
      },
    })
    this.onClose(() => this.printed)
    this.onClose(() => listener.close())
    const [secret = { name: '', secret: '' }] = secrets
    await this.registerWithSandbox(listener.url, secrets)
    if (flags.pull || flags.since !== undefined) {
      const sinceMs = flags.since === undefined ? undefined : Date.parse(parseTime(flags.since, '--since', Date.now()))
      const client = await this.api({ signal })
      const onError = (error: unknown) => this.notices.warn(error instanceof Error ? error.message : String(error))
      const pulled = pullInto({
        client,
        listener,
        secret,
        sinceMs,
        once: !flags.pull,
        cursorName: `pull-${await this.profileName()}`,
        onError,
        signal,
      })
      if (!flags.pull) await pulled
    }
    this.endWith(await listenUntil(listener, secret.secret, expected.met, flags.exec, signal))
  }

  /** Records come one after the other, and so do their lines, however slowly they are read. */
  private printed: Promise<void> = Promise.resolve()

  private print(record: ListenerRecord): void {
    const style = { ...this.output.style, nowMs: Date.now() }
    this.printed = this.printed.then(() =>
      this.output.isJson ? this.output.record(record) : this.output.text(listenerLine(record, style)),
    )
  }
}
