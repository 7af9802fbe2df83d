import type { World } from '../model.js'

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
