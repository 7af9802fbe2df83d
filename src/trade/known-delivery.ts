/**
 * How a delivery is put together from what lists, snapshots and events tell of it, in whatever order they come. Everything
 * that shows a delivery goes by these rules: the archive, and the page while it follows events.
 */
import { deliveryStatuses, isKnownDeliveryStatus } from '../contract/index.js'
import { type StatusStep, stepsOf } from './story.js'

/** A status that a delivery got, when, RFC 3339, and why. */
export type Step = readonly [status: string, at: string, reason: string | null]

const statusPrefix = 'delivery.'

/** The steps that an event, or a delivery without one, tells of: its own, and those of the delivery's history. */
export function stepsTold(
  delivery: Readonly<Record<string, unknown>>,
  { eventType = '', at, reason }: { eventType?: string | undefined; at: string; reason: string | null },
  normal: (time: string) => string = (time) => time,
): Step[] {
  const told = eventType.startsWith(statusPrefix) ? eventType.slice(statusPrefix.length) : ''
  const history = Array.isArray(delivery.statusHistory) ? stepsOf(delivery.statusHistory) : []
  const steps = history.map(({ status, occurredAt, statusReasonCode }: StatusStep): Step => {
    return [status, normal(occurredAt), statusReasonCode ?? null]
  })
  return isStatusEvent(eventType, delivery.status) ? [[told, at, reason], ...steps] : steps
}

/** Whether an event tells of a new status: one of the contract, or one that its delivery has by now. */
export function isStatusEvent(eventType: string, status: unknown): boolean {
  const told = eventType.startsWith(statusPrefix) ? eventType.slice(statusPrefix.length) : ''
  return isKnownDeliveryStatus(told) || (told !== '' && told === status)
}

const rank = new Map<string, number>(deliveryStatuses.map((status, index) => [status, index]))

/** Puts a step into its place among the known ones; returns whether it, or its reason, was not known. */
export function addStep(steps: Step[], [status, at, reason]: Step): boolean {
  const same = steps.findLastIndex((step) => step[0] === status && step[1] === at)
  if (same >= 0) {
    if (reason === null || steps[same]?.[2] !== null) return false
    steps[same] = [status, at, reason]
    return true
  }
  let index = steps.length
  while (index > 0 && isBefore(status, at, steps[index - 1])) index--
  steps.splice(index, 0, [status, at, reason])
  return true
}

function isBefore(status: string, at: string, other: Step | undefined): boolean {
  if (other === undefined) return false
  if (at !== other[1]) return at < other[1]
  return (rank.get(status) ?? rank.size) < (rank.get(other[0]) ?? rank.size)
}

/** What is known of a delivery's status. */
interface KnownStatus {
  status: string
  /** When it got its status, RFC 3339, as far as that is known. */
  since: string | undefined
  /** Why, by its code. */
  reason: string | undefined
}

/**
 * The status of a delivery by its newest snapshot, since when, and why. A reason belongs to the step to its status: it stays
 * while the status does, also if later events and lists do not repeat it, and goes with it.
 */
export function knownStatus(
  newest: { status: string; reason?: string | undefined },
  steps: readonly Step[],
): KnownStatus {
  const step = steps.findLast(([status]) => status === newest.status)
  return { status: newest.status, since: step?.[1], reason: newest.reason ?? step?.[2] ?? undefined }
}

/** Whether what is told at a time replaces what is known from another; of one moment, what is told later does. */
export function isNewer(at: string | undefined, knownAt: string | undefined): boolean {
  if (knownAt === undefined) return true
  return at !== undefined && !(Date.parse(at) < Date.parse(knownAt))
}

/** Whether an ETA is the first one of a delivery, by the times at which it and the first one so far were told. */
export function isEarlierEta(at: string | undefined, firstAt: string | undefined): boolean {
  return firstAt === undefined || (at !== undefined && Date.parse(at) < Date.parse(firstAt))
}
