import { plainValue } from './plain-text.js'

/** An address on one line, whichever form it has. */
export function addressText(address: unknown): string {
  if (typeof address !== 'object' || address === null) return plainValue(address)
  const { line1, city, state, postalCode } = address as Record<string, unknown>
  const town = [plainValue(city), [plainValue(state), plainValue(postalCode)].filter(Boolean).join(' ')]
  return [plainValue(line1), ...town].filter(Boolean).join(', ')
}
