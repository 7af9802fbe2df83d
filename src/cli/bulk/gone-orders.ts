import { statSync } from 'node:fs'
import { readGoneResults } from '../../bulk/internal.js'
import { DlvError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { shellWord } from '../../shared/command-words.js'
import { isActive } from '../../trade/statuses.js'
import { pathOf } from '../input/read.js'
import type { Session } from '../session/session.js'
import { areShared } from './results-place.js'

/** More orders than these are another file under the name of the one before. */
const mostLookedUp = 20

/** A record of more bytes is not read again for this. */
const longestRecord = 20_000_000

/** Names the orders that an earlier run created, that this one did not have any more, and that are still under way. */
export async function sayGone(session: Session, results: string): Promise<void> {
  if (areShared(results) || session.context.accountRows !== undefined) return
  const path = pathOf(session.context, results)
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size === 0 || size > longestRecord) return
  const { kept, gone } = await readGoneResults(path)
  if (gone.length === 0 || gone.length > Math.min(mostLookedUp, kept)) return
  const client = await session.client()
  const found = await Promise.all(
    gone.map(async ({ deliveryId, clientOrderReference }) => {
      if (deliveryId === null) return []
      const delivery = await client.getDelivery({ deliveryId }).catch((error: unknown) => {
        if (error instanceof DlvError) return undefined
        throw error
      })
      return delivery === undefined || !isActive(delivery.status) ? [] : [clientOrderReference ?? deliveryId]
    }),
  )
  const names = found.flat()
  if (names.length === 0) return
  const are = names.length === 1 ? '1 order of an earlier run is' : `${names.length} orders of an earlier run are`
  session.notices.warn(
    `${are} no longer among the rows of this file and still under way: ${names.map(plainText).join(', ')}. To cancel: dlv deliveries cancel ${names.map(shellWord).join(' ')}`,
  )
}
