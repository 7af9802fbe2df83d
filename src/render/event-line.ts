import { informationalEventTypes } from '../contract/index.js'
import { type BeforeEvent, etaOf, eventDetail, eventSubject } from './event-detail.js'
import { pad, plainText, plainValue, shorten, shortenMiddle, textWidth } from './plain-text.js'
import { paint, type Style } from './style.js'
import { clockText, dayText, link, statusMark, statusWord, timeText, zoneText } from './words.js'

/** The parts of a line. Texts are plain; `mark`, `what` and `notes` can be painted. */
interface LineParts {
  atMs: number
  /** One column; a word with `DLV_ACCESSIBLE`. */
  mark: string
  what: string
  /** The order's own reference, or the id of what it is about. */
  subject: string
  /** The web page of the subject. */
  address?: unknown
  /** The detail of the event; shortened if there is no room. */
  detail?: string
  /** Unusual facts about this event; shown before the detail. */
  notes?: readonly string[]
  deliveryId?: string | null | undefined
  eventId?: string | null | undefined
}

/** An event as it is shown, from the service's list or as it was received. */
interface ShownEvent {
  eventId: string
  eventType: string
  occurredAt: string
  deliveryId?: string | null | undefined
  /** The body of the webhook. */
  data?: unknown
}

/** Options of an event's line. */
interface EventCircumstances {
  /** The time of the line; default: when the event occurred. */
  atMs?: number
  /** Default: the mark of the status. */
  mark?: string
  notes?: readonly string[]
}

const timeWidth = 8
/** `driver_enroute_to_dropoff`, the longest status. */
const whatWidth = 25
const idWidth = 30
/** The terminal width from which a line also has room for ids. */
const roomForIds = 160
/** A detail with less room than this beside the notes is left out. */
const narrowestDetail = 6
const remembered = 10_000

const informational = new Set(informationalEventTypes.map(eventWord))

/** The columns of event lines, the same for every event on a terminal of this width. */
export function lineColumns(columns: number): { subject: number; rest: number; hasIds: boolean } {
  const hasIds = columns >= roomForIds
  const room = columns - (timeWidth + 1 + 1 + 1 + whatWidth + 2) - 2 - (hasIds ? 2 * (idWidth + 2) : 0)
  const subject = Math.min(32, Math.max(10, Math.round(room * 0.44)))
  return { subject, rest: room - subject, hasIds }
}

/** One aligned line that is never wider than the terminal; with `DLV_ACCESSIBLE` all of it, separated by commas. */
export function alignedLine(parts: LineParts, style: Style): string {
  const { mark, what, subject, detail = '', notes = [] } = parts
  const time = Number.isNaN(parts.atMs) ? pad('', timeWidth) : timeText(parts.atMs, style)
  const ids = [parts.deliveryId, parts.eventId].map(plainValue)
  if (style.accessible) {
    const said = [what, subject, detail, ...notes, ...ids.filter((id) => id !== subject)]
    const when = Number.isNaN(parts.atMs) ? '' : `${clockText(parts.atMs, style)} `
    return `${when}${mark} ${said.filter((text) => text !== '').join(', ')}`
  }
  const widths = lineColumns(style.columns)
  const shown = [
    `${paint(style, 'dim', time)} ${mark} ${padded(what, whatWidth)}`,
    pad(link(style, shortenMiddle(subject, widths.subject), parts.address), widths.subject),
    padded(restText(detail, notes, widths.rest), widths.rest),
    ...(widths.hasIds ? ids.map((id) => paint(style, 'dim', pad(shorten(id, idWidth), idWidth))) : []),
  ]
  return shown.join('  ').trimEnd()
}

/** The detail and the notes within a width: the notes first, because they are rare. */
function restText(detail: string, notes: readonly string[], width: number): string {
  const noted = notes.join(', ')
  if (noted === '') return shorten(detail, width)
  const taken = textWidth(noted)
  const room = width - taken - 2
  if (taken > width) return shorten(plainText(noted), width)
  return detail === '' || room < narrowestDetail ? noted : `${shorten(detail, room)}  ${noted}`
}

/** A painted text to a width; too long, it is cut without its colours. */
function padded(text: string, width: number): string {
  return textWidth(text) > width ? shorten(plainText(text), width) : pad(text, width)
}

/** An event type for a narrow column, without the prefix that nearly all have. */
export function eventWord(eventType: string): string {
  return plainText(eventType.replace(/^(?:delivery|installation)\./, ''))
}

/** An event type in the colour of its status, if it has one. */
function paintedWord(eventType: string, style: Style): string {
  const word = eventWord(eventType)
  const isStatus = eventType.startsWith('delivery.') && !informational.has(word)
  return isStatus ? statusWord(word, style) : word
}

/**
 * The lines of a sequence of events. It remembers what each delivery's last events said, so that a line can show how an
 * ETA has changed.
 */
export class EventLines {
  readonly #deliveries = new Map<string, BeforeEvent & { newestMs: number }>()
  readonly #printed: { day?: string }

  /** @param printed the day that was printed last, which sequences share whose lines are printed among each other's */
  constructor(printed: { day?: string } = {}) {
    this.#printed = printed
  }

  /** The line of an event; in a pipe, tab-separated and complete. A new day is preceded by a line with its date. */
  line(event: ShownEvent, style: Style, circumstances: EventCircumstances = {}): string {
    const { eventType, deliveryId, eventId, data } = event
    const occurredMs = Date.parse(event.occurredAt)
    const atMs = circumstances.atMs ?? occurredMs
    const before = this.#before(deliveryId)
    const detail = eventDetail(eventType, data, style, before)
    const subject = eventSubject(data, deliveryId)
    const notes = circumstances.notes ?? []
    this.#remember(deliveryId, before, data, occurredMs)
    if (!style.terminal)
      return [event.occurredAt, eventType, deliveryId, eventId, subject, detail, notes.join(', ')]
        .map(plainValue)
        .join('\t')
        .replace(/\t+$/, '')
    const what = paintedWord(eventType, style)
    const mark = circumstances.mark ?? statusMark(statusOf(eventType, data), style)
    const line = alignedLine(
      { atMs, mark, what, subject, address: trackingUrlOf(data), detail, notes, deliveryId, eventId },
      style,
    )
    return `${this.#dayLine(atMs, style)}${line}`
  }

  /** The age of an event relative to the newest one of its delivery, in milliseconds; 0 if it is the newest. */
  behindMs({ deliveryId, occurredAt }: Pick<ShownEvent, 'deliveryId' | 'occurredAt'>): number {
    const behind = (this.#before(deliveryId)?.newestMs ?? Number.NaN) - Date.parse(occurredAt)
    return behind > 0 ? behind : 0
  }

  #before(deliveryId: string | null | undefined) {
    return deliveryId == null ? undefined : this.#deliveries.get(deliveryId)
  }

  #remember(
    deliveryId: string | null | undefined,
    before: (BeforeEvent & { newestMs: number }) | undefined,
    data: unknown,
    occurredMs: number,
  ): void {
    if (deliveryId == null || Number.isNaN(occurredMs)) return
    this.#deliveries.delete(deliveryId)
    const newestMs = Math.max(before?.newestMs ?? occurredMs, occurredMs)
    this.#deliveries.set(deliveryId, { newestMs, etaMs: etaOf(data) ?? before?.etaMs })
    const [oldest] = this.#deliveries.keys()
    if (this.#deliveries.size > remembered && oldest !== undefined) this.#deliveries.delete(oldest)
  }

  #dayLine(atMs: number, style: Style): string {
    if (style.accessible || Number.isNaN(atMs)) return ''
    const day = dayText(atMs, style.timeZone)
    if (day === this.#printed.day) return ''
    const zone = this.#printed.day === undefined ? ` ${zoneText(atMs, style.timeZone)}` : ''
    this.#printed.day = day
    return `${paint(style, 'dim', day + zone)}\n`
  }
}

/** The address of the page where the recipient of an event's delivery tracks it. */
function trackingUrlOf(data: unknown): unknown {
  return (data as { delivery?: { trackingUrl?: unknown } } | null | undefined)?.delivery?.trackingUrl
}

/** The status that decides the mark: what the event led to, or what the delivery has. */
function statusOf(eventType: string, data: unknown): string | undefined {
  const word = eventWord(eventType)
  if (eventType.startsWith('delivery.') && !informational.has(word)) return word
  const status = (data as { delivery?: { status?: unknown } } | null | undefined)?.delivery?.status
  return typeof status === 'string' ? status : undefined
}
