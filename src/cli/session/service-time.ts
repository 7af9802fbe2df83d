import type { CallOptions, Client } from '../../client/index.js'
import { operationDescriptors } from '../../contract/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** Asked once: the limit of `GET /health` is stricter than others, and nothing is worth waiting for it. */
const once = { timeoutMs: 3_000, maxWaitMs: 1, retries: { maxRetries: 0 } } satisfies CallOptions

/**
 * The time of the service's clock in milliseconds since the epoch, from the `Date` of the answers so far. Only before the
 * first answer is `GET /health` asked, whatever its status: for `checkedAt`, or its own `Date`, or else this machine's
 * clock. A service on this machine is asked each time, because the clock of a sandbox is virtual.
 *
 * @throws ConnectionError if the service cannot be reached
 */
export async function serviceNowMs(
  client: Client,
  localNowMs: () => number,
  { isLocal, ...options }: CallOptions & { isLocal: boolean },
): Promise<number> {
  const known = isLocal ? undefined : client.serviceNowMs()
  if (known !== undefined) return known
  const { method, path } = operationDescriptors.getHealth
  const { body } = await client.raw({ method, path }, { ...once, ...options })
  const health = tryParseJson(body)?.value
  const checkedAt = isRecord(health) && typeof health.checkedAt === 'string' ? Date.parse(health.checkedAt) : Number.NaN
  return Number.isNaN(checkedAt) ? (client.serviceNowMs() ?? localNowMs()) : checkedAt
}
