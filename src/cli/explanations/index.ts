import { errorExplanations } from './errors.js'
import { eventExplanations } from './events.js'
import { exitExplanations } from './exits.js'
import type { Explanation } from './explanation.js'
import { reasonExplanations } from './reasons.js'
import { statusExplanations } from './statuses.js'

export type { Explanation } from './explanation.js'

/** Every code that `dlv explain` knows; some have two meanings, such as `quote_expired`. */
export const explanations: readonly Explanation[] = [
  ...statusExplanations,
  ...reasonExplanations,
  ...errorExplanations,
  ...eventExplanations,
  ...exitExplanations,
]

/** The explanations of a code, case-sensitive first, then case-insensitive. */
export function explain(code: string): Explanation[] {
  const exact = explanations.filter((explanation) => explanation.code === code)
  if (exact.length > 0) return exact
  const folded = code.toLowerCase().replaceAll('-', '_')
  return explanations.filter((explanation) => explanation.code.toLowerCase() === folded)
}
