import type { RowError } from '../../bulk/index.js'
import { type Client, type IdentifiedOrder, orderDifferences } from '../../client/index.js'
import type { Delivery } from '../../contract/index.js'
import { moneyText } from '../../render/words.js'
import type { SentLedger } from '../../sent/index.js'
import { isRecord, textAt } from '../../shared/json.js'
import { mayUpdate, withoutUnchanged } from '../../trade/updates.js'
import { type RowEffects, stagePreviews } from '../bulk/row-effects.js'

/** The service's refusal of an update in this stage. */
export function updateRefusal(delivery: Delivery, body: unknown): RowError | undefined {
  const { status } = delivery
  const fields = pathsOf(withoutUnchanged(body, delivery)).filter((path) => !mayUpdate(status, path))
  if (fields.length === 0) return undefined
  const message = `cannot be updated once a delivery is ${status}`
  return {
    code: 'INVALID_STATE_TRANSITION',
    message: `${fields.join(', ')} ${message}.`,
    fieldErrors: fields.map((field) => ({ field, code: 'NOT_UPDATABLE', message })),
  }
}

/** Whether an order that this machine sent is sent once more as it was, and its delivery has not been changed since. */
function isUnchanged(
  delivery: Delivery,
  body: unknown,
  ledger: Pick<SentLedger, 'differences' | 'sentParts' | 'factsOf'>,
): boolean {
  const { clientOrderReference } = delivery
  if (!isRecord(body) || clears(body) || ledger.sentParts(delivery) === undefined) return false
  const window = ledger.factsOf(clientOrderReference)?.window
  const asked = isRecord(body.timeWindows) ? body.timeWindows.dropoff : undefined
  const sameWindow = (['start', 'end'] as const).every(
    (edge) => (textAt(asked, edge) ?? null) === (window?.[edge] ?? null),
  )
  const order = {
    order: { ...body, clientOrderReference } as IdentifiedOrder['order'],
    idempotencyKey: '',
    bodyHash: '',
  }
  return (
    sameWindow && ledger.differences?.(order, delivery) === undefined && orderDifferences(body, delivery).length === 0
  )
}

/** Whether a patch removes a value. */
function clears(patch: unknown): boolean {
  return isRecord(patch) ? Object.values(patch).some(clears) : patch === null
}

/** The paths of the values in a patch. */
function pathsOf(patch: unknown, above = ''): string[] {
  if (!isRecord(patch)) return above === '' ? [] : [above]
  return Object.entries(patch).flatMap(([name, value]) => pathsOf(value, above === '' ? name : `${above}.${name}`))
}

/**
 * Sums the tips that the rows of an update set: `tips $180.00 (2 × $90.00)`. A dry run reads each delivery too, because
 * its stage decides what may still change.
 */
export function updateEffects(
  client: Client,
  isDryRun: boolean,
  ledger: Pick<SentLedger, 'differences' | 'sentParts' | 'factsOf'>,
): RowEffects<{ deliveryId: string; body: unknown }> {
  const counts = new Map<number, number>()
  return {
    async read(inputs) {
      for (const { body } of inputs) {
        const tip = isRecord(body) ? body.tipAmountCents : undefined
        if (typeof tip === 'number') counts.set(tip, (counts.get(tip) ?? 0) + 1)
      }
      if (!isDryRun) return undefined
      const previews = await stagePreviews(client, inputs, (delivery, { body }) => updateRefusal(delivery, body))
      return previews.map((preview, index) => {
        const { delivery, error } = preview
        const isSame =
          delivery !== undefined && error === undefined && isUnchanged(delivery, inputs[index]?.body, ledger)
        return { ...preview, isUnchanged: isSame }
      })
    },
    get text() {
      if (counts.size === 0) return ''
      const sum = [...counts].reduce((cents, [tip, count]) => cents + tip * count, 0)
      const parts = [...counts].map(([tip, count]) => `${count} × ${moneyText(tip)}`)
      const [shown, left] = [parts.slice(0, 3), parts.length - 3]
      return `tips ${moneyText(sum)} (${shown.join(' + ')}${left > 0 ? ` + ${left} other amounts` : ''})`
    },
  }
}
