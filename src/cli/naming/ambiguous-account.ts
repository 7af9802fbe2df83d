import { DeliveryReferenceError } from './failure.js'

/** A delivery that an account has by a name. */
export interface Candidate {
  profile: string
  deliveryId: string
  status?: string | undefined
}

/** Several accounts have a delivery of this name, or one of them has several. */
export class AmbiguousAccountError extends DeliveryReferenceError {
  /** For programs, in the JSON of the error. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(name: string, candidates: readonly Candidate[]) {
    const listed = candidates.map(({ profile, deliveryId }) => `${deliveryId} of ${profile}`).join(', ')
    super(`"${name}" is ${candidates.length} deliveries: ${listed}.`, {
      hint: 'Name the account of the one that you mean with -P, or use its id.',
    })
    this.details = { candidates }
  }
}
