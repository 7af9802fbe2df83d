import { isRecord, tryParseJson } from '../../shared/json.js'
import { targetName } from '../../shared/target-name.js'
import { isAccepted, type PostResult, post, replayableHeaders, signatureHeaders } from '../../webhooks/index.js'
import { namedKey, redirectText } from '../../webhooks/internal.js'
import { accountOf, type JournalEvent, type ListenerSecret } from '../journal/event.js'
import type { ForwardedRecord } from '../records.js'

/** The contract gives a receiver 10 s; half of it is a reason to warn. */
const slowAfterMs = 5_000

export interface AttemptOptions {
  secrets: readonly ListenerSecret[]
  /** The account of secrets that name none. */
  account: string | undefined
  toleranceSeconds: number
  /** For one attempt; 0 for no limit. */
  timeoutMs: number
  ca: string | undefined
  now(): number
  signal: AbortSignal
}

/** The result of posting an event to a target once. */
export interface ForwardAttempt {
  url: string
  event: JournalEvent
  outcome: PostResult
  /** The target answered 2xx. */
  delivered: boolean
  /** Signed again because the original signature was too old to be taken, or because that was asked for. */
  signedAgain: boolean
}

/**
 * Posts an event with its original headers; with a new signature if `resign` asks for it, or if the old one is so
 * old that every verifier must refuse it. Never throws for what the network does.
 */
export async function attempt(
  url: string,
  event: JournalEvent,
  options: AttemptOptions,
  resign = false,
): Promise<ForwardAttempt> {
  const { toleranceSeconds, timeoutMs, ca, signal } = options
  const nowSeconds = Math.floor(options.now() / 1000)
  const isFresh = Math.abs(nowSeconds - event.timestampSeconds) < toleranceSeconds - 10
  const signed = isFresh && !resign ? undefined : newSignature(event, options, nowSeconds)
  const headers = { ...replayableHeaders(event.rawHeaders), ...signed }
  const outcome = await post({ url, headers, body: event.body, timeoutMs, signal, ca })
  return { url, event, outcome, delivered: isAccepted(outcome), signedAgain: signed !== undefined }
}

/** Whether the target refuses this very event: every other failure may pass, and tells nothing of the event. */
export function refusesEvent(outcome: PostResult): boolean {
  // An app that takes an event and never answers would be sent it once a minute for days.
  if (!outcome.answered) return outcome.isTaken === true
  return outcome.status >= 400 && outcome.status < 500 && ![408, 425, 429].includes(outcome.status)
}

/**
 * By the secret that verified the event, or the first one of its account if that is no longer given; `undefined` if the
 * account has none.
 */
function newSignature(
  event: JournalEvent,
  { secrets, account }: Pick<AttemptOptions, 'secrets' | 'account'>,
  timestampSeconds: number,
) {
  const own = secrets.filter((one) => accountOf(one, account) === event.account)
  const named = own.find(({ name }) => name === event.secret) ?? own[0]
  if (named === undefined) return undefined
  return signatureHeaders({ secrets: [namedKey(named)], id: event.id, timestampSeconds, body: event.body })
}

function referenceIn(body: Uint8Array): { reference?: string } {
  const event = tryParseJson(Buffer.from(body).toString('utf8'))?.value
  const delivery = isRecord(event) ? event.delivery : undefined
  const reference = isRecord(delivery) ? delivery.clientOrderReference : undefined
  return typeof reference === 'string' ? { reference } : {}
}

function errorOf(outcome: PostResult): { error?: string } {
  if (outcome.answered) {
    const error = redirectText(outcome)
    return error === undefined ? {} : { error }
  }
  const taken = ': the app took the event and did not answer within the time limit of forwards'
  return { error: outcome.isTaken === true ? `${outcome.message}${taken}` : outcome.message }
}

/** The attempt as it is reported: its number counted from 1, and when the next one follows or that none does. */
export function recordOf(
  { url, event, outcome, delivered, signedAgain }: ForwardAttempt,
  number: number,
  next: { retryInMs?: number | undefined; givenUp?: boolean },
  showResponse: boolean,
): ForwardedRecord {
  return {
    type: 'forwarded',
    ...(event.account === '' ? {} : { account: event.account }),
    eventId: event.id,
    eventType: event.eventType ?? null,
    deliveryId: event.deliveryId ?? null,
    ...referenceIn(event.body),
    url: targetName(url),
    status: outcome.answered ? outcome.status : null,
    durationMs: outcome.durationMs,
    attempt: number,
    delivered,
    signedAgain,
    ...errorOf(outcome),
    ...(outcome.durationMs > slowAfterMs ? { warning: 'slower than 5 s; the service gives up after 10 s' } : {}),
    ...(showResponse && outcome.answered ? { body: outcome.body.toString() } : {}),
    ...(next.retryInMs === undefined ? {} : { retryInMs: next.retryInMs }),
    ...(next.givenUp === true ? { givenUp: true as const } : {}),
  }
}
