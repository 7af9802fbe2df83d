import type { Delivery } from '../../../contract/index.js'
import { roundedSpan } from '../../../shared/durations.js'
import { stepsOf } from '../../../trade/story.js'
import type { DeliveryDetail } from '../../wire/deliveries.js'
import { minuteText } from './text.js'

/** An address in one line. */
export function addressLine(address: NonNullable<Delivery['dropoff']>['address']): string {
  if (address == null) return '—'
  if (typeof address === 'string') return address
  const { line1, city, state, postalCode } = address
  return [line1, city, [state, postalCode].filter((part) => part != null).join(' ')]
    .filter((part) => part != null && part !== '')
    .join(', ')
}

/** The place on the installation; empty for an ordinary address. */
export function unitLine(dropoff: Delivery['dropoff']): string {
  const { installation, unit } = dropoff ?? {}
  const parts = [
    installation?.code,
    installation?.gate == null ? undefined : `gate ${installation.gate}`,
    unit?.buildingNumber == null ? undefined : `building ${unit.buildingNumber}`,
    unit?.room == null ? undefined : `room ${unit.room}`,
    unit?.unitDesignation,
    unit?.deliveryPoint?.replaceAll('_', ' '),
  ]
  return parts.filter((part) => part != null).join(', ')
}

/** The last estimate of the arrival, and how far it has moved since the first. */
export function etaLine(etas: DeliveryDetail['etas'], nowMs: number): string {
  const told = etas.flatMap(({ dropoff }) => (dropoff === null ? [] : [dropoff]))
  const [first, last] = [told[0], told.at(-1)]
  if (first === undefined || last === undefined) return ''
  const movedMs = Date.parse(last) - Date.parse(first)
  const time = minuteText(last, nowMs)
  if (Math.abs(movedMs) < 60_000) return time
  return `${time}, ${roundedSpan(movedMs)} ${movedMs > 0 ? 'later' : 'earlier'} than first`
}

/** One point of a timeline, with the time since the one before. */
export interface Step {
  status: string
  at: string
  gapMs: number | undefined
  reason: string | undefined
}

export function timelineOf({ statusHistory }: Pick<Delivery, 'statusHistory'>): Step[] {
  return stepsOf(statusHistory).map(({ status, occurredAt, statusReasonCode }, index, steps) => {
    const before = steps[index - 1]?.occurredAt
    return {
      status,
      at: occurredAt,
      gapMs: before === undefined ? undefined : Date.parse(occurredAt) - Date.parse(before),
      reason: statusReasonCode ?? undefined,
    }
  })
}

/** The space between two points of a timeline in pixels: it grows with the time, but an hour does not fill the screen. */
export function gapPixels(gapMs: number | undefined): number {
  if (gapMs === undefined || gapMs <= 0) return 4
  return Math.round(4 + Math.min(56, 9 * Math.log2(1 + gapMs / 60_000)))
}
