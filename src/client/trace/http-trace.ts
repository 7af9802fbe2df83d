import type { Drift, OperationName } from '../../contract/index.js'
import { strikeOut } from '../../shared/redact-secrets.js'
import type { RequestToSend, TransportReply } from '../transport/transport.js'
import { redactBody, redactHeaders, redactJson, redactText, redactUrl, withoutPersonalData } from './redaction.js'

/** One attempt as a trace shows it: credentials, secrets and signatures replaced, personal data masked. */
export interface HttpTrace {
  /** The operation; `undefined` for a raw request. */
  operation: OperationName | undefined
  /** 1 for the first. */
  attempt: number
  /** The HTTP method. */
  method: string
  /** The address; values of query parameters that the contract does not have are masked. */
  url: string
  /** The headers that were sent, credentials replaced. */
  requestHeaders: Readonly<Record<string, string>>
  /** The body that was sent, personal data masked. */
  requestBody: string | undefined
  /** Absent if no complete response was received. */
  status: number | undefined
  /** The headers of the response; empty if there was none. */
  responseHeaders: Readonly<Record<string, string>>
  /** The body of the response, personal data masked. */
  responseBody: string | undefined
  /** Duration of the attempt, in milliseconds. */
  durationMs: number
  /** The reason why there is no response, or why it was rejected. */
  error: string | undefined
  /** The delay before the next attempt; `undefined` if there is none. */
  retryInMs: number | undefined
  /** Properties and values of the response beyond this version's contract. */
  drift: readonly Drift[]
}

/** Builds the record of an attempt. Pure: nothing that goes in is changed. */
export function httpTraceOf(
  request: RequestToSend,
  reply: TransportReply | undefined,
  facts: Pick<HttpTrace, 'operation' | 'attempt' | 'durationMs' | 'retryInMs' | 'drift'> & {
    /** The failure, in words. */
    error?: string | undefined
    /** The account's key, which a service may reflect in any form. */
    apiKey?: string | undefined
  },
): HttpTrace {
  const withoutPersons = withoutPersonalData(request.body)
  const shown = (text: string) => withoutPersons(strikeOut(text, facts.apiKey))
  const shownHeaders = (headers: Iterable<readonly [string, string]>) =>
    redactHeaders([...headers].map(([name, value]) => [shown(name), shown(value)]))
  const shownBody = (body: Uint8Array | undefined) => {
    const text = redactBody(body)
    return text === undefined ? undefined : shown(text)
  }
  return {
    operation: facts.operation,
    attempt: facts.attempt,
    method: request.method,
    url: redactUrl(shown(request.url)),
    requestHeaders: shownHeaders(Object.entries(request.headers)),
    requestBody: shownBody(request.body),
    status: reply?.status,
    responseHeaders: reply === undefined ? {} : shownHeaders(reply.headers),
    responseBody: shownBody(reply?.body),
    durationMs: facts.durationMs,
    error: facts.error === undefined ? undefined : redactText(shown(facts.error)),
    retryInMs: facts.retryInMs,
    drift: facts.drift.map(({ path, kind, value }) => ({
      path: redactText(shown(path)),
      kind,
      value: redactJson(typeof value === 'string' ? shown(value) : value),
    })),
  }
}

/** A logger for the client: `console`, pino, winston or any other with these methods. */
export interface Logger {
  /** Every attempt that was answered as expected. */
  debug?(message: string): void
  /** Every attempt that failed, with what follows. */
  warn?(message: string): void
}

/** Logs one attempt in a line: `POST /delivery/v1/deliveries → 503 in 12 ms; attempt 2 follows in 340 ms`. */
export function logAttempt(logger: Logger, trace: HttpTrace): void {
  const { method, url, status, durationMs, attempt, error, retryInMs } = trace
  const path = URL.canParse(url) ? new URL(url).pathname : url
  const answer = `${method} ${path} → ${status ?? 'no answer'} in ${Math.round(durationMs)} ms`
  const id = trace.responseHeaders['x-request-id']
  const about = id === undefined ? '' : ` (${id})`
  if (error === undefined) logger.debug?.(`dlv: ${answer}${about}`)
  else {
    const next = retryInMs === undefined ? '' : `; attempt ${attempt + 1} follows in ${Math.round(retryInMs)} ms`
    logger.warn?.(`dlv: ${answer}${about}: ${error}${next}`)
  }
}
