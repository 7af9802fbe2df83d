import {
  type KnownDeliveryStatus,
  type KnownStatusReasonCode,
  statusesWithReason,
  terminalStatuses,
} from '../../contract/index.js'
import type { DeliveryRow, EventDraft, World } from '../model.js'
import { deliveryEvent, statusEventType } from './events.js'
import { sideEffects } from './side-effects.js'
import { initialStatuses, legalEdges } from './state-machine.js'
import { statusReasons } from './status-reasons.js'
import { addFaultEvents } from './webhook-fault-events.js'

interface Step {
  reason?: KnownStatusReasonCode | undefined
  /** Written to the history without an event: a milestone that is inferred. */
  isSilent?: boolean
  /** Its event is the only one: what it brings about happens without events of its own. */
  isAlone?: boolean
  /** The status that the event calls the previous one, where silent steps came before. */
  previousStatus?: KnownDeliveryStatus
}

/**
 * A delivery on its way to what it will be: takes steps, and gathers the events that tell of them. Everything that
 * happens to one delivery happens at its own millisecond, so that `occurredAt` orders it.
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

  /** Moves to a status: what follows from it, its place in the history, its event. */
  enter(status: KnownDeliveryStatus, step: Step = {}): void {
    const { row } = this
    const isFirst = row.history.length === 0
    if (!isLegal(row, status)) throw new Error(`no delivery goes from ${row.status} to ${status}`)
    const from = row.shownStatus ?? row.status
    delete row.shownStatus
    sideEffects[status]?.(this, step.isSilent === true || step.isAlone === true)
    row.status = status
    row.updatedAtMs = this.#tick()
    this.#explain(status, step.reason)
    this.#remember(status)
    if (step.isSilent === true) return
    const previousStatus = step.previousStatus ?? from
    this.events.push(
      deliveryEvent(this.world, row, statusEventType(status), row.updatedAtMs, isFirst ? {} : { previousStatus }),
    )
    addFaultEvents(this)
  }

  /** Shows a status that no version of the contract knows; underneath, the delivery stays where it is. */
  showUnknown(status: string): void {
    const { row } = this
    const previousStatus = row.shownStatus ?? row.status
    row.shownStatus = status
    row.updatedAtMs = this.#tick()
    this.#remember(status)
    this.events.push(deliveryEvent(this.world, row, `delivery.${status}`, row.updatedAtMs, { previousStatus }))
  }

  /** Tells of something that is no change of status. */
  inform(eventType: string, extra: { eta?: { pickup: string; dropoff: string } } = {}): void {
    this.row.updatedAtMs = this.#tick()
    this.events.push(deliveryEvent(this.world, this.row, eventType, this.row.updatedAtMs, extra))
  }

  get isTerminal(): boolean {
    return terminalStatuses.has(this.row.status)
  }

  #tick(): number {
    this.#lastMs = this.nextMs
    return this.#lastMs
  }

  #explain(status: KnownDeliveryStatus, reason: KnownStatusReasonCode | undefined): void {
    delete this.row.statusReason
    delete this.row.statusReasonCode
    if (reason === undefined || !statusesWithReason.has(status)) return
    this.row.statusReasonCode = reason
    this.row.statusReason = statusReasons[reason].prose
  }

  #remember(status: string): void {
    const { statusReason, statusReasonCode, updatedAtMs: atMs } = this.row
    this.row.history.push({
      status,
      atMs,
      ...(statusReasonCode === undefined ? {} : { statusReasonCode }),
      ...(statusReason === undefined ? {} : { statusReason }),
    })
  }
}

function isLegal(row: DeliveryRow, to: KnownDeliveryStatus): boolean {
  if (row.history.length > 0) return legalEdges[row.status].includes(to)
  return (initialStatuses as readonly string[]).includes(to)
}
