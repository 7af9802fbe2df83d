import { type DeliveryListItem, UsageError } from '../../contract/index.js'
import { shellWord } from '../../shared/command-words.js'

/** A name in place of an id does not lead to a single delivery. */
export abstract class DeliveryReferenceError extends UsageError {}

/** No delivery has the reference. */
export class UnknownReferenceError extends DeliveryReferenceError {
  constructor(
    clientOrderReference: string,
    where?: 'in the journal' | 'in the archive' | 'for a write' | `in ${string}`,
  ) {
    const place = where === undefined || where === 'for a write' ? '' : ` ${where}`
    const isWrite = where === 'for a write'
    super(`No delivery${place} has the reference "${clientOrderReference}".`, {
      hint: isWrite
        ? `Nothing was sent. If it is the delivery's id, write ${shellWord(`id:${clientOrderReference}`)}.`
        : where === 'in the archive'
          ? 'References match exactly. Give its deliveryId, so that later runs leave its personal data out.'
          : "References match exactly. It is not a delivery's id either.",
    })
  }
}

/** Several deliveries have the reference. */
export class AmbiguousReferenceError extends DeliveryReferenceError {
  /** For programs, in the JSON of the error. */
  readonly details: Readonly<Record<string, unknown>>
  readonly candidates: readonly DeliveryListItem[]

  constructor(clientOrderReference: string, deliveries: readonly DeliveryListItem[]) {
    super(`${deliveries.length} deliveries have the reference "${clientOrderReference}".`, {
      hint: 'Use the id of the one that you mean.',
    })
    this.candidates = deliveries
    this.details = {
      candidates: deliveries.map(({ deliveryId, status, createdAt }) => ({ deliveryId, status, createdAt })),
    }
  }
}

/** A word is the id of one delivery and the reference of another. */
export class AmbiguousNameError extends DeliveryReferenceError {
  /** For programs, in the JSON of the error. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(word: string, deliveryId: string) {
    super(`"${word}" is the id of one delivery and the reference of another.`, {
      hint: `Write ${shellWord(`id:${word}`)} for the first, or ${shellWord(`ref:${word}`)} for the other, ${deliveryId}.`,
    })
    this.details = { candidates: [{ deliveryId: word }, { deliveryId }] }
  }
}

/** An event that was named and does not exist. */
export class UnknownEventError extends UsageError {}

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
      hint: `Name the account of the one that you mean with -P${candidates.some(({ deliveryId }) => deliveryId === name) ? '' : ', or use its id'}.`,
    })
    this.details = { candidates }
  }
}
