import { hash } from 'node:crypto'
import { isRecord, textAt } from '../shared/json.js'
import { requestedWindow } from '../trade/promise.js'

/**
 * The parts of an order that may be kept: what a delivery does not show of it, without a word that may name a person or a
 * thing. Such text is kept only as a hash, which tells whether another order has the same.
 */
export function keptOf(order: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(order)) return {}
  const { timeWindows, package: cargo, verification, handling, dispatch, tipAmountCents, metadata, quoteId } = order
  const kept = {
    // The service may not give them back.
    dropoffParts: isRecord(order.dropoff) ? hashedParts(order.dropoff) : undefined,
    installation: isRecord(order.dropoff) ? textAt(order.dropoff.installation, 'code') : undefined,
    timeWindows,
    package: isRecord(cargo) ? hashed(cargo, ['description', 'items']) : cargo,
    verification,
    handling,
    dispatch,
    tipAmountCents,
    metadata: isRecord(metadata) ? hashed(metadata, Object.keys(metadata)) : metadata,
    quoteId: typeof quoteId === 'string' ? quoteId : undefined,
  }
  return withoutMissing(kept)
}

/** The kept parts by which one order is compared with another. */
export function comparedOf(kept: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { installation: _, quoteId: __, ...parts } = kept
  return parts
}

/** The kept parts that can be copied into another order: no hashes. */
export function copiedOf(kept: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { dropoffParts: _, ...parts } = comparedOf(kept)
  return withoutHashes(parts) as Record<string, unknown>
}

/** The names of the texts that are kept only as hashes, such as `package.description`, and so cannot be copied. */
export function hashedNames(kept: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(kept).flatMap(([block, value]) =>
    block !== 'dropoffParts' && isRecord(value)
      ? Object.entries(value).flatMap(([name, member]) =>
          typeof member === 'string' && hashText.test(member) ? [`${block}.${name}`] : [],
        )
      : [],
  )
}

/** The facts of an order's body that reports and cards show: a window, a code, measures and checks. */
export function shownOf(kept: Readonly<Record<string, unknown>>): {
  quoteId?: string | undefined
  windowStart?: string | undefined
  windowEnd?: string | undefined
  installation?: string | undefined
  package?: Readonly<Record<string, unknown>> | undefined
  verification?: Readonly<Record<string, unknown>> | undefined
} {
  const window = requestedWindow(kept.timeWindows)
  const { description: _, items: __, ...measures } = isRecord(kept.package) ? kept.package : {}
  return {
    quoteId: textAt(kept, 'quoteId'),
    windowStart: window?.start,
    windowEnd: window?.end,
    installation: textAt(kept, 'installation'),
    package: Object.keys(measures).length === 0 ? undefined : measures,
    verification: isRecord(kept.verification) ? kept.verification : undefined,
  }
}

function hashedParts({ instructions, installation, unit }: Readonly<Record<string, unknown>>) {
  const parts = { instructions, installation, unit }
  return withoutMissing(hashed(parts, Object.keys(parts)))
}

/** The value without texts that are stored only as a hash. */
function withoutHashes(value: unknown): unknown {
  if (!isRecord(value)) return value
  const known = Object.entries(value).filter(([, member]) => !(typeof member === 'string' && hashText.test(member)))
  return Object.fromEntries(known.map(([name, member]) => [name, withoutHashes(member)]))
}

const hashText = /^sha256 [0-9a-f]{12}$/

// Every order of a run comes through these two: entries that are mapped take three times as long as a loop.

function hashed(block: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const kept = { ...block }
  for (const name of names)
    if (block[name] !== undefined)
      kept[name] = `sha256 ${hash('sha256', JSON.stringify(block[name]), 'hex').slice(0, 12)}`
  return kept
}

function withoutMissing(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(value)) if (value[name] !== undefined) kept[name] = value[name]
  return kept
}
