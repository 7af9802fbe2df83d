import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../client/index.js'
import { ApiError, type DlvError, UsageError } from '../../contract/index.js'
import type { AccountRecord } from '../../profiles/index.js'
import { textOf } from '../../shared/json.js'
import { journalFileOf, journalPlace } from '../journal/place.js'
import type { ProcessContext } from '../process/context.js'
import type { Asked } from './identify.js'
import { accountInJournal } from './journal-account.js'

/** A delivery that only its own account can answer for. */
interface KnownDelivery {
  deliveryId: string
  /** `null` if it is not known. */
  reference: string | null
}

/** What decides where a journal is. */
type JournalContext = Pick<ProcessContext, 'env' | 'cwd'>

/** Of each source; one delivery may have been removed by the service. */
const mostOfEach = 3
const newestEvents = 50

/**
 * Asks the service for deliveries that are kept of an account, the newest first. One that is not found proves nothing; one
 * that is found is this account's.
 *
 * @throws DlvError if the service cannot be asked, or refuses the key
 */
export async function askService(
  client: Client,
  account: AccountRecord,
  dataDir: string,
  context: JournalContext,
): Promise<Asked> {
  const known = await knownDeliveries(account, dataDir, context)
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
async function knownDeliveries(
  account: AccountRecord,
  dataDir: string,
  context: JournalContext,
): Promise<KnownDelivery[]> {
  const { dataName } = account
  const sources = [
    ledgerDeliveries(dataDir, dataName),
    archiveDeliveries(dataDir, dataName),
    journalDeliveries(journalFileOf(dataDir, dataName), account, dataDir, context),
    sharedJournalDeliveries(account, dataDir, context),
  ]
  const found = await Promise.all(sources.map((source) => source.catch(unreadable)))
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

/** Those of the journal that `DLV_JOURNAL` names, which other accounts may share. */
async function sharedJournalDeliveries(account: AccountRecord, dataDir: string, context: JournalContext) {
  const place = journalPlace(context, undefined)
  return place === undefined ? [] : journalDeliveries(place, account, dataDir, context)
}

async function journalDeliveries(
  place: string,
  account: AccountRecord,
  dataDir: string,
  { env }: JournalContext,
): Promise<KnownDelivery[]> {
  const { isPostgresAddress } = await import('../../postgres/index.js')
  if (!isPostgresAddress(place) && !existsSync(place)) return []
  const { readJournal } = await import('../../listener/index.js')
  const { read } = await accountInJournal(place, account, { apiKey: undefined, dataDir, env, isWriting: false })
  // What listeners kept for nobody in particular may be another account's.
  const journal = await readJournal(place, env, { accounts: read.filter((mark) => mark !== '') })
  try {
    const ids = new Set<string>()
    for await (const { deliveryId } of journal.list({ limit: newestEvents }))
      if (deliveryId !== undefined) ids.add(deliveryId)
    return [...ids].slice(-mostOfEach).map((deliveryId) => ({ deliveryId, reference: null }))
  } finally {
    await journal.close()
  }
}
