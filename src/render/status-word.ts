import { known } from './known-word.js'
import { plainText } from './plain-text.js'
import { type Ink, paint, type Style } from './style.js'

const inks: Readonly<Record<string, Ink>> = {
  scheduled: 'blue',
  accepted: 'blue',
  dispatch_failed: 'yellow',
  reassigning: 'yellow',
  driver_assigned: 'cyan',
  driver_enroute_to_pickup: 'cyan',
  driver_at_pickup: 'cyan',
  pickup_complete: 'cyan',
  driver_enroute_to_dropoff: 'cyan',
  driver_at_dropoff: 'cyan',
  delivered: 'green',
  failed: 'red',
  return_in_progress: 'yellow',
  returned: 'yellow',
  cancelled: 'red',
  expired: 'red',
}

/** A status in its colour. An unknown status is shown unchanged. */
export function statusWord(status: string | null | undefined, style: Pick<Style, 'colour'>): string {
  if (status === null || status === undefined) return ''
  return paint(style, known(inks, status) ?? 'magenta', plainText(status))
}

/** The mark in front of a status: a tick for delivered, a cross for a bad end, a dot for the others. */
export function statusMark(status: string | null | undefined, style: Pick<Style, 'colour' | 'accessible'>): string {
  if (style.accessible) return '-'
  const ink = known(inks, status ?? '') ?? 'magenta'
  return paint(style, ink, ink === 'red' ? '✗' : status === 'delivered' ? '✓' : '●')
}
