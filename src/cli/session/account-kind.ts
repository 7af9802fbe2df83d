import { randomUUID } from 'node:crypto'
import type { Client, RawReply } from '../../client/index.js'
import { operationDescriptors } from '../../contract/index.js'
import { oldestSinceMs } from '../../contract/internal.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** The kind of an account by its answers; its label and the prefix of its key are only hints. */
interface AccountKind {
  kind: 'test' | 'live' | 'unknown'
  /** The service's answer, for a sentence. */
  answer: string
}

/**
 * Asks the service to simulate a delivery that does not exist, which changes nothing: a live key is refused with
 * `SANDBOX_ONLY`, a test key is told that there is no such delivery. Asked once, without retries.
 *
 * @throws ConnectionError without an answer
 */
export async function accountKind(client: Client): Promise<AccountKind> {
  const reply = await client.raw(
    {
      method: 'POST',
      path: `/deliveries/del_none_${randomUUID().replaceAll('-', '')}/simulate`,
      body: JSON.stringify({ advanceTo: 'driver_assigned' }),
    },
    { timeoutMs: 5_000, maxWaitMs: 1, retries: { maxRetries: 0 } },
  )
  const answer = answerText(reply)
  const code = errorCodeOf(reply)
  if (code === 'SANDBOX_ONLY') return { kind: 'live', answer }
  // A 404 without the contract's error comes from something in front of the service.
  return { kind: reply.status === 404 && code !== undefined ? 'test' : 'unknown', answer }
}

/**
 * The kind by the newest month's events, for an account that is said to be production: one GET, since nothing is simulated
 * there, not even a delivery that does not exist. Unknown without events.
 *
 * @throws ConnectionError without an answer
 */
export async function kindByEvents(client: Client): Promise<AccountKind> {
  const nowMs = client.serviceNowMs()
  const since = nowMs === undefined ? undefined : new Date(oldestSinceMs(nowMs)).toISOString()
  const { method, path } = operationDescriptors.listEvents
  const reply = await client.raw(
    { method, path, query: { since, limit: 1 } },
    { timeoutMs: 5_000, maxWaitMs: 1, retries: { maxRetries: 0 } },
  )
  const value = tryParseJson(reply.body)?.value
  const events: unknown[] = reply.status < 300 && isRecord(value) && Array.isArray(value.events) ? value.events : []
  const [first] = events
  const livemode = isRecord(first) ? first.livemode : undefined
  if (typeof livemode === 'boolean') return { kind: livemode ? 'live' : 'test', answer: `livemode: ${livemode}` }
  return { kind: 'unknown', answer: reply.status < 300 ? 'no events in 30 days' : answerText(reply) }
}

/** The code of an error in the contract's form. */
export function errorCodeOf({ body }: Pick<RawReply, 'body'>): string | undefined {
  const value = tryParseJson(body)?.value
  return isRecord(value) && isRecord(value.error) && typeof value.error.code === 'string' ? value.error.code : undefined
}

/** The status of an answer and the code of its error, for a sentence. */
export function answerText(reply: Pick<RawReply, 'status' | 'body'>): string {
  const code = errorCodeOf(reply)
  return `HTTP ${reply.status}${code === undefined ? '' : ` ${code.slice(0, 60)}`}`
}
