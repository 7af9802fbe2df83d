import { ContractError, SignatureError, UsageError, type WebhookEvent } from '../../contract/index.js'
import { envelopeIssues, subjectIssues } from '../../contract/internal.js'
import { isBytes } from '../../shared/byte-codes.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { assertKnownOptions, type OptionNames } from '../../shared/word-match.js'
import type { HeaderSource } from '../header-lines.js'
import { type ParsedSecret, parseSecret } from '../secret.js'
import { isSameList } from '../tried-first.js'
import { type Acceptance, answerStatusOf, unreadableBody, type Verdict, verdictReasons } from '../verdict.js'
import { defaultMaxBodyBytes, verify } from '../verify.js'

/**
 * The outcome of an event at a receiver, as it tells the sender in the header `dlv-outcome`: `outdated` is older than what
 * the receiver has; `ignored` is of a type that it does not use.
 */
export const handlerOutcomes = ['processed', 'duplicate', 'outdated', 'ignored'] as const
/** The possible results of `onEvent`. */
export type HandlerOutcome = (typeof handlerOutcomes)[number]

/**
 * One signing secret, or several during a rotation. A weak one, as a test may have it, is given as
 * `parseSecret(text, { allowWeak: true })`.
 */
export type Secrets = string | ParsedSecret | readonly (string | ParsedSecret)[]

/** Options of a receiver. */
export interface ReceiverOptions {
  /**
   * The active secret, or both during a rotation. A function, async or not, is asked for each request, so that secrets can
   * change without a restart; if it fails or gives none, the answer is 500 and the webhook comes again.
   */
  secrets: Secrets | (() => Secrets | Promise<Secrets>)
  /**
   * Called once for each event. Keep it short: store the event and return, the sender waits 10 seconds at most. May
   * answer with a `HandlerOutcome`. If it throws, the answer is 500 and the event comes again. An event of a known type
   * has the `delivery`, `driver` or `installation` that it is about; types that are newer than this version come as well.
   */
  onEvent(event: WebhookEvent, about: Acceptance): unknown
  /** The store of handled ids. Default: in the memory of this process; use your database in production. */
  seen?: SeenIds
  /**
   * Told of every request that was refused, with the reason. Without it, only a mistake of the app itself is told, once,
   * to `onError`: something has read the body before.
   */
  onRejected?(refusal: SignatureError): void
  /**
   * Told of what another callback threw: `onEvent`, `seen`, `secrets` or `onRejected`. Also told, by a `ContractError`, of
   * a well-signed webhook that is not an event or lacks what it is about: it is acknowledged, because sending it again would
   * not change it, and `onEvent` does not get it.
   *
   * Default: `console.error` with the id of the event.
   *
   * @param id the `webhook-id`, if the request was well signed
   */
  onError?(error: unknown, id: string | undefined): void
  /** Maximum difference between a signature's time and the clock, in seconds. Default 300. */
  toleranceSeconds?: number
  /** Maximum size of a body in bytes. Default 1 MiB. */
  maxBodyBytes?: number
  /** The time as Unix time. Default: the system's clock. */
  nowSeconds?: () => number
}

const optionNames: OptionNames<ReceiverOptions> = {
  secrets: 0,
  onEvent: 0,
  seen: 0,
  onRejected: 0,
  onError: 0,
  toleranceSeconds: 0,
  maxBodyBytes: 0,
  nowSeconds: 0,
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
  /** The response to a body that is too large. */
  refuseTooLarge(): ReceiverAnswer
  /** For a body that something has read before it got here; `advice` says what to do about that. */
  refuseParsed(advice: string): ReceiverAnswer
}

/**
 * @param ownNames the options that only this receiver has
 * @throws UsageError at once for an option that does not exist, or if a secret is missing or cannot be used
 */
export function receiver(options: ReceiverOptions, ownNames: object = {}): Receiver {
  assertKnownOptions('The receiver', options, { ...optionNames, ...ownNames })
  const secrets = secretsOf(options)
  if (typeof options.onEvent !== 'function') throw new UsageError('The receiver needs onEvent, a function')
  const seen = options.seen ?? seenIdsInMemory()
  const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes
  const underWay = new Map<string, Promise<ReceiverAnswer>>()

  const failed = (error: unknown, id?: string) =>
    void settle(() => (options.onError === undefined ? printError(error, id) : options.onError(error, id)))

  /** Acknowledges a webhook that would be no better if it came again. */
  const ignore = (id: string, issues: readonly string[]): ReceiverAnswer => {
    const message = `The webhook ${id} is well signed and cannot be used: ${issues.join(', ')}`
    failed(new ContractError(message, { operation: 'webhook', issues }), id)
    return taken('ignored')
  }

  let isMisuseTold = false
  /** A mistake of the app itself, which every webhook meets: without `onRejected` it is told once. */
  const tellMisuse = (error: unknown) => {
    if (options.onRejected !== undefined || isMisuseTold) return
    isMisuseTold = true
    failed(error)
  }

  const refuse = (status: number, reason: string, message: string, hint?: string): ReceiverAnswer => {
    void settle(
      () => options.onRejected?.(new SignatureError(message, { reason, hint })),
      (error) => failed(error),
    )
    return answer(status, { error: { code: reason, message } })
  }

  async function handle(acceptance: Acceptance & { event: WebhookEvent }): Promise<ReceiverAnswer> {
    try {
      if (await seen.has(acceptance.id)) return taken('duplicate')
      const outcome = await options.onEvent(acceptance.event, acceptance)
      await seen.add(acceptance.id)
      return taken(handlerOutcomes.find((known) => known === outcome) ?? 'processed')
    } catch (error) {
      failed(error, acceptance.id)
      return answer(500, { error: { code: 'handler_failed', message: 'the event could not be handled' } })
    }
  }

  return {
    maxBodyBytes,
    refuseTooLarge: () =>
      refuse(verdictReasons.body_too_large, 'body_too_large', `the body has more than ${maxBodyBytes} bytes`),
    refuseParsed(advice) {
      const message = `something has read the body before it could be verified: ${advice}`
      tellMisuse(new SignatureError(message, { reason: 'body_not_raw' }))
      return refuse(verdictReasons.body_not_raw, 'body_not_raw', message)
    },
    async receive(headers, body) {
      const active = await activeSecrets(secrets, failed)
      if (active === undefined)
        return answer(500, { error: { code: 'no_usable_secret', message: 'there is no secret to verify with' } })
      const verdict: Verdict = verify({
        secrets: active,
        headers,
        body,
        maxBodyBytes,
        nowSeconds: options.nowSeconds?.(),
        toleranceSeconds: options.toleranceSeconds,
      })
      const status = answerStatusOf(verdict)
      if (!verdict.ok) return refuse(status, verdict.reason, verdict.message, verdict.hint)
      const unreadable = unreadableBody(verdict)
      if (unreadable !== undefined)
        return refuse(status, unreadable.code, `the signature is good, but ${unreadable.message}`)
      const { event } = verdict
      if (event === undefined) return ignore(verdict.id, envelopeIssues(tryParseJson(body)?.value))
      const issues = subjectIssues(event)
      if (issues.length > 0) return ignore(verdict.id, issues)
      // The same event twice at once: the second waits for the result of the first.
      const first = underWay.get(verdict.id)
      if (first !== undefined) return (await first).status === 200 ? taken('duplicate') : first
      const handling = handle({ ...verdict, event }).finally(() => underWay.delete(verdict.id))
      underWay.set(verdict.id, handling)
      return handling
    },
  }
}

const isParsed = (secret: unknown): secret is ParsedSecret => isRecord(secret) && isBytes(secret.key)

type SecretSource = readonly ParsedSecret[] | (() => Promise<readonly ParsedSecret[]>)

/** @throws UsageError if the secrets are missing, or one of them is none; a function is asked later */
function secretsOf(options: ReceiverOptions | null | undefined): SecretSource {
  const given: unknown = options?.secrets
  if (typeof given !== 'function') return parsedSecrets(given)
  let parsed: { of: unknown; secrets: ParsedSecret[] } | undefined
  return async () => {
    const active = await (given as () => unknown)()
    // The same list again is recognized by what verifies, which then knows the usual secret of a sender.
    if (parsed === undefined || !isSame(parsed.of, active))
      parsed = { of: copyOf(active), secrets: parsedSecrets(active) }
    return parsed.secrets
  }
}

const copyOf = (given: unknown) => (Array.isArray(given) ? [...given] : given)

const isSame = (one: unknown, other: unknown) =>
  Array.isArray(one) && Array.isArray(other) ? isSameList(one, other) : one === other

function parsedSecrets(given: unknown): ParsedSecret[] {
  const list: unknown[] = Array.isArray(given) ? given : [given]
  if (list.length === 0)
    throw new UsageError('the receiver has no webhook secret', { hint: 'Pass secrets: the whsec_… of this receiver.' })
  return list.map((secret) => (isParsed(secret) ? secret : parseSecret(secret as string)))
}

/** The secrets to verify this request with; `undefined` if their source fails, which the sender cannot help. */
async function activeSecrets(
  secrets: SecretSource,
  failed: (error: unknown) => void,
): Promise<readonly ParsedSecret[] | undefined> {
  if (typeof secrets !== 'function') return secrets
  try {
    return await secrets()
  } catch (error) {
    failed(error)
    return undefined
  }
}

function printError(error: unknown, id: string | undefined): void {
  console.error(`dlv-cli: ${id === undefined ? 'a webhook' : `webhook ${id}`}:`, error)
}

/** Runs a callback that may fail, at once or later: the response stays the same, and no rejection ends the process. */
async function settle(callback: () => unknown, failed?: (error: unknown) => void): Promise<void> {
  try {
    await callback()
  } catch (error) {
    failed?.(error)
  }
}

function taken(outcome: HandlerOutcome): ReceiverAnswer {
  const { headers, ...rest } = answer(200, { received: true })
  return { ...rest, headers: { ...headers, 'dlv-outcome': outcome } }
}

function answer(status: number, body: object): ReceiverAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Which events have been handled. Over a database: `has` is a lookup, `add` an insert with the event's effects. */
export interface SeenIds {
  /** Whether an event has been handled. */
  has(id: string): boolean | Promise<boolean>
  /** Remembers that an event has been handled. */
  add(id: string): void | Promise<void>
}

/** Remembers the newest ids, only in this process; gone with a restart, and not shared between processes. */
export function seenIdsInMemory(capacity = 100_000): SeenIds {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id)
      if (ids.size <= capacity) return
      const [oldest = ''] = ids
      ids.delete(oldest)
    },
  }
}
