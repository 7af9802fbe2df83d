import { informationalEventTypes } from '../contract/internal.js'
import { recordAt, textAt } from '../shared/json.js'

/** A status that a delivery had, since when, and why. */
export interface StatusStep {
  status: string
  /** RFC 3339. */
  occurredAt: string
  statusReasonCode?: string | null
  statusReason?: string | null
}

/** The part of an event that belongs to its delivery's history. */
interface HistoryEvent {
  eventType: string
  occurredAt: string
  data?: unknown
}

/** The names that services use for the status and the time of an entry: the contract does not define them. */
const statusNames = ['status', 'state', 'to', 'newStatus', 'deliveryStatus']
const reasonNames = ['statusReasonCode', 'reasonCode', 'reason']
const timeNames = ['occurredAt', 'at', 'timestamp', 'changedAt', 'createdAt', 'time']

const informational: ReadonlySet<string> = new Set(informationalEventTypes)

/** The entries of a `statusHistory` whose status and time can be read. */
function stepsIn(history: readonly unknown[]): StatusStep[] {
  const steps: StatusStep[] = []
  for (const entry of history) {
    const status = firstText(entry, statusNames)
    const occurredAt = firstText(entry, timeNames)
    if (status === undefined || occurredAt === undefined || Number.isNaN(Date.parse(occurredAt))) continue
    const step: StatusStep = { ...(entry as object), status, occurredAt }
    const reason = firstText(entry, reasonNames)
    if (reason !== undefined) step.statusReasonCode = reason
    steps.push(step)
  }
  return steps
}

/** Whether entries of a history cannot be read, so that its events are needed. */
export function hasHoles(history: readonly unknown[] | null | undefined): boolean {
  return (history ?? []).length > stepsIn(history ?? []).length
}

/** The statuses of a delivery, oldest first: its own history, and of one that cannot be read what its events say. */
export function stepsOf(
  history: readonly unknown[] | null | undefined,
  events: readonly HistoryEvent[] = [],
): StatusStep[] {
  const own = stepsIn(history ?? [])
  if (own.length === (history ?? []).length) return own
  const told = events
    .filter(({ eventType }) => eventType.startsWith('delivery.') && !informational.has(eventType))
    .map(({ eventType, occurredAt, data }): StatusStep => {
      const reason = textAt(recordAt(data, 'delivery'), 'statusReasonCode')
      const step = { status: eventType.slice('delivery.'.length), occurredAt }
      return reason === undefined ? step : { ...step, statusReasonCode: reason }
    })
    .sort((one, other) => Date.parse(one.occurredAt) - Date.parse(other.occurredAt))
  return told.length === 0 ? own : told
}

function firstText(value: unknown, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textAt(value, name)
    if (text !== undefined) return text
  }
  return undefined
}
