import { idempotencyKeyOf, newIdempotencyKey } from '../../client/index.js'
import { hashOf } from '../../client/internal.js'
import { canonicalJson, codePointLength, type InputOf, limits, UsageError } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import type { PreparedRow } from './row-action.js'

type Order = InputOf<'createDelivery'>['body']

/** An order of a bulk run, ready to be sent: its text, and what identifies it. Without the order, it is read from its text. */
export class PreparedOrder implements PreparedRow<Order> {
  constructor(
    readonly clientOrderReference: string,
    readonly idempotencyKey: string,
    readonly bodyHash: string,
    readonly canonical: string,
    private readonly order?: unknown,
  ) {}

  get input(): Order {
    return (this.order ?? JSON.parse(this.canonical)) as Order
  }
}

/** What the keys of a run's orders depend on beside the orders. */
export interface KeyOptions {
  profile: string
  /** A key that nothing else has for each order, instead of one from the order. */
  newKeys?: boolean | undefined
}

/** @throws UsageError for what is no order, or has no reference */
export function prepareOrder(value: unknown, { profile, newKeys }: KeyOptions): PreparedOrder {
  const reference = referenceOf(value)
  const canonical = canonicalJson(value)
  const bodyHash = hashOf(canonical)
  const key = newKeys ? newIdempotencyKey() : idempotencyKeyOf({ profile, order: value, bodyHash })
  return new PreparedOrder(reference, key, bodyHash, canonical, value)
}

function referenceOf(value: unknown): string {
  if (!isRecord(value)) throw new UsageError('The row is not a JSON object')
  const { clientOrderReference } = value
  if (typeof clientOrderReference !== 'string' || clientOrderReference === '')
    throw new UsageError('clientOrderReference is missing', { hint: 'A bulk run needs it to tell orders apart.' })
  if (codePointLength(clientOrderReference) > limits.clientOrderReferenceMaxLength)
    throw new UsageError(`clientOrderReference has more than ${limits.clientOrderReferenceMaxLength} characters`)
  return clientOrderReference
}
