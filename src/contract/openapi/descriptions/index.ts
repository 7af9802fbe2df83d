/**
 * What the types and fields of the contract mean: the source of the OpenAPI document's descriptions and of the comments
 * that an editor shows. Kept apart from the schemas, which every command loads.
 */

import { deliveries } from './deliveries.js'
import type { Descriptions } from './description.js'
import { events } from './events.js'
import { fields } from './fields.js'
import { fleet } from './fleet.js'
import { installations } from './installations.js'
import { orders } from './orders.js'
import { parameters } from './parameters.js'
import { platform } from './platform.js'

export { keyNotes, operationNotes } from './client-notes.js'

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
