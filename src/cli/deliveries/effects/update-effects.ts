import { moneyText } from '../../../render/money.js'
import { isRecord } from '../../../shared/json.js'
import type { RowEffects } from './row-effects.js'

/** Sums the tips that the rows of an update set: `tips $180.00 (2 × $90.00)`. */
export function updateEffects(): RowEffects<{ body: unknown }> {
  const counts = new Map<number, number>()
  return {
    read(inputs) {
      for (const { body } of inputs) {
        const tip = isRecord(body) ? body.tipAmountCents : undefined
        if (typeof tip === 'number') counts.set(tip, (counts.get(tip) ?? 0) + 1)
      }
      return Promise.resolve()
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
