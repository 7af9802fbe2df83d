import { terminalStatuses } from '../../contract/index.js'
import type { Decision, DeliveryRow, EventDraft, World } from '../model.js'
import { deliveryEvent } from './events.js'
import { Refusal, refuseMagicId } from './refusal.js'

/**
 * A delivery that is being changed, with the events that tell of the changes. Everything that happens to one delivery
 * happens at its own millisecond, so that `occurredAt` orders it.
 */
export class DeliveryDraft {
  readonly world: World
  readonly row: DeliveryRow
  readonly events: EventDraft[] = []
  /** Drivers that can still be assigned; `undefined` for no limit. */
  capacity: number | undefined
  #lastMs: number
  #notBeforeMs: number

  /** Takes a copy: the row that is given stays as it is. */
  constructor(world: World, row: DeliveryRow) {
    this.world = world
    this.row = { ...row, history: [...row.history], proofs: [...row.proofs] }
    if (row.autopilot !== undefined) this.row.autopilot = { ...row.autopilot }
    this.capacity = world.capacity
    this.#lastMs = row.history.length === 0 ? row.createdAtMs - 1 : row.updatedAtMs
    this.#notBeforeMs = world.nowMs
  }

  /** Everything from here on happens at `atMs` or as soon after it as something else did. */
  happeningAt(atMs: number): this {
    this.#notBeforeMs = atMs
    return this
  }

  /** The moment of the next thing that happens. */
  get nextMs(): number {
    return Math.max(this.#notBeforeMs, this.#lastMs + 1)
  }

  /** Shows a status that no version of the contract knows; underneath, the delivery stays where it is. */
  showUnknown(status: string): void {
    const { row } = this
    const previousStatus = row.shownStatus ?? row.status
    row.shownStatus = status
    row.updatedAtMs = this.tick()
    this.addToHistory(status)
    this.events.push(deliveryEvent(this.world, row, `delivery.${status}`, row.updatedAtMs, { previousStatus }))
  }

  /** Records an event that is not a change of status. */
  inform(eventType: string, extra: { eta?: { pickup: string; dropoff: string } } = {}): void {
    this.row.updatedAtMs = this.tick()
    this.events.push(deliveryEvent(this.world, this.row, eventType, this.row.updatedAtMs, extra))
  }

  get isTerminal(): boolean {
    return terminalStatuses.has(this.row.status)
  }

  /** The moment at which something happens now: no two things share one. */
  tick(): number {
    this.#lastMs = this.nextMs
    return this.#lastMs
  }

  /** Writes a status into the history, with the row's reason and at its `updatedAtMs`. */
  addToHistory(status: string): void {
    const { statusReason, statusReasonCode, updatedAtMs: atMs } = this.row
    this.row.history.push({
      status,
      atMs,
      ...(statusReasonCode === undefined ? {} : { statusReasonCode }),
      ...(statusReason === undefined ? {} : { statusReason }),
    })
  }
}

/** The account's delivery with this id; throws `DELIVERY_NOT_FOUND`, or what a magic id asks for. */
export function findDelivery(world: World, deliveryId: string): DeliveryRow {
  refuseMagicId(deliveryId, 'delivery')
  const row = world.delivery(deliveryId)
  if (row === undefined || row.accountId !== world.account.accountId)
    throw new Refusal('DELIVERY_NOT_FOUND', `No delivery "${deliveryId}" exists.`, { details: { deliveryId } })
  return row
}

/** The result of a draft: the row, its events, and the drivers that it no longer uses. */
export function outcomeOf(draft: DeliveryDraft): Pick<Decision, 'deliveries' | 'events' | 'capacity'> {
  const { row, events, capacity } = draft
  return {
    deliveries: [row],
    events,
    ...(capacity === undefined || capacity === draft.world.capacity ? {} : { capacity }),
  }
}
