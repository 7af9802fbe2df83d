import type { Client } from '../../../client/index.js'
import { moneyText } from '../../../render/words.js'
import { isRecord } from '../../../shared/json.js'
import type { RowEffects } from './row-effects.js'
import { stagePreviews, updateRefusal } from './stage-preview.js'

/**
 * Sums the tips that the rows of an update set: `tips $180.00 (2 × $90.00)`. A dry run reads each delivery too, because
 * its stage decides what may still change.
 */
export function updateEffects(client: Client, isDryRun: boolean): RowEffects<{ deliveryId: string; body: unknown }> {
  const counts = new Map<number, number>()
  return {
    async read(inputs) {
      for (const { body } of inputs) {
        const tip = isRecord(body) ? body.tipAmountCents : undefined
        if (typeof tip === 'number') counts.set(tip, (counts.get(tip) ?? 0) + 1)
      }
      return isDryRun ? stagePreviews(client, inputs, (delivery, { body }) => updateRefusal(delivery, body)) : undefined
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
