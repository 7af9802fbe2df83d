import { type DeliveryListItem, UsageError } from '../../contract/index.js'

/** What stands in the place of an id is a reference that leads to no single delivery. */
export abstract class DeliveryReferenceError extends UsageError {}

/** No delivery has the reference. */
export class UnknownReferenceError extends DeliveryReferenceError {
  constructor(clientOrderReference: string, where?: 'in the journal') {
    super(`No delivery${where === undefined ? '' : ` ${where}`} has the reference "${clientOrderReference}".`, {
      hint: "References match exactly. It is no delivery's id either.",
    })
  }
}

/** Several deliveries have the reference. */
export class AmbiguousReferenceError extends DeliveryReferenceError {
  /** For programs, in the JSON of the error. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(clientOrderReference: string, deliveries: readonly DeliveryListItem[]) {
    super(`${deliveries.length} deliveries have the reference "${clientOrderReference}".`, {
      hint: 'Use the id of the one that you mean.',
    })
    this.details = {
      candidates: deliveries.map(({ deliveryId, status, createdAt }) => ({ deliveryId, status, createdAt })),
    }
  }
}

/** An event that was named and does not exist. */
export class UnknownEventError extends UsageError {}
