import {
  ApiError,
  ConnectionError,
  ContractError,
  type FieldError,
  headers,
  matchesShape,
  type OperationDescriptor,
  type OperationName,
  type Shape,
  shapeIssues,
} from '../../contract/index.js'
import { isRecord, readJsonText, tryParseJson } from '../../shared/json.js'
import type { NumberReading } from '../../shared/json-number.js'
import { escapeControls, excerpt } from '../../shared/texts.js'
import { parseRetryAfter } from '../service-clock.js'
import { redactJson } from '../trace/redaction.js'
import type { TransportReply } from '../transport/transport.js'

/**
 * Reads an answer by its operation's outline: the service's own JSON value, unknown properties kept, keys in their order.
 *
 * @param options `isLookup`: a list is one of a reference, which may come as a bare array; `numbers`: those that keep
 *   their text; `asked`: the parameters of the path, the query and the body
 * @throws ApiError if the service refused; ConnectionError if this is not the service's answer; ContractError
 *   if a 2xx lacks what the contract promises
 */
export function readAnswer(
  name: OperationName,
  outline: OperationDescriptor,
  reply: TransportReply,
  nowMs: number,
  {
    isLookup = false,
    numbers = 'whole',
    asked = {},
  }: { isLookup?: boolean; numbers?: NumberReading | undefined; asked?: Readonly<Record<string, unknown>> } = {},
): unknown {
  const shape = responseShape(outline, reply.status)
  if (shape === undefined) throw readRefusal(reply, nowMs)
  const document = parseDocument(reply, nowMs, numbers)
  const value = tolerantShape(outline, document, isLookup)
  if (matchesShape(shape, value)) {
    refuseAnother(name, outline, { value, asked }, reply)
    return value
  }
  if (reply.status >= 300 && isErrorBody(document)) throw readRefusal(reply, nowMs)
  if (!isRecord(document) && !isList(shape)) throw notTheService(reply, nowMs)
  const issues = shapeIssues(shape, value)
  throw new ContractError(`The answer to ${name} is not what the contract promises: ${issues.slice(0, 3).join('; ')}`, {
    operation: name,
    issues,
    requestId: requestIdOf(reply),
    hint: 'Give the request id to the service; its answer cannot be relied on.',
  })
}

/**
 * An answer about another delivery, driver or installation than the one in the path, another reference than the one looked
 * up or ordered, or events of another delivery, as a cache that mixes up answers or ignores queries gives it, is never taken
 * for the one that was asked for.
 */
function refuseAnother(
  name: OperationName,
  { path }: OperationDescriptor,
  { value, asked }: { value: unknown; asked: Readonly<Record<string, unknown>> },
  reply: TransportReply,
): void {
  if (!isRecord(value)) return
  const { query, body } = asked
  const pairs: [parameter: string, wanted: unknown, given: unknown][] = [
    // A driver's own id is `id`, an installation's code is `code`.
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = '']): [string, unknown, unknown] => [
      parameter,
      asked[parameter],
      value[parameter] ?? value[parameter.endsWith('Id') ? 'id' : 'code'],
    ]),
    ...listed('clientOrderReference', query, value.deliveries),
    ...listed('deliveryId', query, value.events),
    ...listed('clientOrderReference', body, [value]),
  ]
  for (const [parameter, wanted, given] of pairs) {
    if (typeof wanted !== 'string' || typeof given !== 'string') continue
    if (wanted.trim().toLowerCase() === given.trim().toLowerCase()) continue
    const issue = `${parameter} is ${excerpt(JSON.stringify(given))}, asked for ${excerpt(JSON.stringify(wanted))}`
    throw new ContractError(`The answer to ${name} is about another one: ${issue}`, {
      operation: name,
      issues: [issue],
      requestId: requestIdOf(reply),
      hint: 'A cache or proxy before the service may mix up answers. Nothing of this answer is used.',
    })
  }
}

/** A property that was asked for, and what each entry of the answer says of it. */
function listed(name: string, asked: unknown, found: unknown): [string, unknown, unknown][] {
  const wanted = isRecord(asked) ? asked[name] : undefined
  return wanted === undefined || !Array.isArray(found) ? [] : found.map((one) => [name, wanted, one?.[name]])
}

/**
 * Reads a response other than a success: the service's refusal, a redirect, or a response from something in front of
 * it.
 */
export function readRefusal(reply: TransportReply, nowMs: number): ApiError | ConnectionError {
  const { status } = reply
  if (status >= 300 && status < 400) return redirected(reply)
  const document = tryParseJson(reply.body, 'whole')?.value
  if (status < 400 || !isErrorBody(document)) return notTheService(reply, nowMs)
  const { error } = document
  const details = error.details ?? undefined
  const hint = isRecord(details) ? details.hint : undefined
  return new ApiError(typeof error.message === 'string' ? escapeControls(error.message) : `HTTP ${status}`, {
    status,
    code: error.code,
    requestId: requestIdOf(reply) ?? (typeof error.requestId === 'string' ? error.requestId : undefined),
    fieldErrors: fieldErrorsOf(details),
    details,
    retryAfterMs: retryAfterMsOf(reply, nowMs),
    isPermanent: reply.headers.get(headers.shouldRetry)?.trim().toLowerCase() === 'false',
    hint: typeof hint === 'string' ? escapeControls(hint) : hintFor(error.code),
  })
}

export function requestIdOf(reply: Pick<TransportReply, 'headers'>): string | undefined {
  const id = reply.headers.get(headers.requestId)
  return id === null || id === '' ? undefined : excerpt(id, 200)
}

function retryAfterMsOf(reply: TransportReply, nowMs: number): number | undefined {
  return parseRetryAfter(reply.headers.get(headers.retryAfter), { nowMs, dateHeader: reply.headers.get('date') })
}

/** The shape of a success. A 2xx other than the documented ones has the same shape as those. */
export function responseShape({ responses }: OperationDescriptor, status: number): Shape | undefined {
  const documented = responses[status as keyof OperationDescriptor['responses']]
  if (documented !== undefined) return documented
  return status >= 200 && status < 300 ? (responses[200] ?? responses[201]) : undefined
}

function parseDocument(reply: TransportReply, nowMs: number, numbers: NumberReading): unknown {
  const document = readJsonText(reply.body, numbers)
  if ('value' in document) return document.value
  if (document.fault === 'depth')
    throw new ConnectionError(`The answer ${document.message}`, {
      reason: 'not-the-service',
      status: reply.status,
      requestId: requestIdOf(reply),
      hint: 'No answer of the contract is nested like this; check what the base URL leads to.',
    })
  const text = new TextDecoder().decode(reply.body.subarray(0, 64)).trimStart()
  if (text === '' || text.startsWith('{') || text.startsWith('['))
    throw new ConnectionError(text === '' ? 'The answer is empty' : 'The answer was cut short', {
      reason: 'truncated',
      status: reply.status,
      requestId: requestIdOf(reply),
      retryAfterMs: retryAfterMsOf(reply, nowMs),
    })
  throw notTheService(reply, nowMs)
}

function redirected(reply: TransportReply): ConnectionError {
  const target = reply.headers.get('location')
  return new ConnectionError(
    target === null
      ? `Answered with a redirect (HTTP ${reply.status})`
      : `Answered with a redirect to ${excerpt(target)} (HTTP ${reply.status}), which was not followed`,
    {
      reason: 'redirect',
      status: reply.status,
      requestId: requestIdOf(reply),
      hint: 'Set the base URL to the service itself; the key is never sent to another place.',
    },
  )
}

function isList(shape: Shape): boolean {
  return typeof shape === 'object' && 'list' in shape
}

/** The title of a page, or else its text without tags; of anything else the bytes. */
function textOfPage(body: Uint8Array): string | Uint8Array {
  const text = new TextDecoder().decode(body.subarray(0, 4_096))
  if (!/^\s*</.test(text)) return body
  return /<title[^>]*>\s*([^<\s][^<]*)/i.exec(text)?.[1] ?? text.replace(/<[^>]*>/g, ' ')
}

function notTheService(reply: TransportReply, nowMs: number): ConnectionError {
  const json = tryParseJson(reply.body)
  const words = excerpt(json === undefined ? textOfPage(reply.body) : JSON.stringify(redactJson(json.value)))
  return new ConnectionError(
    `HTTP ${reply.status} that is not an answer of the service${words === '' ? '' : `: ${words}`}`,
    {
      reason: 'not-the-service',
      status: reply.status,
      requestId: requestIdOf(reply),
      retryAfterMs: retryAfterMsOf(reply, nowMs),
      hint: inFrontHints[reply.status] ?? 'Something in front of the service answered, or the base URL is wrong.',
    },
  )
}

/** Hints for a response with an error status but without the contract's error body. */
const inFrontHints: Readonly<Record<number, string>> = {
  401: 'Something in front of the service, such as a proxy, probably asks for credentials: the service says why it refuses a key.',
  403: 'Something in front of the service, such as a firewall, probably refused the request: the service says why it does.',
  404: 'Something in front of the service probably does not know this path: check that the base URL ends in /delivery/v1.',
  429: 'Something in front of the service probably limits requests.',
}

function isErrorBody(document: unknown): document is { error: { code: string } & Record<string, unknown> } {
  return isRecord(document) && isRecord(document.error) && typeof document.error.code === 'string'
}

function fieldErrorsOf(details: unknown): FieldError[] {
  const listed = isRecord(details) ? details.fieldErrors : undefined
  if (!Array.isArray(listed)) return []
  return listed.flatMap((entry: unknown): FieldError[] => {
    if (!isRecord(entry) || typeof entry.field !== 'string') return []
    const { field, code, message } = entry
    return [
      {
        ...entry,
        field,
        code: typeof code === 'string' ? code : 'UNKNOWN',
        message: typeof message === 'string' ? message : undefined,
      },
    ]
  })
}

/** Hints for errors whose message does not say how to continue. */
const hints: Readonly<Record<string, string>> = {
  NOT_FOUND: 'Check the path, and that the base URL ends in /delivery/v1.',
  UNAUTHORIZED: 'Check that the key is set and complete, is not revoked and belongs to this environment.',
  IDEMPOTENCY_KEY_REUSED:
    'The order changed since this key was used; nothing was executed. Send it with a new key if the change is meant.',
  IDEMPOTENCY_CONFLICT: 'A request with this key is still in flight; ask again shortly.',
  DUPLICATE_ORDER: 'A delivery with this clientOrderReference exists; look it up before you choose another.',
  QUOTE_EXPIRED: 'Ask for a new quote, or send the order without quoteId.',
  SANDBOX_ONLY: 'Simulation needs a sandbox key.',
}

function hintFor(code: string): string | undefined {
  return Object.hasOwn(hints, code) ? hints[code] : undefined
}

/**
 * Brings the two readings of a list into the one that the contract describes: a bare array for a lookup by reference
 * becomes a page without a next one, and an object with one list where a bare array is expected gives that list, unless
 * it is empty and has another name. An answer that says why there are no quotes has an empty list of them. Everything
 * else stays as it came.
 */
function tolerantShape(
  { pageOf, path, responses }: OperationDescriptor,
  document: unknown,
  isLookup: boolean,
): unknown {
  if (pageOf !== undefined && isLookup && Array.isArray(document)) return { [pageOf]: document, nextCursor: null }
  const expected = responses[200]
  if (isRecord(document) && document.quotes == null && typeof document.noQuoteReason === 'string')
    return { ...document, quotes: [] }
  const expectsArray = typeof expected === 'object' && 'list' in expected
  if (!expectsArray || typeof document !== 'object' || document === null || Array.isArray(document)) return document
  const lists = Object.entries(document).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const [[name, list] = ['', []]] = lists
  return lists.length === 1 && (list.length > 0 || path === `/${name}`) ? list : document
}
