import {
  initialStatuses,
  type KnownDeliveryStatus,
  type KnownStatusReasonCode,
  statusesWithReason,
  statusTransitions,
} from '../../contract/index.js'
import type { DeliveryRow } from '../model.js'
import type { DeliveryDraft } from './delivery-draft.js'
import { deliveryEvent, statusEventType } from './events.js'
import { sideEffects } from './side-effects.js'
import { statusReasonTexts } from './status-reasons.js'
import { addFaultEvents } from './webhook-fault-events.js'

export interface StatusStep {
  reason?: KnownStatusReasonCode | undefined
  /** Written to the history without an event: a milestone that is inferred. */
  isSilent?: boolean
  /** Its event is the only one: what it brings about happens without events of its own. */
  isAlone?: boolean
  /** The status that the event calls the previous one, if silent steps came before. */
  previousStatus?: KnownDeliveryStatus
}

/**
 * Moves a delivery to a status: what follows from it, its place in the history, its event.
 *
 * @throws Error if the lifecycle does not allow the move
 */
export function enterStatus(draft: DeliveryDraft, status: KnownDeliveryStatus, step: StatusStep = {}): void {
  const { row } = draft
  const isFirst = row.history.length === 0
  if (!isLegal(row, status)) throw new Error(`no delivery goes from ${row.status} to ${status}`)
  const from = row.shownStatus ?? row.status
  delete row.shownStatus
  sideEffects[status]?.(draft, step.isSilent === true || step.isAlone === true)
  row.status = status
  row.updatedAtMs = draft.tick()
  setReason(row, status, step.reason)
  draft.addToHistory(status)
  if (step.isSilent === true) return
  const previousStatus = step.previousStatus ?? from
  draft.events.push(
    deliveryEvent(draft.world, row, statusEventType(status), row.updatedAtMs, isFirst ? {} : { previousStatus }),
  )
  addFaultEvents(draft)
}

function setReason(row: DeliveryRow, status: KnownDeliveryStatus, reason: KnownStatusReasonCode | undefined): void {
  delete row.statusReason
  delete row.statusReasonCode
  if (reason === undefined || !statusesWithReason.has(status)) return
  row.statusReasonCode = reason
  row.statusReason = statusReasonTexts[reason]
}

function isLegal(row: DeliveryRow, to: KnownDeliveryStatus): boolean {
  if (row.history.length > 0) return statusTransitions[row.status].includes(to)
  return (initialStatuses as readonly string[]).includes(to)
}
