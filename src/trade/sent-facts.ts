import { isRecord } from '../shared/json.js'

/** What only this machine knows of a delivery: the service returns neither its window nor its package. */
export interface SentFacts {
  /** When it was sent; `null` for an order of another machine that was changed from here. */
  sentAt: string | null
  /** The file that it is from. */
  file: string | null
  /** The window that it asked for. */
  window: {
    /** RFC 3339; `null` if the window has no start. */
    start: string | null
    /** RFC 3339; `null` if the window has no end. */
    end: string | null
  } | null
  /** The code of its installation. */
  installation: string | null
  /** Its package, without descriptions. */
  package: Readonly<Record<string, unknown>> | null
  /** The checks that it asked for. */
  verification: Readonly<Record<string, unknown>> | null
}

/** The checks that an order asked for at the dropoff; `undefined` if that is not known. */
export function checksOf(sent: SentFacts | null): Readonly<Record<string, unknown>> | undefined {
  const checks = sent?.verification?.dropoff
  return isRecord(checks) ? checks : undefined
}

/** A package in one line: `14 items · 7.2 kg · perishable cold chain`. */
export function packageText(cargo: Readonly<Record<string, unknown>> | null): string {
  const { description, itemsCount, weightGrams, contains } = cargo ?? {}
  const parts = [
    typeof description === 'string' ? description : undefined,
    typeof itemsCount === 'number' ? `${itemsCount} ${itemsCount === 1 ? 'item' : 'items'}` : undefined,
    typeof weightGrams === 'number' ? `${(weightGrams / 1_000).toFixed(1)} kg` : undefined,
    Array.isArray(contains) && contains.length > 0 ? contains.map(String).join(', ').replaceAll('_', ' ') : undefined,
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}
