import { isRecord, tryParseJson } from '../../shared/json.js'
import { timestamp } from '../core/trip-times.js'
import type { Answer, HttpExchange } from './exchange.js'

/** A request and its response as the control API shows them; keys are never stored. */
export interface LoggedRequest {
  /** RFC 3339, in real time. */
  at: string
  /** The HTTP method. */
  method: string
  /** The path with its query. */
  path: string
  /** The HTTP status of the response. */
  status: number
  /** The error code of an answer that is an error. */
  errorCode: string | undefined
  /** Duration until the response, in milliseconds. */
  durationMs: number
  /** The `X-Request-Id` of the response. */
  requestId: string | undefined
  /** The headers that tell requests apart, such as `idempotency-key`. */
  requestHeaders: Record<string, string>
  /** The body of the request, up to 8,192 characters. */
  requestBody: string | undefined
  /** The body of the response, up to 8,192 characters. */
  responseBody: string
  /** The fault of transport that was played, such as `RESET`. */
  transport: string | undefined
}

/** A request as the page follows it. */
interface NumberedRequest extends LoggedRequest {
  number: number
  account: string | undefined
  /** `at` by the sandbox's clock. */
  serviceAt: string
}

const MAX_ENTRIES = 200
const MAX_BODY_CHARACTERS = 8_192
const shownHeaders = ['content-type', 'idempotency-key', 'user-agent', 'x-sandbox-force']

/** The last requests to the service, in memory. */
export class RequestLog {
  private entries: LoggedRequest[] = []
  /** The accounts that requests were made for; none of a request whose key is no account's. */
  private readonly owners = new WeakMap<LoggedRequest, string>()
  /** When each arrived by the sandbox's clock. */
  private readonly serviceTimes = new WeakMap<LoggedRequest, string>()

  constructor(
    private readonly onRequest: (request: LoggedRequest) => void = () => {},
    private readonly ownerOf: (exchange: HttpExchange) => string | undefined = () => undefined,
    private readonly serviceNowMs: () => number = Date.now,
  ) {}

  /** Newest last. */
  list(): LoggedRequest[] {
    return [...this.entries]
  }

  /** The number of requests so far, in this process. */
  count = 0

  /**
   * The requests after the first `seen`, as far as they are still there; without it, all of them. Of one account with those
   * that belong to none.
   */
  since(seen = 0, account?: string): NumberedRequest[] {
    const first = this.count - this.entries.length + 1
    return this.entries
      .map((entry, index) => ({
        ...{ ...entry, number: first + index, account: this.owners.get(entry) },
        serviceAt: this.serviceTimes.get(entry) ?? entry.at,
      }))
      .filter(({ number, account: owner }) => number > seen && (!account || !owner || owner === account))
  }

  clear(): void {
    this.entries = []
  }

  /** Notes the arrival of a request; what is returned is called with its answer. */
  begin(exchange: HttpExchange): (answer: Answer) => void {
    const startedMs = performance.now()
    const atMs = Date.now()
    const serviceAt = timestamp(this.serviceNowMs())
    return (answer) => {
      const { received } = exchange
      const entry: LoggedRequest = {
        at: timestamp(atMs),
        method: exchange.method,
        path: exchange.path + exchange.search,
        status: answer.status,
        errorCode: errorCodeOf(answer),
        durationMs: Math.round(performance.now() - startedMs),
        requestId: answer.headers['X-Request-Id'],
        requestHeaders: headersOf(exchange),
        requestBody:
          typeof received === 'object'
            ? shorten(Buffer.from(received.subarray(0, MAX_BODY_CHARACTERS)).toString())
            : received,
        responseBody: shorten(answer.body),
        transport: answer.transport,
      }
      const owner = this.ownerOf(exchange)
      if (owner !== undefined) this.owners.set(entry, owner)
      this.serviceTimes.set(entry, serviceAt)
      this.entries.push(entry)
      this.count++
      this.onRequest(entry)
      if (this.entries.length > MAX_ENTRIES) this.entries.shift()
    }
  }
}

function headersOf(exchange: HttpExchange): Record<string, string> {
  const shown: Record<string, string> = {}
  if (exchange.header('authorization') !== undefined) shown.authorization = '[redacted]'
  for (const name of shownHeaders) {
    const value = exchange.header(name)
    if (value !== undefined) shown[name] = value
  }
  return shown
}

function errorCodeOf({ status, body }: Answer): string | undefined {
  if (status < 400) return undefined
  const value = tryParseJson(body)?.value
  const error = isRecord(value) ? value.error : undefined
  return isRecord(error) && typeof error.code === 'string' ? error.code : undefined
}

function shorten(text: string): string {
  return text.length > MAX_BODY_CHARACTERS ? `${text.slice(0, MAX_BODY_CHARACTERS)}…` : text
}
