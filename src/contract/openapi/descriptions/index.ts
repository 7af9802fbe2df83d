/**
 * What the types and fields of the contract mean: the source of the OpenAPI document's descriptions and of the comments
 * that an editor shows. Kept apart from the schemas, which every command loads.
 */

import { deliveries } from './deliveries.js'
import { events } from './events.js'
import { type Descriptions, fields } from './fields.js'
import { installations } from './installations.js'
import { orders } from './orders.js'
import { parameters } from './parameters.js'
import { fleet, platform } from './platform.js'

const types: Descriptions = {
  ...platform,
  ...orders,
  ...deliveries,
  ...fleet,
  ...events,
  ...installations,
  ...parameters,
}

/** What a field means; `path` is dotted, such as `pricing.tipAmountCents`. `undefined` if nobody has said it. */
export function descriptionOf(owner: string, path: string): string | undefined {
  return types[owner]?.[path] ?? types[updatedBy(owner)]?.[path] ?? fields[path.split('.').at(-1) ?? '']
}

/** What a type means. */
export function typeDescription(name: string): string | undefined {
  return types[name]?.self
}

/** The type whose fields an update has, such as `PackageInput` for `PackageUpdate`. */
function updatedBy(owner: string): string {
  const thing = owner.replace(/Update$/, '')
  if (thing === owner) return owner
  return [`${thing}Create`, `${thing}Input`].find((name) => name in types) ?? thing
}

/** What callers of `createDelivery` should know of the client beyond what the document says. */
export const createNotes = {
  method:
    'Without `idempotencyKey` the key follows from the order: the same order sent again is answered with the same delivery. ' +
    'Lost responses are healed by sending the request again with the same key.',
  key: 'The client derives it from the order if it is absent.',
}
