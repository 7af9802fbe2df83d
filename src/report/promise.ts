import type { DeliveryHistory } from './delivery-history.js'
import { startOf } from './delivery-history.js'

/** Where a delivery's promise comes from, the strongest first. */
export const promiseSources = ['file', 'quote', 'sla', 'firstEta', 'none'] as const
export type PromiseSource = (typeof promiseSources)[number]

export interface PromisedTime {
  promisedByMs: number
  source: PromiseSource
}

/** What is known of promises beyond the events. */
export interface PromiseRules {
  /** The end of the window by the order's reference, in milliseconds since the epoch. */
  file?: ReadonlyMap<string, number> | undefined
  /** The `dropoffEta` of the quote that an order was created with, by the order's reference. */
  quotes?: ReadonlyMap<string, number> | undefined
  /** Milliseconds from acceptance. */
  slaMs?: number | undefined
}

/** The first promise that a delivery has. */
export function promiseOf(history: DeliveryHistory, rules: PromiseRules): PromisedTime | undefined {
  const reference = history.latest.clientOrderReference
  const inFile = reference === undefined ? undefined : rules.file?.get(reference)
  if (inFile !== undefined) return { promisedByMs: inFile, source: 'file' }
  const quoted = reference === undefined ? undefined : rules.quotes?.get(reference)
  if (quoted !== undefined) return { promisedByMs: quoted, source: 'quote' }
  const startMs = startOf(history)
  if (rules.slaMs !== undefined && startMs !== undefined) return { promisedByMs: startMs + rules.slaMs, source: 'sla' }
  if (history.firstEtaMs !== undefined) return { promisedByMs: history.firstEtaMs, source: 'firstEta' }
  return undefined
}

/** The weakest of the sources that were used. */
export function weakestOf(sources: Iterable<PromiseSource>): PromiseSource {
  const used = new Set(sources)
  return promiseSources.findLast((source) => used.has(source)) ?? 'none'
}
