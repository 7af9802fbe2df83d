/** Cents as an amount of a currency with two places: `2,104.50`. */
export function amountText(cents: number): string {
  const whole = String(Math.trunc(Math.abs(cents) / 100)).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${cents < 0 ? '-' : ''}${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
}
