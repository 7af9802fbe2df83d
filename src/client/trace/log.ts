import type { HttpTrace } from './http-trace.js'

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
