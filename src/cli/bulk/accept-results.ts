import type { RowResult } from '../../bulk/index.js'
import { adoptRecord, checkRunRecord, ForeignResultsError, readFileResults } from '../../bulk/internal.js'
import type { Client } from '../../client/index.js'
import { ApiError, UsageError } from '../../contract/index.js'
import { shellWord } from '../../shared/command-words.js'
import type { Notices } from '../output/notices.js'

type Header = Parameters<typeof adoptRecord>[1]

/** Deliveries that are looked up side by side. */
const atOnce = 8
const mostNamed = 5

/**
 * Makes results that another machine or account wrote those of this account, once the service has each delivery of them.
 *
 * @throws UsageError with the rows whose delivery is not the account's; nothing is changed then
 */
export async function acceptResults(path: string, header: Header, client: Client, notices: Notices): Promise<void> {
  if (await isOwn(path, header)) return
  const rows = (await readFileResults(path)).filter(({ deliveryId }) => deliveryId !== null)
  const missing: RowResult[] = []
  for (let at = 0; at < rows.length; at += atOnce) {
    const some = rows.slice(at, at + atOnce)
    const found = await Promise.all(some.map((row) => isThere(client, row)))
    missing.push(...some.filter((_, index) => !found[index]))
  }
  if (missing.length > 0) {
    const named = missing.slice(0, mostNamed).map(({ row, deliveryId }) => `row ${row} (${deliveryId})`)
    const more = missing.length > mostNamed ? ` and ${missing.length - mostNamed} more` : ''
    throw new UsageError(`${path} cannot be accepted: this account does not have ${named.join(', ')}${more}.`, {
      hint: '--results NEW begins new results.',
    })
  }
  await adoptRecord(path, header)
  notices.notice(`Results accepted: the service has all ${rows.length.toLocaleString('en-US')} deliveries of ${path}.`)
}

async function isOwn(path: string, header: Header): Promise<boolean> {
  try {
    await checkRunRecord(path, header)
    return true
  } catch (error) {
    if (error instanceof ForeignResultsError) return false
    throw error
  }
}

async function isThere(client: Client, { deliveryId, clientOrderReference }: RowResult): Promise<boolean> {
  try {
    const found = await client.getDelivery({ deliveryId: deliveryId ?? '' })
    return clientOrderReference === null || (found.clientOrderReference ?? null) === clientOrderReference
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

/** The error for results that do not count, with the ways out that the command line has. */
export function withWaysOut(error: unknown, path: string): unknown {
  if (!(error instanceof ForeignResultsError)) return error
  return new UsageError(`${error.message.replace(/\.$/, '')}; nothing was sent.`, {
    hint: `--results NEW begins new results. If you moved ${shellWord(path)} here yourself: --accept-results looks each delivery up at the service first.`,
    cause: error,
  })
}
