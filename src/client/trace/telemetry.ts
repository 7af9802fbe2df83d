import { ApiError, ConnectionError, DlvError, type OperationName } from '../../contract/index.js'
import { textOf } from '../../shared/json.js'
import { version } from '../user-agent.js'
import { redactText, withoutPersonalData } from './redaction.js'

/** The part of OpenTelemetry's API that is used here; `@opentelemetry/api` sets it as a global. */
interface Telemetry {
  trace?: { getTracer(name: string, version?: string): Tracer }
}
interface Tracer {
  startActiveSpan<Result>(name: string, options: SpanOptions, run: (span: Span) => Result): Result
}
interface SpanOptions {
  kind: number
  attributes: Attributes
}
interface Span {
  setAttributes(attributes: Attributes): unknown
  addEvent(name: string, attributes: Attributes): unknown
  recordException(error: { name: string; message: string; stack?: string | undefined }): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): unknown
}
/** One that is `undefined` is left out by OpenTelemetry. */
type Attributes = Record<string, string | number | boolean | undefined>

/** The name under which version 1 of `@opentelemetry/api` keeps what was registered. */
const global = Symbol.for('opentelemetry.js.api.1')
/** `SpanKind.INTERNAL`: the span of each attempt on the network is that of the HTTP client's instrumentation. */
const internal = 0
/** `SpanStatusCode.ERROR`. */
const failed = 2

/** Reports the progress of a call. */
export interface CallSpan {
  /** A request was sent, and answered or not. */
  attempted(): void
  /** An attempt failed and will be repeated after the delay. */
  retried(attempt: number, delayMs: number, failure: unknown): void
}

const silent: CallSpan = { attempted: () => {}, retried: () => {} }

/** Attributes of a call, known before it begins. */
interface CallFacts {
  /** The operation, or the method of a raw request. */
  name: OperationName | (string & {})
  /** The delivery that the path names. */
  deliveryId?: unknown
  /** The body of the request, whose personal data no message shows. */
  body: Uint8Array | undefined
}

/** Attributes of a call that succeeded. */
interface ResultFacts {
  value?: unknown
  status: number
  replayed?: boolean
  requestId?: string | undefined
}

/**
 * Runs a call in a span of its own that holds all of its attempts. Without OpenTelemetry in the process it just runs;
 * nothing is loaded for it.
 */
export function inSpan<Result extends ResultFacts>(
  { name, deliveryId, body }: CallFacts,
  run: (span: CallSpan) => Promise<Result>,
): Promise<Result> {
  const telemetry = (globalThis as { [global]?: Telemetry })[global]?.trace
  if (telemetry === undefined) return run(silent)
  const tracer = telemetry.getTracer('dlv-cli', version)
  const shown = (text: string) => redactText(withoutPersonalData(body)(text))
  const options = { kind: internal, attributes: { 'dlv.operation': name, 'dlv.delivery_id': textOf(deliveryId) } }
  return tracer.startActiveSpan(`dlv ${name}`, options, async (span) => {
    let attempts = 0
    try {
      const result = await run({
        attempted: () => void attempts++,
        retried: (attempt, delayMs, failure) =>
          span.addEvent('retry', {
            'dlv.attempt': attempt,
            'http.request.resend_count': attempt,
            'dlv.delay_ms': Math.round(delayMs),
            'error.type': typeOf(failure),
            'exception.message': shown(messageOf(failure)),
          }),
      })
      span.setAttributes({
        'http.response.status_code': result.status,
        'dlv.request_id': result.requestId,
        'dlv.replayed': result.replayed,
        ...idOf(result.value),
      })
      return result
    } catch (error) {
      const { status, requestId } = answerBehind(error)
      span.setAttributes({
        'error.type': typeOf(error),
        'http.response.status_code': status,
        'dlv.request_id': requestId,
      })
      span.recordException(exceptionOf(error, shown))
      span.setStatus({ code: failed, message: shown(messageOf(error)) })
      throw error
    } finally {
      span.setAttributes({
        'dlv.attempts': attempts,
        ...(attempts > 1 ? { 'http.request.resend_count': attempts - 1 } : {}),
      })
      span.end()
    }
  })
}

/** The delivery that an answer is. */
function idOf(value: unknown): Attributes {
  const id = textOf((value as { deliveryId?: unknown } | null | undefined)?.deliveryId)
  return id === undefined ? {} : { 'dlv.delivery_id': id }
}

function answerBehind(error: unknown): { status?: number | undefined; requestId?: string | undefined } {
  return error instanceof DlvError ? (error as { status?: number; requestId?: string }) : {}
}

/** The error type to group by: the service's code, the reason for a missing response, or the error's name. */
function typeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code
  if (error instanceof ConnectionError) return error.reason
  return error instanceof Error ? error.name : typeof error
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Messages can quote what was sent. */
function exceptionOf(
  error: unknown,
  shown: (text: string) => string,
): { name: string; message: string; stack?: string | undefined } {
  const message = shown(messageOf(error))
  if (!(error instanceof Error)) return { name: typeof error, message }
  return { name: error.name, message, stack: error.stack === undefined ? undefined : shown(error.stack) }
}
