import { headers, operationDescriptors } from '../contract/index.js'
import { isRecord, tryParseJson } from '../shared/json.js'
import { isLoopback } from '../shared/web-address.js'
import type { Client } from './client.js'
import type { CallOptions } from './options.js'
import type { RawReply } from './raw.js'

/** Asked once: the limit of `GET /health` is stricter than others, and nothing is worth waiting for it. */
const once = { timeoutMs: 3_000, maxWaitMs: 1, retries: { maxRetries: 0 } } satisfies CallOptions

const instances = new WeakMap<Client, string>()

/** What names the state of the sandbox behind a client, as its newest answer said; `undefined` of other services. */
export const sandboxInstance = (client: Client): string | undefined => instances.get(client)

/** Keeps what an answer says of the sandbox that it is from. */
export function noteInstance(client: Client, { headers: answered }: Pick<RawReply, 'headers'>): void {
  const instance = answered.get(headers.sandboxInstance)
  if (instance !== null && instance !== undefined) instances.set(client, instance)
}

/** How far `checkedAt` of a client's service is from the `Date` of the same answer, and when that was seen. */
interface ClockOffset {
  ms: number
  seenMs: number
}

const offsets = new WeakMap<Client, ClockOffset>()
/** A `Date` has whole seconds, and an answer takes its time. */
const sameClockMs = 5_000
/** A sandbox's clock may be moved at any time, and one that was moved once sooner. */
const refreshMs = { moved: 60_000, same: 120_000 }

/**
 * The time of the service's clock in milliseconds since the epoch, from one source for the life of a client: the `Date` of
 * the service's answers, moved by what `checkedAt` of `GET /health` differed from it, as a sandbox's virtual clock does. A
 * client that has had other answers goes by their `Date`. A service on this machine is asked each time.
 *
 * @throws ConnectionError if the service cannot be reached
 */
export async function serviceNowMs(
  client: Client,
  localNowMs: () => number,
  /** `baseUrl` is absent for the embedded sandbox. */
  { baseUrl, ...options }: CallOptions & { baseUrl: string | undefined },
): Promise<number> {
  const isLocal = baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)
  const dateMs = isLocal ? undefined : client.serviceNowMs()
  const offset = offsets.get(client) ?? { ms: 0, seenMs: performance.now() }
  const isSame = Math.abs(offset.ms) < sameClockMs
  const isSettled = performance.now() - offset.seenMs < (isSame ? refreshMs.same : refreshMs.moved)
  if (dateMs !== undefined && isSettled) {
    offsets.set(client, offset)
    return dateMs + (isSame ? 0 : offset.ms)
  }
  const { method, path } = operationDescriptors.getHealth
  const reply = await client.raw({ method, path }, { ...once, ...options })
  noteInstance(client, reply)
  const health = tryParseJson(reply.body)?.value
  const checkedAt = isRecord(health) && typeof health.checkedAt === 'string' ? Date.parse(health.checkedAt) : Number.NaN
  const answeredMs = client.serviceNowMs() ?? localNowMs()
  // A refusal, or the page of a proxy: what is known of the service's clock holds.
  if (Number.isNaN(checkedAt)) return answeredMs + (isSame ? 0 : offset.ms)
  offsets.set(client, { ms: checkedAt - answeredMs, seenMs: performance.now() })
  return checkedAt
}
