import { amountText } from '../shared/money.js'
import { plainText } from './plain-text.js'

/** Formats cents as `$1,234.50`, or as `1,234.50 EUR` in another currency. */
export function moneyText(cents: number | null | undefined, currency: string | null | undefined = 'USD'): string {
  if (cents === null || cents === undefined) return ''
  const amount = amountText(Math.abs(cents))
  const sign = cents < 0 ? '-' : ''
  return currency === 'USD' || currency === null || currency === undefined
    ? `${sign}$${amount}`
    : `${sign}${amount} ${plainText(currency)}`
}
