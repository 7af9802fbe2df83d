import { shellWord } from '../../../shared/command-words.js'
import { isRecord, tryParseJson } from '../../../shared/json.js'
import { webAddress } from '../../../shared/web-address.js'
import {
  isAccepted,
  type SignatureHeaders,
  sendEvent,
  signatureHeaders,
  webhookHeaders,
} from '../../../webhooks/index.js'
import { type ExportFormat, exportEvent, maskNamesAndPhones, namedKey } from '../../../webhooks/internal.js'
import type { Done } from '../../wire/deliveries.js'
import { copyFormats, type EventDetail, type SentResult } from '../../wire/events.js'
import { accountQuery, type Backend } from '../backend.js'
import { type FoundEvent, findEvent } from '../events/find-event.js'
import { maskedBody, unmaskedBody } from '../events/masked-body.js'
import { fieldChanges, neighboursOf, verdictOf } from '../events/verdict.js'
import { bodyText, parameter, Refused, type Route, type RouteCall } from '../route.js'
import { sendAgain } from '../webhooks/send-again.js'

export const eventRoutes: readonly Route[] = [
  { method: 'GET', path: '/events/:eventId', handle: detail },
  { method: 'GET', path: '/events/:eventId/copy/:format', handle: copy },
  { method: 'POST', path: '/events/:eventId/resend', handle: resend },
  { method: 'POST', path: '/events/:eventId/send', handle: send },
]

async function detail(call: RouteCall): Promise<EventDetail> {
  const { backend, feed, deliveries, query } = call
  const found = await findEvent(backend, parameter(call, 'eventId'))
  const isMasked = query.get('unmask') !== '1'
  const text = Buffer.from(found.body).toString()
  const { previous, following } = await neighboursOf(backend, found)
  const shown = (value: unknown) => (isMasked ? maskNamesAndPhones(value) : value)
  const { received } = found
  const forwards = received === undefined ? [] : await backend.journal?.forwardsOf(received.seq)
  const rejected = feed.backlog().findLast((item) => item.kind === 'rejected' && item.eventId === found.eventId)
  return {
    eventId: found.eventId,
    eventType: found.eventType,
    occurredAt: found.occurredAt,
    deliveryId: found.deliveryId,
    reference: referenceIn(text) ?? deliveries.get(found.deliveryId ?? '')?.reference ?? null,
    isMasked,
    body: isMasked ? maskedBody(text) : text,
    bodyBytes: found.body.length,
    headers: headersOf(backend, found),
    receivedAt: received === undefined ? null : new Date(received.receivedAtMs).toISOString(),
    verdict: verdictOf(backend, found, rejected),
    lastDeliveryStatus: found.lastDeliveryStatus,
    attempts: found.attempts,
    next: found.next,
    forwards: (forwards ?? []).map(({ url, state, attempts, status }) => ({ url, state, attempts, status })),
    previous: previous && { eventId: previous.eventId, eventType: previous.eventType },
    following: following && { eventId: following.eventId, eventType: following.eventType },
    changes:
      previous === null
        ? []
        : fieldChanges(shown(snapshotIn(previous.data)), shown(snapshotIn(tryParseJson(text, 'answer')?.value))),
    canSendAgain: backend.control !== undefined && !backend.readOnly,
    targets: await targetsOf(backend),
  }
}

/** The part of an event that describes its subject; the fields of the envelope change with every event. */
function snapshotIn(event: unknown): unknown {
  if (!isRecord(event)) return event
  const { eventId, eventType, occurredAt, previousStatus, livemode, ...rest } = event
  return isRecord(event.delivery) ? { ...event.delivery, ...(event.eta === undefined ? {} : { eta: event.eta }) } : rest
}

function referenceIn(text: string): string | undefined {
  const event = tryParseJson(text)?.value
  const delivery = isRecord(event) && isRecord(event.delivery) ? event.delivery : {}
  return typeof delivery.clientOrderReference === 'string' ? delivery.clientOrderReference : undefined
}

const hidden: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** The headers as they came, without what is somebody's secret; or those that the service would send now. */
function headersOf(backend: Backend, found: FoundEvent): EventDetail['headers'] {
  const raw = found.received?.rawHeaders ?? Object.entries(signedNow(backend, found)).flat()
  return raw.flatMap((name, index) =>
    index % 2 === 1 ? [] : [[name, hidden.has(name.toLowerCase()) ? '[redacted]' : (raw[index + 1] ?? '')] as const],
  )
}

function signedNow({ secrets, nowMs }: Backend, { eventId, body }: FoundEvent): Record<string, string> {
  const timestampSeconds = Math.floor(nowMs() / 1_000)
  if (secrets.length === 0) return { 'content-type': 'application/json' }
  const signed: SignatureHeaders = signatureHeaders({
    secrets: secrets.map(namedKey),
    id: eventId,
    timestampSeconds,
    body,
  })
  return webhookHeaders(signed)
}

async function targetsOf(backend: Backend): Promise<string[]> {
  const { control, listener } = backend
  const endpoints = await control?.('GET', `/endpoints${accountQuery(backend)}`)
  const registered = isRecord(endpoints) && Array.isArray(endpoints.endpoints) ? endpoints.endpoints : []
  const urls = registered.flatMap((endpoint) =>
    isRecord(endpoint) && typeof endpoint.url === 'string' ? [endpoint.url] : [],
  )
  return [...new Set([...(listener === undefined ? [] : [listener.url]), ...urls])]
}

async function copy(call: RouteCall): Promise<{ text: string }> {
  const { backend } = call
  const format = parameter(call, 'format')
  if (!(copyFormats as readonly string[]).includes(format))
    throw new Refused(404, 'NOT_FOUND', `An event can be copied as ${copyFormats.join(', ')}.`)
  const found = await findEvent(backend, parameter(call, 'eventId'))
  const { eventId, eventType, body, received } = found
  const event = {
    id: eventId,
    body,
    eventType,
    rawHeaders: received?.rawHeaders ?? Object.entries(signedNow(backend, found)).flat(),
    receivedAtMs: received?.receivedAtMs ?? backend.nowMs(),
  }
  const bytes = exportEvent(event, format as ExportFormat, { name: 'dlv', version: backend.version })
  return { text: Buffer.from(bytes).toString() }
}

async function resend(call: RouteCall): Promise<Done> {
  const eventId = parameter(call, 'eventId')
  const { delivered, failed } = await sendAgain(call.backend, eventId, 'Use Edit and send.')
  const receivers = `${delivered + failed.length} ${delivered + failed.length === 1 ? 'receiver' : 'receivers'}`
  if (failed.length > 0) throw new Refused(422, 'NOT_DELIVERED', `Sent again to ${receivers}: ${failed.join('; ')}.`)
  return { message: `Sent again: delivered to ${receivers}.`, eventId }
}

/** The body is sent as it was edited, with what was left masked as it is in the original, and signed now. */
async function send(call: RouteCall): Promise<SentResult> {
  const { backend } = call
  const url = bodyText(call, 'target')
  if (webAddress(url) === undefined)
    throw new Refused(422, 'VALIDATION_ERROR', `Target must be a URL such as http://localhost:3000/hooks.`)
  if (backend.secrets.length === 0)
    throw new Refused(
      422,
      'NO_SECRET',
      'There is no secret to sign with.',
      backend.profile === 'no profile'
        ? 'Set DLV_WEBHOOK_SECRET to the one of your account.'
        : `Store the one of your account: dlv profiles secrets add ${shellWord(backend.profile)} FILE.`,
    )
  const found = await findEvent(backend, parameter(call, 'eventId'))
  const body = unmaskedBody(bodyText(call, 'body'), Buffer.from(found.body).toString())
  const reading = tryParseJson(body)
  if (reading === undefined) throw new Refused(422, 'VALIDATION_ERROR', 'Body is not JSON.', 'Nothing was sent.')
  const sent = await sendEvent({ url, body, secrets: backend.secrets.map(namedKey) })
  if (!sent.answered) throw new Refused(422, 'NO_ANSWER', `${url} did not answer: ${sent.message}.`)
  const said = sent.body.length === 0 ? '' : `: ${sent.body.toString('utf8').slice(0, 200)}`
  if (!isAccepted(sent)) throw new Refused(422, 'NOT_ACCEPTED', `${url} answered ${sent.status}${said}`)
  const { id, status, durationMs } = sent
  const isKnown = id === found.eventId || (await backend.journal?.get(id)) !== undefined
  return { message: `Sent to ${url}: ${status} after ${durationMs} ms.`, eventId: id, isKnown }
}
