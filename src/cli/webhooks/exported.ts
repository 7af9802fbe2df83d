import { UsageError } from '../../contract/index.js'
import type { JournalEvent } from '../../listener/index.js'
import { plainLines, safeJsonText } from '../../render/plain-text.js'
import { isRecord } from '../../shared/json.js'
import { type ParsedSecret, signatureHeaders, webhookHeaders } from '../../webhooks/index.js'
import { type ExportedEvent, type ExportFormat, exportEvent, namedKey } from '../../webhooks/internal.js'
import { type EventService, eventService } from '../events/event-service.js'
import { eventsOfService, receivedEvent } from '../events/replay-source.js'
import { writeOut } from '../process/streams.js'
import { embeddedControl, type SandboxControl, servedControl } from '../sandbox/control.js'
import type { Session } from '../session/session.js'
import type { Journals } from './journals.js'
import { Secrets } from './secrets.js'

/** The event as it was received, or as the service lists it if it was not received here. */
export async function evidenceOf(session: Session, journals: Journals, id: string): Promise<ExportedEvent> {
  const journal = await journals.ifAny()
  const received = await journal?.get(id)
  if (received !== undefined) return receivedAsIs(received)
  const { sources } = await session.account.settings({ needsKey: false })
  if (sources.apiKey === 'none') return receivedAsIs(await receivedEvent(await journals.open(), id))
  const client = await session.client()
  const service = eventService(client, session.clocks(client))
  const secrets = (await new Secrets(session).given()).map(namedKey)
  const warn = (text: string) => session.notices.warn(text)
  const listed = await listedAndSigned(id, { service, secrets, nowMs: session.nowMs(), warn })
  if (listed !== undefined) return { ...listed, url: await receiverOf(session, id) }
  throw new UsageError(`Event "${id.slice(0, 80)}" has no body that can be exported.`)
}

/** The address to which a sandbox of this user posted the event. */
async function receiverOf(session: Session, id: string): Promise<string | undefined> {
  const settings = await session.account.settings({ needsKey: false })
  const { baseUrl } = settings
  if (baseUrl === undefined) return sandboxReceiver(id, embeddedControl(await session.account.sandbox()))
  if (!(await session.account.isOwnSandbox(settings))) return undefined
  return sandboxReceiver(id, await servedControl(baseUrl, session.account.proofPlace))
}

/** Prints the exact bytes; a terminal gets none that it would act on. */
export async function printExport(session: Session, event: ExportedEvent, format: ExportFormat): Promise<void> {
  const bytes = exportEvent(event, format, { name: 'dlv', version: session.config.version })
  const { jq } = session.output.choices
  const isJson = format === 'har' || format === 'fixture'
  if (jq !== undefined && !isJson)
    throw new UsageError(`--jq cannot read --as ${format}, which is not JSON.`, {
      hint: 'Use --as har or --as fixture.',
    })
  session.notices.notice('The output contains personal data.')
  if (jq !== undefined) return session.output.json(Buffer.from(bytes).toString())
  if (format !== 'http')
    return writeOut(session.context.stdout, Buffer.from(safeJsonText(Buffer.from(bytes).toString())))
  const isTerminal = session.output.style.terminal
  await writeOut(
    session.context.stdout,
    isTerminal ? Buffer.from(`${plainLines(Buffer.from(bytes).toString())}\n`) : bytes,
  )
}

/** A received event as it came. */
function receivedAsIs({ id, body, rawHeaders, receivedAtMs, eventType }: JournalEvent): ExportedEvent {
  return { id, body, rawHeaders, receivedAtMs, eventType }
}

/**
 * An event of the service's list, which was not received here: with its exact body, and signed now as the service would.
 *
 * @throws UsageError if the service does not list it
 */
async function listedAndSigned(
  id: string,
  around: {
    service: EventService
    secrets: readonly (string | ParsedSecret)[]
    nowMs: number
    warn(text: string): void
  },
): Promise<ExportedEvent | undefined> {
  const { service, secrets, nowMs, warn } = around
  for await (const { body } of eventsOfService({ service, journal: undefined, warn }, [id], { query: {} })) {
    const signed = signatureHeaders({ secrets, id, timestampSeconds: Math.floor(nowMs / 1000), body })
    return { id, body, rawHeaders: Object.entries(webhookHeaders(signed)).flat(), receivedAtMs: nowMs }
  }
  return undefined
}

/** The endpoint that a sandbox has posted an event to; `undefined` if it has not posted it. */
async function sandboxReceiver(id: string, control: SandboxControl): Promise<string | undefined> {
  const listOf = (value: unknown, name: string) => {
    const list = isRecord(value) ? value[name] : undefined
    return Array.isArray(list) ? list.filter(isRecord) : []
  }
  const attempts = listOf(await control('GET', `/attempts?eventId=${encodeURIComponent(id)}`), 'attempts')
  const endpoints = listOf(await control('GET', '/endpoints'), 'endpoints')
  const posted = endpoints.find((endpoint) => attempts.some(({ endpointId }) => endpointId === endpoint.id))
  return typeof posted?.url === 'string' ? posted.url : undefined
}
