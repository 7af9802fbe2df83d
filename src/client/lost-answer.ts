import { ApiError, headers as headerNames, type OperationName, withHint } from '../contract/index.js'
import { failureKind, isOutcomeUnknown, isRateLimited } from './retry/retry.js'
import type { RequestToSend } from './transport/transport.js'

const keyHeader = headerNames.idempotencyKey.toLowerCase()

/** Marks of a failure that say how an earlier attempt ended; a copy with another hint keeps them. */
const wasLostAnswer = Symbol('the answer to a write was lost')
const followsLoss = Symbol('refused after the answer to an earlier attempt was lost')

const mark = (failure: Error, known: symbol) => Object.defineProperty(failure, known, { value: true })
const isMarked = (failure: unknown, known: symbol) => failure instanceof Error && Object.hasOwn(failure, known)

/** Advice for a write whose response was lost: what it may have done, and what sending it again would do. */
const texts: Partial<Record<OperationName, (key: string) => string>> = {
  createDelivery: (key) =>
    `The order was sent with the idempotency key ${key} and may have been dispatched. For 24 hours, the same request with this key dispatches nothing more.`,
  updateDelivery: () => 'The changes were sent and may have been applied. Sent again, they set the same values.',
  cancelDelivery: (key) =>
    `The cancellation was sent with the idempotency key ${key} and may have been executed. The same request with this key costs no second fee.`,
  simulateDelivery: () => 'The delivery may have been advanced. Read it before you repeat the request.',
}

/**
 * The failure of a write, with a hint that says what may have happened if its answer was lost, whether in the last
 * attempt or before.
 *
 * @param wasLost whether the answer to an earlier attempt was lost
 */
export function withLostAnswer(
  failure: unknown,
  name: OperationName,
  request: Pick<RequestToSend, 'headers'>,
  wasLost: boolean,
): unknown {
  const text = texts[name]
  if (wasLost && isRefusal(failure)) mark(failure, followsLoss)
  if (text === undefined || !(isOutcomeUnknown(failure) || (wasLost && !isRefusal(failure)))) return failure
  const told = withHint(failure, text(request.headers[keyHeader] ?? ''))
  if (told instanceof Error) mark(told, wasLostAnswer)
  return told
}

/** Whether a write failed in a way that leaves open whether the service executed it. */
export function isLostAnswer(failure: unknown): boolean {
  return isMarked(failure, wasLostAnswer)
}

/**
 * Whether the service refused a write after an answer to an earlier attempt of the same call was lost: what the refusal
 * found in its way may be the work of that attempt.
 */
export function isRefusedAfterLoss(failure: unknown): boolean {
  return isMarked(failure, followsLoss)
}

/** Whether the service has refused the request: under the same key, that is the answer to all attempts. */
function isRefusal(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && failureKind(failure) === 'final' && !isRateLimited(failure)
}
