import type { World } from '../model.js'

/**
 * A number in [0, 1) that depends only on its parts: wherever the sandbox needs variety, equal input gives equal
 * output. FNV-1a with a final mix, since FNV by itself leaves short texts close together.
 */
export function hashFraction(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5
  for (const character of parts.join('\u0000')) {
    hash ^= character.codePointAt(0) ?? 0
    hash = Math.imul(hash, 0x01000193)
  }
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  hash ^= hash >>> 16
  return (hash >>> 0) / 2 ** 32
}

/** A number between two bounds that depends only on the parts. */
export function hashBetween(from: number, to: number, ...parts: readonly (string | number)[]): number {
  return from + (to - from) * hashFraction(...parts)
}

/** The seed of a delivery's random choices. */
export function varietyOf({ variety, deliveryId }: { variety?: string; deliveryId: string }): string {
  return variety ?? deliveryId
}

/** Properties and enum values of no version of the contract, by the kind of body that they go into. */
const additions = {
  delivery: { carbonGrams: 412, fulfilment: { drone: false } },
  event: { schemaRevision: 2 },
  capabilities: { lockerHandoff: true },
  installation: { visitorParking: 'limited' },
  quote: { carbonGrams: 412 },
  driver: { rating: 4.9 },
  serviceability: { confidence: 'high' },
} as const

/**
 * The body as a later version of the service would send it, if the switch `future` asks for that; untouched
 * otherwise. A client has to ignore what is new.
 */
export function withFuture<Body extends object>(
  world: Pick<World, 'switches'>,
  kind: keyof typeof additions,
  body: Body,
): Body {
  return world.switches.future === 'on' ? { ...body, ...additions[kind] } : body
}

/** A list of words with one that nobody knows yet, if the switch `future` asks for it. */
export function withFutureWord<Word extends string>(
  world: Pick<World, 'switches'>,
  words: readonly Word[],
  word: string,
): (Word | string)[] {
  return world.switches.future === 'on' ? [...words, word] : [...words]
}
