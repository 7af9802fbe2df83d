import type { CallOptions, Client } from '../../client/index.js'
import { operationDescriptors } from '../../contract/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/**
 * The time of the service's clock in milliseconds since the epoch, which is virtual in a sandbox: `checkedAt` of `GET
 * /health`, or the `Date` of that response, or this machine's clock.
 *
 * @throws ConnectionError if the service cannot be reached
 */
export async function serviceNowMs(client: Client, localNowMs: () => number, options?: CallOptions): Promise<number> {
  const { method, path } = operationDescriptors.getHealth
  const { headers, body } = await client.raw({ method, path }, options)
  const health = tryParseJson(body)?.value
  const checkedAt = isRecord(health) && typeof health.checkedAt === 'string' ? Date.parse(health.checkedAt) : Number.NaN
  if (!Number.isNaN(checkedAt)) return checkedAt
  const { parseHttpDate } = await import('../../client/internal.js')
  return parseHttpDate(headers.get('date') ?? '') ?? localNowMs()
}
