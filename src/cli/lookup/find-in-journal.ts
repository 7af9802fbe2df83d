import type { DeliveryListItem } from '../../contract/index.js'
import type { JournalEvent, JournalReader } from '../../listener/index.js'
import { valueAt } from '../../render/view.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { parseDeliveryName } from './delivery-name.js'
import { AmbiguousReferenceError, UnknownReferenceError } from './errors.js'

/**
 * The delivery that a user named by its id or by the order's reference, which is looked for in the journal: no service
 * is needed.
 *
 * @throws UsageError if no received event is about an order with this reference, or events of several deliveries are
 */
export async function namedInJournal(
  journal: Pick<JournalReader, 'list'>,
  text: string,
): Promise<{ deliveryId: string }> {
  const name = parseDeliveryName(text)
  if ('deliveryId' in name) return name
  const { clientOrderReference } = name
  const newest = new Map<string, DeliveryListItem>()
  // Escaped as in the bytes, so that most bodies need not be parsed.
  const escaped = JSON.stringify(clientOrderReference)
  for await (const event of journal.list({})) {
    const snapshot = snapshotOf(event, escaped)
    if (snapshot?.clientOrderReference === clientOrderReference || snapshot?.deliveryId === text)
      newest.set(snapshot.deliveryId, snapshot)
  }
  const [found, another] = newest.values()
  if (found === undefined) throw new UnknownReferenceError(clientOrderReference, 'in the journal')
  if (another !== undefined) throw new AmbiguousReferenceError(clientOrderReference, [...newest.values()])
  return { deliveryId: found.deliveryId }
}

function snapshotOf({ body }: JournalEvent, escaped: string): DeliveryListItem | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // A sender may escape other characters than JSON.stringify does.
  if (!bytes.includes(escaped) && !bytes.includes('\\')) return undefined
  const delivery = valueAt(tryParseJson(bytes)?.value, 'delivery')
  return isRecord(delivery) && typeof delivery.deliveryId === 'string'
    ? (delivery as unknown as DeliveryListItem)
    : undefined
}
