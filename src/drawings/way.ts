import { distanceKm, type Position } from '../shared/math.js'
import { isActive, isPickedUp } from '../trade/statuses.js'

/** A location reported by a driver. */
export interface TrailPoint extends Position {
  /** RFC 3339. */
  at: string
}

/** The known places of a delivery, and its driver's locations. */
export interface DeliveryWay {
  store?: (Position & { name: string }) | undefined
  /** No source says where a gate is: it is drawn on the way, a little before the dropoff. */
  gate?: { name: string } | undefined
  /** The centre of the dropoff's ZIP code. */
  dropoff?: (Position & { postalCode: string }) | undefined
  /** Oldest first. */
  trail: readonly TrailPoint[]
  /** The delivery's status. */
  status: string
}

/** The drawing in words, for people who do not see it. */
export function wayText({ store, gate, dropoff, trail, status }: DeliveryWay): string {
  const parts = [
    store && `from ${store.name}`,
    gate && `by ${gate.name}`,
    dropoff && `to the centre of ZIP code ${dropoff.postalCode} (approximate)`,
  ].filter((part) => part !== undefined)
  const length = store && dropoff && ` ${kilometres(distanceKm(store, dropoff))} in a straight line.`
  const last = trail.at(-1)
  const goal = isPickedUp(status) && status !== 'return_in_progress' ? dropoff : store
  const towards = goal === store ? 'the store' : 'the dropoff'
  const seen =
    last === undefined || !isActive(status)
      ? ''
      : ` The driver was last seen at ${last.at.slice(11, 16)} UTC${goal === undefined ? '' : `, ${kilometres(distanceKm(last, goal))} from ${towards}`}.`
  return `Map of the way ${parts.join(', ')}.${length ?? ''}${seen}`.replace('way .', 'driver’s way.')
}

/** The limits of the drawing, for its reader. */
export function wayCaption({ store, gate, dropoff }: DeliveryWay): string | undefined {
  if (dropoff === undefined) return undefined
  const parts = [
    'The dropoff is the centre of its ZIP code',
    ...(gate === undefined ? [] : ['the place of the gate is a guess']),
    ...(store === undefined ? [] : ['dotted is the straight line, not the road']),
  ]
  return `${parts.join('; ')}.`
}

function kilometres(distance: number): string {
  const text = distance < 10 ? distance.toFixed(1) : String(Math.round(distance))
  return `${text} km`
}
