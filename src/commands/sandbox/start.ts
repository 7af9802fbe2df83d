import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { refuseOnProduction } from '../../cli/command/production-guard.js'
import { repeatable } from '../../cli/command/write-flags.js'
import { parseCountOrOff } from '../../cli/input/durations.js'
import { pathOf } from '../../cli/input/named-file.js'
import { styleFor } from '../../cli/process/terminal.js'
import { parseSwitches, switchLines } from '../../cli/sandbox/switches.js'
import { embeddedFile, inProcess } from '../../cli/session/embedded-sandbox.js'
import { openInspector, pageClient, uiFlag } from '../../cli/ui/inspector.js'
import { UsageError } from '../../contract/index.js'
import { noProfile } from '../../profiles/index.js'
import { card } from '../../render/card.js'
import { plainText } from '../../render/plain-text.js'
import { type AnsweredRequest, requestLine } from '../../render/sandbox-lists.js'
import { paint } from '../../render/style.js'
import type { RunningSandbox } from '../../sandbox/index.js'

export default class StartSandbox extends BaseCommand {
  static override summary = 'Serve the embedded sandbox over HTTP until Ctrl-C.'
  static override description = [
    'Serves the same state as the embedded sandbox and sends webhooks. With -o json or ndjson, the first line on stdout is the ready line with URLs, key and signing secret. Each request is logged on stderr as one line; --quiet turns that off.',
    'Where the contract is ambiguous, a switch chooses. The first choice is the default. Switches are stored with the state; dlv sandbox switches shows and changes them:',
    switchLines().join('\n'),
  ].join('\n\n')
  static override examples = [
    '<%= config.bin %> sandbox start',
    '<%= config.bin %> sandbox start --port 0 --data :memory: -o json',
    '<%= config.bin %> sandbox start --time-scale 60 --rate-limit off',
    '<%= config.bin %> sandbox start --switch duplicates=active --switch lookupShape=array',
  ]
  static override flags = {
    host: Flags.string({
      summary: 'Address to listen on',
      default: '127.0.0.1',
      helpValue: 'HOST',
    }),
    'allow-host': Flags.string({
      summary: 'Accept requests for this host name; repeatable',
      helpValue: 'NAME',
      ...repeatable,
    }),
    'allow-http-receivers': Flags.boolean({ summary: 'Send webhooks by http on private networks' }),
    port: Flags.integer({ char: 'p', summary: 'Port; 0 for any free port', default: 4010, min: 0, max: 65_535 }),
    data: Flags.string({ summary: 'State file, or :memory:', helpValue: 'FILE' }),
    'time-scale': Flags.integer({ summary: 'Sandbox seconds per real second', min: 1, max: 1_000_000 }),
    'rate-limit': Flags.string({ summary: 'Requests per second, or off', helpValue: 'N|off' }),
    switch: Flags.string({
      summary: 'Set a switch; repeatable',
      helpValue: 'NAME=VALUE',
      ...repeatable,
    }),
    seed: Flags.integer({ summary: 'Seed for repeatable ids and faults' }),
    ...uiFlag,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(StartSandbox)
    refuseOnProduction(await this.session.account.settings({ needsKey: false }), 'sandbox start')
    const signal = this.session.takeSignals()
    const { stderr } = this.session.context
    const stderrStyle = styleFor(stderr, this.session.context.env, flags.color, this.session.nowMs())
    // Requests that are answered in one turn of the event loop share a write.
    let lines = ''
    const flush = () => {
      stderr.write(lines)
      lines = ''
    }
    const log = (request: AnsweredRequest) => {
      if (lines === '') setImmediate(flush)
      lines += `${requestLine(request, { ...stderrStyle, nowMs: this.session.nowMs() })}\n`
    }
    const { startSandbox } = await import('../../sandbox/index.js')
    const starting = startSandbox({
      keepAlive: true,
      host: flags.host,
      port: flags.port,
      data: this.stateFile(flags.data),
      ...(flags.quiet ? {} : { onRequest: log }),
      allowedHosts: flags['allow-host'] ?? [],
      allowHttpReceivers: flags['allow-http-receivers'],
      ...(flags['time-scale'] === undefined ? {} : { timeScale: flags['time-scale'] }),
      ...(flags['rate-limit'] === undefined
        ? {}
        : { rateLimit: parseCountOrOff(flags['rate-limit'], '--rate-limit', 1) }),
      ...(flags.switch === undefined ? {} : { switches: parseSwitches(flags.switch) }),
      ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    })
    const sandbox = await starting.catch((error: unknown) => {
      throw withHintFor(flags.data, error)
    })
    this.session.onClose(() => sandbox.close())
    for (const text of openings(flags['allow-host'], flags['allow-http-receivers']))
      stderr.write(`${paint(stderrStyle, 'yellow', 'warning:')} ${text}\n`)
    const { baseUrl, controlUrl, apiKey, webhookSecret } = sandbox
    const data = flags.data ?? sandbox.data
    const uiUrl = flags.ui ? await this.showPage(sandbox) : undefined
    if (this.session.output.isJson || !this.session.output.style.terminal)
      await this.session.output.record({
        type: 'ready',
        baseUrl,
        controlUrl,
        apiKey,
        webhookSecret,
        data,
        ...(uiUrl === undefined ? {} : { uiUrl }),
      })
    else
      await this.session.output.text(
        card(
          paint(this.session.output.style, 'green', 'The sandbox is ready.'),
          [
            ['Base URL', baseUrl],
            ['Control', controlUrl],
            ['Key', apiKey],
            ['Signing secret', webhookSecret],
            ['State', data],
            ...(uiUrl === undefined ? [] : [['Page', uiUrl, 'whole'] as [string, string, 'whole']]),
            ['Try', `DLV_BASE_URL=${baseUrl} DLV_API_KEY=${apiKey} dlv deliveries list`, 'whole'],
            ['Stop', 'Ctrl-C'],
          ],
          this.session.output.style,
        ),
      )
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }

  /** Serves the page beside the sandbox, and returns its URL. */
  private async showPage(sandbox: RunningSandbox): Promise<string> {
    const { createClient } = await import('../../client/index.js')
    const { baseUrl, apiKey } = sandbox
    const client = createClient({ baseUrl, apiKey, ...(await pageClient()), transport: await inProcess(sandbox) })
    const settings = { profile: 'served sandbox', environment: 'sandbox' as const, baseUrl, apiKey, sources: {} }
    const { dataName } = await this.session.account.identityOf({ ...settings, profile: noProfile, isKeyUnread: false })
    const inspector = await openInspector(
      {
        client,
        control: sandbox.steer,
        sandbox,
        secrets: () => [{ name: 'sandbox', secret: sandbox.webhookSecret }],
        command: `DLV_BASE_URL=${baseUrl} DLV_API_KEY=${apiKey} dlv`,
      },
      { settings, dataName, config: this.config, notices: this.session.notices },
      { orFreePort: true },
    )
    this.session.onClose(() => inspector.close())
    return inspector.url
  }

  private stateFile(given: string | undefined): string {
    if (given === undefined) return embeddedFile(this.config.dataDir)
    return given === ':memory:' ? given : pathOf(this.session.context, given)
  }
}

/**
 * `sandbox reset` and `snapshot restore` concern the state of the embedded sandbox: whoever has another file must not be sent
 * there.
 */
function withHintFor(data: string | undefined, error: unknown): unknown {
  if (data === undefined || !(error instanceof UsageError) || !error.message.includes('is damaged')) return error
  return new UsageError(error.message, {
    hint: 'It was left unchanged. Move it away for an empty state, or name another file with --data.',
    cause: error,
  })
}

/** The access that these flags open, stated before the first request: the sandbox's keys are public. */
function openings(names: readonly string[] = [], allowsHttp: boolean): string[] {
  const named = names.map(
    (name) => `Whoever reaches this machine as ${plainText(name)} can call and control the sandbox.`,
  )
  return allowsHttp
    ? [...named, 'Webhooks may go by http, unencrypted, to private networks and names without a dot.']
    : named
}
