/** As much of OpenTelemetry's API as is used here; `@opentelemetry/api` keeps it in a global once it is set up. */
interface Telemetry {
  trace?: { getTracer(name: string, version?: string): Tracer }
}
interface Tracer {
  startActiveSpan<Result>(name: string, options: SpanOptions, run: (span: Span) => Result): Result
}
interface SpanOptions {
  kind: number
  attributes: Record<string, string | number>
}
interface Span {
  setAttribute(name: string, value: string | number): unknown
  addEvent(name: string, attributes: Record<string, string | number>): unknown
  recordException(error: unknown): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): unknown
}

/** The name under which version 1 of `@opentelemetry/api` keeps what was registered. */
const global = Symbol.for('opentelemetry.js.api.1')
/** `SpanKind.INTERNAL`: the span of each attempt on the network is that of the HTTP client's instrumentation. */
const internal = 0
/** `SpanStatusCode.ERROR`. */
const failed = 2

/** What a call tells of itself while it runs. */
export interface CallSpan {
  retried(attempt: number, delayMs: number, failure: unknown): void
}

const silent: CallSpan = { retried: () => {} }

/**
 * Runs a call in a span of its own that holds all of its attempts. Without OpenTelemetry in the process it just runs;
 * nothing is loaded for it.
 */
export function inSpan<Result extends { status: number; attempts: number; requestId?: string | undefined }>(
  operation: string,
  run: (span: CallSpan) => Promise<Result>,
): Promise<Result> {
  const tracer = (globalThis as { [global]?: Telemetry })[global]?.trace?.getTracer('dlv-cli')
  if (tracer === undefined) return run(silent)
  const options = { kind: internal, attributes: { 'dlv.operation': operation } }
  return tracer.startActiveSpan(`dlv ${operation}`, options, async (span) => {
    try {
      const result = await run({
        retried: (attempt, delayMs, failure) =>
          span.addEvent('retry', {
            'dlv.attempt': attempt,
            'dlv.delay_ms': Math.round(delayMs),
            'exception.message': messageOf(failure),
          }),
      })
      span.setAttribute('http.response.status_code', result.status)
      span.setAttribute('dlv.attempts', result.attempts)
      if (result.requestId !== undefined) span.setAttribute('dlv.request_id', result.requestId)
      return result
    } catch (error) {
      span.recordException(error)
      span.setStatus({ code: failed, message: messageOf(error) })
      throw error
    } finally {
      span.end()
    }
  })
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure)
}
