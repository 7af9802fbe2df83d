import { isRecord } from '../../shared/json.js'

/**
 * Whether a delivery that exists under an order's reference is this order's: what both show must agree. Spelling is
 * compared loosely, since a service may tidy an address; what the service does not show decides nothing.
 */
export function isSameOrder(order: unknown, delivery: unknown): boolean {
  if (!isRecord(order) || !isRecord(delivery)) return true
  return [
    agree(textAt(order, 'pickup', 'storeReference'), textAt(delivery, 'pickup', 'storeReference')),
    agree(textAt(order, 'dropoff', 'contactName'), textAt(delivery, 'dropoff', 'contactName')),
    agree(textAt(order, 'dropoff', 'contactPhone'), textAt(delivery, 'dropoff', 'contactPhone')),
    addressesAgree(memberAt(order, 'dropoff', 'address'), memberAt(delivery, 'dropoff', 'address')),
  ].every(Boolean)
}

function memberAt(document: Record<string, unknown>, block: string, name: string): unknown {
  const member = document[block]
  return isRecord(member) ? member[name] : undefined
}

function textAt(document: Record<string, unknown>, block: string, name: string): string | undefined {
  const member = memberAt(document, block, name)
  return typeof member === 'string' ? member : undefined
}

function agree(asked: string | undefined, shown: string | undefined): boolean {
  return asked === undefined || shown === undefined || words(asked).join(' ') === words(shown).join(' ')
}

/** An address is the same where all words of the shorter form are in the longer one. */
function addressesAgree(asked: unknown, shown: unknown): boolean {
  const [shorter, longer] = [addressWords(asked), addressWords(shown)].sort((a, b) => a.size - b.size)
  if (shorter === undefined || longer === undefined || shorter.size === 0) return true
  return [...shorter].every((word) => longer.has(word))
}

function addressWords(address: unknown): Set<string> {
  if (typeof address === 'string') return new Set(words(address))
  if (!isRecord(address)) return new Set()
  return new Set(
    Object.values(address)
      .filter((part) => typeof part === 'string')
      .flatMap(words),
  )
}

function words(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}+]+/u)
    .filter((word) => word !== '')
}
