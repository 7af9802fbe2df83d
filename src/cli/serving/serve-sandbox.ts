import { Flags, type Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { noProfile } from '../../profiles/index.js'
import { card } from '../../render/cards.js'
import { plainText } from '../../render/plain-text.js'
import { type AnsweredRequest, requestLine } from '../../render/sandbox-lists.js'
import { paint, type Style } from '../../render/style.js'
import type { RunningSandbox } from '../../sandbox/index.js'
import { repeatable } from '../command/write-flags.js'
import { pathOf } from '../input/read.js'
import { parseCountOrOff } from '../input/times.js'
import { styleFor } from '../process/terminal.js'
import { parseSwitches } from '../sandbox/switches.js'
import { embeddedFile, inProcess } from '../session/embedded-sandbox.js'
import type { Session } from '../session/session.js'
import { openInspector, pageClient, uiFlag } from '../ui/inspector.js'

/** Flags of `sandbox start`. */
export const startFlags = {
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

type StartFlags = Interfaces.InferredFlags<typeof startFlags>

/** `sandbox start`: start it, say what it opens, serve the page if asked to, print where it is, and wait for a signal. */
export async function serveSandbox(session: Session, flags: StartFlags): Promise<void> {
  const signal = session.takeSignals()
  const { stderr, env } = session.context
  const style = styleFor(stderr, env, session.flags.color, session.nowMs())
  const sandbox = await start(session, flags, session.flags.quiet ? undefined : requestLog(session, style))
  session.onClose(() => sandbox.close())
  for (const text of openings(flags['allow-host'], flags['allow-http-receivers']))
    stderr.write(`${paint(style, 'yellow', 'warning:')} ${text}\n`)
  const uiUrl = flags.ui ? await showPage(session, sandbox) : undefined
  await sayReady(session, sandbox, flags.data ?? sandbox.data, uiUrl)
  session.notices.stay()
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

type RequestLog = (request: AnsweredRequest) => void

async function start(session: Session, flags: StartFlags, onRequest: RequestLog | undefined): Promise<RunningSandbox> {
  const { startSandbox } = await import('../../sandbox/index.js')
  const { 'time-scale': timeScale, 'rate-limit': rateLimit, switch: switches, seed } = flags
  const starting = startSandbox({
    keepAlive: true,
    host: flags.host,
    port: flags.port,
    data: stateFile(session, flags.data),
    ...(onRequest === undefined ? {} : { onRequest }),
    allowedHosts: flags['allow-host'] ?? [],
    allowHttpReceivers: flags['allow-http-receivers'],
    ...(timeScale === undefined ? {} : { timeScale }),
    ...(rateLimit === undefined ? {} : { rateLimit: parseCountOrOff(rateLimit, '--rate-limit', 1) }),
    ...(switches === undefined ? {} : { switches: parseSwitches(switches) }),
    ...(seed === undefined ? {} : { seed }),
  })
  return starting.catch((error: unknown) => {
    throw withHintFor(flags.data, error)
  })
}

/** Writes a line a request on stderr; those that are answered in one turn of the event loop share a write. */
function requestLog({ context }: Session, style: Style): RequestLog {
  let lines = ''
  const flush = () => {
    context.stderr.write(lines)
    lines = ''
  }
  return (request) => {
    if (lines === '') setImmediate(flush)
    lines += `${requestLine(request, { ...style, nowMs: context.nowMs() })}\n`
  }
}

async function sayReady(
  { output }: Session,
  sandbox: RunningSandbox,
  data: string,
  uiUrl: string | undefined,
): Promise<void> {
  const { baseUrl, controlUrl, apiKey, webhookSecret } = sandbox
  if (output.isJson || !output.style.terminal)
    return output.record({
      type: 'ready',
      baseUrl,
      controlUrl,
      apiKey,
      webhookSecret,
      data,
      ...(uiUrl === undefined ? {} : { uiUrl }),
    })
  const page: [string, string, 'whole'][] = uiUrl === undefined ? [] : [['Page', uiUrl, 'whole']]
  await output.text(
    card(
      paint(output.style, 'green', 'The sandbox is ready.'),
      [
        ['Base URL', baseUrl],
        ['Control', controlUrl],
        ['Key', apiKey],
        ['Signing secret', webhookSecret],
        ['State', data],
        ...page,
        ['Try', `DLV_BASE_URL=${baseUrl} DLV_API_KEY=${apiKey} dlv deliveries list`, 'whole'],
        ['Stop', 'Ctrl-C'],
      ],
      output.style,
    ),
  )
}

/** Serves the page beside the sandbox, and returns its URL. */
async function showPage(session: Session, sandbox: RunningSandbox): Promise<string> {
  const { createClient } = await import('../../client/index.js')
  const { baseUrl, apiKey } = sandbox
  const client = createClient({ baseUrl, apiKey, ...(await pageClient()), transport: await inProcess(sandbox) })
  const settings = { profile: 'served sandbox', environment: 'sandbox' as const, baseUrl, apiKey, sources: {} }
  const { dataName } = await session.account.identityOf({ ...settings, profile: noProfile, isKeyUnread: false })
  const parts = {
    client,
    control: sandbox.steer,
    sandbox,
    secrets: () => [{ name: 'sandbox', secret: sandbox.webhookSecret }],
    command: `DLV_BASE_URL=${baseUrl} DLV_API_KEY=${apiKey} dlv`,
  }
  const { config, notices } = session
  const account = { parts, settings, dataName, config, notices }
  const page = { accounts: [account], areSeveral: false, unopened: [], notices }
  const inspector = await openInspector(page, { orFreePort: true })
  session.onClose(() => inspector.close())
  return inspector.url
}

function stateFile({ config, context }: Session, given: string | undefined): string {
  if (given === undefined) return embeddedFile(config.dataDir)
  return given === ':memory:' ? given : pathOf(context, given)
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
