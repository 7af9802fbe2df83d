import { plainText } from './plain-text.js'

/** Formats cents as `$12.34`, or as `12.34 EUR` in another currency. */
export function moneyText(cents: number | null | undefined, currency: string | null | undefined = 'USD'): string {
  if (cents === null || cents === undefined) return ''
  const amount = `${Math.trunc(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
  const sign = cents < 0 ? '-' : ''
  return currency === 'USD' || currency === null || currency === undefined
    ? `${sign}$${amount}`
    : `${sign}${amount} ${plainText(currency)}`
}
