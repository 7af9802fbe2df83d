import { codePointLength, limits, UsageError } from '../../contract/index.js'
import { deliveryIdPrefix } from '../../shared/command-words.js'
import { trimmed } from '../../shared/texts.js'

/** The name that a user typed for a delivery: its id, or the client's own order reference. */
type DeliveryName = { deliveryId: string } | { clientOrderReference: string }

/**
 * Tells an id from a reference: `del_…` is an id, anything else a reference; `id:` or `ref:` in front decides.
 *
 * @throws UsageError for a reference that no request can look up
 */
export function parseDeliveryName(typed: string): DeliveryName {
  const text = trimmed(typed)
  if (text.startsWith('id:') || text.startsWith(deliveryIdPrefix)) {
    const deliveryId = text.startsWith('id:') ? trimmed(text.slice('id:'.length)) : text
    if (deliveryId === '') throw emptyName('id')
    return { deliveryId }
  }
  const clientOrderReference = text.startsWith('ref:') ? trimmed(text.slice('ref:'.length)) : text
  if (clientOrderReference === '') throw emptyName('reference')
  const length = codePointLength(clientOrderReference)
  const most = limits.clientOrderReferenceMaxLength
  if (length > most)
    throw new UsageError(
      `The reference "${clientOrderReference.slice(0, 40)}…" has ${length} characters; ${most} is the most.`,
    )
  if (/\p{Surrogate}/u.test(clientOrderReference))
    throw new UsageError(`The reference "${clientOrderReference.toWellFormed()}" holds half of a character.`)
  return { clientOrderReference }
}

/** The part of a line that names a delivery: an id is its first word; a reference may have spaces, and ends at a tab. */
export function deliveryNameOf(line: string): string {
  const text = trimmed(line)
  const end = /^(?:del_|id:)/.test(text) ? /\s/ : /\t/
  return trimmed(text.split(end, 1)[0] ?? '')
}

function emptyName(noun: string): UsageError {
  return new UsageError(`The ${noun} of the delivery is empty.`, {
    hint: 'Use an id, such as del_01ABC, or a reference.',
  })
}
