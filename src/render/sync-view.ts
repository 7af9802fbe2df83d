import { paint, type Style } from './style.js'
import { clockText } from './times.js'
import { idOf, type View } from './view.js'

/** The result of filling an archive. Times in RFC 3339; `null` if nothing is covered yet. */
export interface SyncShown {
  /** Number of events and deliveries that were not known. */
  events: number
  deliveries: number
  requests: number
  from: string | null
  to: string | null
}

export const syncView: View<SyncShown> = {
  id: idOf('to'),
  columns: ['events', 'deliveries', 'requests', 'from', 'to'].map((name) => ({ name })),
  card: (shown, style) =>
    [
      `${paint(style, 'bold', syncedText(shown))}, ${shown.requests.toLocaleString('en-US')} requests`,
      shown.from === null ? 'The archive is empty.' : `The archive has the events from ${shown.from} to ${shown.to}.`,
    ].join('\n'),
}

/** A line about what came since the last one. */
export function syncLine(shown: SyncShown, style: Pick<Style, 'nowMs' | 'timeZone'>): string {
  const at = shown.to === null ? '' : `${clockText(Date.parse(shown.to), style)}  `
  return `${at}${syncedText(shown)}`
}

function syncedText({ events, deliveries }: SyncShown): string {
  return `${events.toLocaleString('en-US')} new events, ${deliveries.toLocaleString('en-US')} new deliveries`
}
