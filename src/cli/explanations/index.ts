import { errorExplanations } from './errors.js'
import { eventExplanations } from './events.js'
import { exitExplanations } from './exits.js'
import type { Explanation } from './explanation.js'
import { reasonExplanations } from './reasons.js'
import { statusExplanations } from './statuses.js'

export type { Explanation } from './explanation.js'

/** Every word that `dlv explain` knows; a word may have two meanings, such as `quote_expired`. */
export const explanations: readonly Explanation[] = [
  ...statusExplanations,
  ...reasonExplanations,
  ...errorExplanations,
  ...eventExplanations,
  ...exitExplanations,
]

/** The explanations of a word: as it is written, else without regard to case. */
export function explain(code: string): Explanation[] {
  const exact = explanations.filter((explanation) => explanation.code === code)
  if (exact.length > 0) return exact
  const folded = code.toLowerCase().replaceAll('-', '_')
  return explanations.filter((explanation) => explanation.code.toLowerCase() === folded)
}
