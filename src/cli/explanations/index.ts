import { errorExplanations } from './errors.js'
import { exitExplanations } from './exit-codes.js'
import type { Explanation } from './explanation.js'
import { httpStatusExplanations } from './http-statuses.js'
import { installationExplanations } from './installations.js'
import { localErrorExplanations } from './local-errors.js'
import { reasonExplanations } from './reasons.js'
import { eventExplanations, problemExplanations, statusExplanations } from './statuses.js'

export type { Explanation } from './explanation.js'

/** Every code that `dlv explain` knows; a code may have several meanings, such as `quote_expired`. */
export const explanations: readonly Explanation[] = [
  ...statusExplanations,
  ...reasonExplanations,
  ...problemExplanations,
  ...errorExplanations,
  ...localErrorExplanations,
  ...eventExplanations,
  ...installationExplanations,
  ...httpStatusExplanations,
  ...exitExplanations,
]

/** The explanations of a code: as it is written, else regardless of case, dashes and underscores. */
export function explain(code: string): Explanation[] {
  const exact = explanations.filter((explanation) => explanation.code === code)
  if (exact.length > 0) return exact
  const folded = fold(code)
  return folded === '' ? [] : explanations.filter((explanation) => fold(explanation.code) === folded)
}

function fold(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, '')
}
