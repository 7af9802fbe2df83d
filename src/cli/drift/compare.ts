import { existsSync } from 'node:fs'
import { z } from 'zod'
import { type Client, createPacer } from '../../client/index.js'
import { ApiError, UsageError } from '../../contract/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { pathOf, readInputText } from '../input/read.js'
import { templateOrder } from '../orders/template-order.js'
import { exitCodes } from '../process/exit-codes.js'
import { accountKind } from '../session/account-kind.js'
import type { Session } from '../session/session.js'
import type { Journals } from '../webhooks/journals.js'
import { checkEvent, checkResponse, type ObservedResponse } from './check.js'
import { type Findings, readBaseline } from './finding.js'
import {
  type Created,
  cancelCreated,
  LiveAccountError,
  probeLives,
  probeReads,
  type Route,
  usedRoute,
} from './probe.js'

export async function knownDifferences(
  session: Session,
  file: string | undefined,
  isWritten: boolean,
): Promise<ReadonlySet<string>> {
  if (file === undefined || (isWritten && !existsSync(pathOf(session.context, file)))) return new Set()
  return readBaseline(await readInputText(session.context, file, '--baseline'), file)
}

export async function compareArchive(session: Session, file: string, findings: Findings): Promise<void> {
  const observed = observedOfHar(await readInputText(session.context, file, '--har'))
  if (observed === undefined)
    throw new UsageError(`--har ${file} is not an HTTP archive.`, { hint: 'Save one from a browser or a proxy.' })
  for (const one of observed) add(findings, one)
}

export async function compareLines(session: Session, file: string, findings: Findings): Promise<void> {
  const lines = (await readInputText(session.context, file, '--input')).split('\n')
  let other = 0
  for (const line of lines) {
    if (line.trim() === '') continue
    const observed = observedOfLine(line)
    if (observed === undefined) other++
    else add(findings, observed)
  }
  if (other > 0) session.notices.warn(`${other} lines of ${file} are neither events nor responses.`)
}

export async function compareJournal(journals: Journals, findings: Findings): Promise<void> {
  const journal = await journals.open()
  for await (const { body } of journal.list()) {
    const json = tryParseJson(body)
    if (json !== undefined) add(findings, { event: json.value })
  }
}

/** Probes the service, and returns what could not be tried. */
export async function probe(session: Session, findings: Findings, store: string | undefined): Promise<string[]> {
  const client = await session.client({ pacer: createPacer(), retries: { maxRetries: 2 } })
  await refuseUnknownKey(client)
  const notTried = await probeAsTest(session, client, findings, store)
  await probeReads(client, findings, client.serviceNowMs() ?? session.nowMs())
  for (const part of notTried) session.notices.notice(`Not tried: ${part}.`)
  return notTried
}

/** A service says the same of everything to a key that it does not know. @throws ApiError if it does not know this one */
async function refuseUnknownKey(client: Client): Promise<void> {
  await client.getCapabilities().catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) throw error
  })
}

/** The requests that only a test account may get. Whatever they leave under way is cancelled and named. */
async function probeAsTest(
  session: Session,
  client: Client,
  findings: Findings,
  given: string | undefined,
): Promise<string[]> {
  const settings = await session.account.settings()
  const writes = 'quotes, creation, update, simulation, cancellation'
  if (settings.environment === 'production') return [`${writes}: the account is production`]
  if (session.output.isGathered) return [`${writes}: several accounts were asked for, and what writes takes one`]
  const { kind, answer } = await accountKind(client)
  if (kind !== 'test')
    return [`${writes}: the account did not prove to be a test account; simulating an unknown delivery got ${answer}`]
  const nowMs = client.serviceNowMs() ?? session.nowMs()
  const route = (await usedRoute(client, nowMs, given)) ?? (await ownRoute(session))
  if (route === undefined) return [`${writes}: no store is known; name one with --store`]
  const created: Created = new Map()
  try {
    const name = `DRIFT-${session.nowMs().toString(36).toUpperCase()}`
    return await probeLives(client, findings, { name, route, created })
  } catch (error) {
    if (!(error instanceof LiveAccountError)) throw error
    if (created.size > 0) session.endWith(exitCodes.otherOutcome)
    return [`what only a test account may get: ${error.message}`]
  } finally {
    for (const line of await cancelCreated(client, created)) session.notices.warn(line)
  }
}

/** A route of a sandbox of this user, which may have no deliveries yet. */
async function ownRoute(session: Session): Promise<Route | undefined> {
  if (!(await session.account.isOwnSandbox(await session.account.settings()))) return undefined
  return { store: templateOrder.pickup.storeReference, address: templateOrder.dropoff.address }
}

function add(findings: Findings, observed: Observed): void {
  if ('event' in observed) findings.add(checkEvent(observed.event))
  else {
    const found = checkResponse(observed.response)
    if (found !== undefined) findings.add(found)
  }
}

/** Something to compare with the contract. */
type Observed = { response: ObservedResponse } | { event: unknown }

const NamedValues = z.array(z.object({ name: z.string(), value: z.string() }))
const Content = z.object({ text: z.string().optional(), encoding: z.string().optional() }).nullish()
const HarEntry = z.object({
  request: z.object({ method: z.string(), url: z.string(), headers: NamedValues.default([]), postData: Content }),
  response: z.object({ status: z.number(), headers: NamedValues.default([]), content: Content }).nullish(),
})
const Har = z.object({ log: z.object({ entries: z.array(z.unknown()) }) })

/**
 * The responses and webhooks of an HTTP archive; `undefined` if the text is none. A request that carries a webhook's
 * headers is a webhook.
 */
function observedOfHar(text: string): Observed[] | undefined {
  const archive = Har.safeParse(tryParseJson(text)?.value)
  if (!archive.success) return undefined
  return archive.data.log.entries.flatMap((candidate): Observed[] => {
    const entry = HarEntry.safeParse(candidate)
    if (!entry.success) return []
    const { request, response } = entry.data
    if (request.headers.some(({ name }) => name.toLowerCase() === 'webhook-id')) {
      const json = tryParseJson(contentText(request.postData))
      return json === undefined ? [] : [{ event: json.value }]
    }
    const path = servicePath(request.url)
    if (response == null || path === undefined || response.status === 0) return []
    const headers = response.headers.map(({ name, value }): [string, string] => [name, value])
    return [
      {
        response: {
          method: request.method,
          path,
          status: response.status,
          headers,
          body: contentText(response.content),
        },
      },
    ]
  })
}

const Recorded = z.object({
  method: z.string(),
  path: z.string().optional(),
  url: z.string().optional(),
  status: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.unknown(),
})

/**
 * Reads a recorded line of NDJSON: an event of `webhooks listen`, `events list` or `webhooks log`, an event itself, or
 * a response as `{method, path, status, headers, body}`. `undefined` if it is neither.
 */
function observedOfLine(line: string): Observed | undefined {
  const value = tryParseJson(line)?.value
  if (!isRecord(value)) return undefined
  const exchange = Recorded.safeParse(value)
  if (exchange.success) {
    const { method, status, headers, body } = exchange.data
    const path = exchange.data.path ?? servicePath(exchange.data.url ?? '')
    if (path === undefined) return undefined
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
    return { response: { method, path, status, headers: Object.entries(headers), body: text } }
  }
  if (isRecord(value.event)) return { event: value.event }
  if (isRecord(value.data) && typeof value.eventType === 'string') return { event: value.data }
  return typeof value.eventType === 'string' ? { event: value } : undefined
}

/** The part of an address below the major version, wherever the service is. */
function servicePath(url: string): string | undefined {
  return /\/delivery\/v\d+(?<path>\/[^?#]*)/.exec(url)?.groups?.path
}

function contentText(content: z.infer<typeof Content>): string {
  const { text = '', encoding } = content ?? {}
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text
}
