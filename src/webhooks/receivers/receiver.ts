import { SignatureError, type WebhookEvent } from '../../contract/index.js'
import type { HeaderSource } from '../header-lines.js'
import { parseSecret } from '../secret.js'
import { type Acceptance, answerStatusOf, unreadableBody, type Verdict, verdictReasons } from '../verdict.js'
import { defaultMaxBodyBytes, verify } from '../verify.js'
import { type HandlerOutcome, handlerOutcomes } from './handler-outcome.js'
import { type SeenIds, seenIdsInMemory } from './seen-ids.js'

export interface ReceiverOptions {
  /** The active secrets; during a rotation both. */
  secrets: string | readonly string[]
  /**
   * Called once for each event. Keep it short: store the event and return, the sender waits 10 seconds at most. May
   * answer with a `HandlerOutcome`. Where it throws, the answer is 500 and the event comes again.
   */
  onEvent(event: WebhookEvent, about: Acceptance): unknown
  /** Which ids have been handled; in the memory of this process unless given. Use your database for anything real. */
  seen?: SeenIds
  /** Told of every request that was refused, with the reason. */
  onRejected?(refusal: SignatureError): void
  /** Told of what `onEvent` threw. */
  onError?(error: unknown): void
  /** 300 unless given. */
  toleranceSeconds?: number
  /** 1 MiB unless given. */
  maxBodyBytes?: number
  /** Unix time; the system's clock unless given. */
  nowSeconds?: () => number
}

export interface ReceiverAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** The part that all frameworks share: bytes and headers in, an answer out. */
export interface Receiver {
  maxBodyBytes: number
  receive(headers: HeaderSource, body: Uint8Array): Promise<ReceiverAnswer>
  /** For a body that is longer than is taken. */
  refuseTooLarge(): ReceiverAnswer
  /** For a body that something has read before it got here; `advice` says what to do about that. */
  refuseParsed(advice: string): ReceiverAnswer
}

/** @throws UsageError at once where a secret cannot be used. */
export function receiver(options: ReceiverOptions): Receiver {
  const given = typeof options.secrets === 'string' ? [options.secrets] : options.secrets
  const secrets = given.map(parseSecret)
  const seen = options.seen ?? seenIdsInMemory()
  const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes
  const underWay = new Map<string, Promise<ReceiverAnswer>>()

  const refuse = (status: number, reason: string, message: string, hint?: string): ReceiverAnswer => {
    options.onRejected?.(new SignatureError(message, { reason, hint }))
    return answer(status, { error: { code: reason, message } })
  }

  async function handle(acceptance: Acceptance & { event: WebhookEvent }): Promise<ReceiverAnswer> {
    if (await seen.has(acceptance.id)) return taken('duplicate')
    try {
      const outcome = await options.onEvent(acceptance.event, acceptance)
      await seen.add(acceptance.id)
      return taken(handlerOutcomes.find((known) => known === outcome) ?? 'processed')
    } catch (error) {
      options.onError?.(error)
      return answer(500, { error: { code: 'handler_failed', message: 'the event could not be handled' } })
    }
  }

  return {
    maxBodyBytes,
    refuseTooLarge: () =>
      refuse(verdictReasons.body_too_large, 'body_too_large', `the body has more than ${maxBodyBytes} bytes`),
    refuseParsed: (advice) =>
      refuse(
        verdictReasons.body_not_raw,
        'body_not_raw',
        `something has read the body before it could be verified: ${advice}`,
      ),
    async receive(headers, body) {
      const verdict: Verdict = verify({
        secrets,
        headers,
        body,
        maxBodyBytes,
        ...(options.nowSeconds === undefined ? {} : { nowSeconds: options.nowSeconds() }),
        ...(options.toleranceSeconds === undefined ? {} : { toleranceSeconds: options.toleranceSeconds }),
      })
      const status = answerStatusOf(verdict)
      if (!verdict.ok) return refuse(status, verdict.reason, verdict.message, verdict.hint)
      const unreadable = unreadableBody(verdict)
      if (unreadable !== undefined)
        return refuse(status, unreadable.code, `the signature is good, but ${unreadable.message}`)
      const { event } = verdict
      if (event === undefined) return taken('ignored')
      // The same event twice at once: the second waits for the result of the first.
      const first = underWay.get(verdict.id)
      if (first !== undefined) return (await first).status === 200 ? taken('duplicate') : first
      const handling = handle({ ...verdict, event }).finally(() => underWay.delete(verdict.id))
      underWay.set(verdict.id, handling)
      return handling
    },
  }
}

function taken(outcome: HandlerOutcome): ReceiverAnswer {
  const { headers, ...rest } = answer(200, { received: true })
  return { ...rest, headers: { ...headers, 'dlv-outcome': outcome } }
}

function answer(status: number, body: object): ReceiverAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
