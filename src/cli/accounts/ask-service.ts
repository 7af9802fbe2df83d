import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../client/index.js'
import { ApiError, type DlvError, UsageError } from '../../contract/index.js'
import type { AccountRecord } from '../../profiles/index.js'
import { textOf } from '../../shared/json.js'
import { journalFileOf } from '../journal/place.js'
import type { Asked } from './identify.js'

/** A delivery that only its own account can answer for. */
interface KnownDelivery {
  deliveryId: string
  /** `null` if it is not known. */
  reference: string | null
}

/** Of each source; one delivery may have been removed by the service. */
const mostOfEach = 3
const newestEvents = 50

/**
 * Asks the service for deliveries that are kept of an account, the newest first. One that is not found proves nothing; one
 * that is found is this account's.
 *
 * @throws DlvError if the service cannot be asked, or refuses the key
 */
export async function askService(client: Client, account: AccountRecord, dataDir: string): Promise<Asked> {
  const known = await knownDeliveries(account, dataDir)
  for (const { deliveryId, reference } of known) {
    const found = await client.getDelivery({ deliveryId }).catch(notFound)
    if (found === undefined) continue
    const isSame = reference === null || (found.clientOrderReference ?? null) === reference
    if (found.deliveryId === deliveryId && isSame) return 'found'
  }
  return known.length === 0 ? 'nothing' : 'absent'
}

function notFound(error: DlvError): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined
  throw error
}

/** Deliveries of the account's order ledger, its archive and its journal. */
async function knownDeliveries({ dataName }: AccountRecord, dataDir: string): Promise<KnownDelivery[]> {
  const sources = [ledgerDeliveries, archiveDeliveries, journalDeliveries]
  const found = await Promise.all(sources.map((source) => source(dataDir, dataName).catch(unreadable)))
  return [...new Map(found.flat().map((delivery) => [delivery.deliveryId, delivery])).values()]
}

/** What is damaged or being written answers for nothing; the command that needs it says so. */
function unreadable(error: unknown): KnownDelivery[] {
  if (error instanceof UsageError || (error instanceof Error && ('errcode' in error || 'syscall' in error))) return []
  throw error
}

async function ledgerDeliveries(dataDir: string, account: string): Promise<KnownDelivery[]> {
  const file = join(dataDir, 'orders.db')
  if (!existsSync(file)) return []
  const { newestOrders } = await import('../../sent/index.js')
  return newestOrders(file, account, mostOfEach)
}

async function archiveDeliveries(dataDir: string, account: string): Promise<KnownDelivery[]> {
  const { ArchiveReader, archivePaths, hasArchive } = await import('../../archive/index.js')
  const paths = archivePaths(dataDir, account)
  if (!hasArchive(paths)) return []
  const archive = ArchiveReader.open(paths, { people: false })
  try {
    const rows = archive.rows(
      `SELECT delivery_id, client_order_reference FROM deliveries ORDER BY created_at DESC LIMIT ${mostOfEach}`,
    )
    return Array.from(rows, (row) => ({
      deliveryId: String(row.delivery_id),
      reference: textOf(row.client_order_reference) ?? null,
    }))
  } finally {
    archive.close()
  }
}

async function journalDeliveries(dataDir: string, account: string): Promise<KnownDelivery[]> {
  const file = journalFileOf(dataDir, account)
  if (!existsSync(file)) return []
  const { readJournal } = await import('../../listener/index.js')
  const journal = await readJournal(file)
  try {
    const ids = new Set<string>()
    for await (const { deliveryId } of journal.list({ limit: newestEvents }))
      if (deliveryId !== undefined) ids.add(deliveryId)
    return [...ids].slice(-mostOfEach).map((deliveryId) => ({ deliveryId, reference: null }))
  } finally {
    await journal.close()
  }
}
