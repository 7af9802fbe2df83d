import { UsageError } from '../../contract/index.js'

/** Parses a whole number of at least `least`, or `off` for no limit. Throws `UsageError`. */
export function parseCountOrOff(text: string, flag: string, least: number): number | 'off' {
  if (text === 'off') return 'off'
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (count >= least) return count
  throw new UsageError(`${flag} expects off or a whole number of at least ${least}, got "${text.slice(0, 40)}".`)
}
