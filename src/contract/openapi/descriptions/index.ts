/**
 * Descriptions of the contract's types and fields: the source of the OpenAPI document's descriptions and of the
 * comments that an editor shows. Separate from the schemas, which every command loads.
 */

import { deliveries } from './deliveries.js'
import { events, installations } from './events.js'
import { type Descriptions, fields } from './fields.js'
import { orders } from './orders.js'
import { fleet, parameters, platform } from './platform.js'

const types: Descriptions = {
  ...platform,
  ...orders,
  ...deliveries,
  ...fleet,
  ...events,
  ...installations,
  ...parameters,
}

/** The description of a field; `path` is dotted, such as `pricing.tipAmountCents`. `undefined` if there is none. */
export function descriptionOf(owner: string, path: string): string | undefined {
  return types[owner]?.[path] ?? types[updatedBy(owner)]?.[path] ?? fields[path.split('.').at(-1) ?? '']
}

/** The description of a type. */
export function typeDescription(name: string): string | undefined {
  return types[name]?.self
}

/** The type whose fields an update has, such as `PackageInput` for `PackageUpdate`. */
function updatedBy(owner: string): string {
  const thing = owner.replace(/Update$/, '')
  if (thing === owner) return owner
  return [`${thing}Create`, `${thing}Input`].find((name) => name in types) ?? thing
}

/** A note for callers of `createDelivery` about the client, in addition to the document's description. */
export const createNote =
  'Without `idempotencyKey` the key follows from the order: for 24 hours the same order sent again gets the first response ' +
  'again, with the status that it had then, even if the delivery was cancelled since; `replayed` of `call` tells. ' +
  'Lost responses are healed by sending the request again with the same key.'

/** Where the client takes an idempotency key from if the caller gives none. */
export const keyNotes: Readonly<Record<string, string>> = {
  createDelivery: 'The client derives it from the order if it is absent.',
  cancelDelivery: 'The client derives it from the delivery and the body if it is absent.',
}
