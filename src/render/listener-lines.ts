import { onAccount, shellWord } from '../shared/command-words.js'
import { spanText } from '../shared/durations.js'
import { AccountChips } from './account-chip.js'
import { eventSubject } from './event-detail.js'
import { alignedLine, EventLines, eventWord } from './event-line.js'
import { plainLines, plainText, prose } from './plain-text.js'
import { paint, type Style } from './style.js'
import { timeText } from './words.js'

/** The records of a listener, with the fields that are shown. */
export type ListenerLine =
  | { type: 'ready'; url?: string; adminUrl?: string; uiUrl?: string; journal: string }
  | {
      type: 'event'
      profile?: string
      eventId: string
      eventType: string | null
      deliveryId: string | null
      occurredAt: string | null
      secret: string
      secretNumber: number
      secretCount: number
      duplicate: boolean
      conflict: boolean
      warnings: readonly string[]
      event: unknown
    }
  | { type: 'rejected'; reason: string; status: number; message: string; hint?: string; count?: number }
  | {
      type: 'answered'
      eventId: string
      eventType: string | null
      deliveryId: string | null
      status: number | null
      delayMs: number
      kept: boolean
    }
  | {
      type: 'forwarded'
      profile?: string
      eventId: string
      deliveryId?: string | null
      reference?: string
      url: string
      status: number | null
      durationMs: number
      attempt: number
      error?: string
      warning?: string
      body?: string
      retryInMs?: number
      givenUp?: true
    }

/** Number of received events that are remembered for the lines of their forwards. */
const remembered = 10_000

export type ForwardLine = Extract<ListenerLine, { type: 'forwarded' }>

/** The lines of a listener's records, one for each event. */
export class ListenerLines {
  readonly #events = new EventLines()
  readonly #secrets = new Set<string>()
  readonly #warned = new Set<string>()
  readonly #subjects = new Map<string, { subject: string; deliveryId: string | null }>()
  readonly #lastSecrets = new Map<string, number>()
  readonly #chips: AccountChips

  /** @param profiles the accounts of which each line says its own; none if there is one */
  constructor(profiles: readonly string[] = []) {
    this.#chips = new AccountChips(profiles)
  }

  /** The line of a record; that of an event also says where it was forwarded, as far as that is known. */
  line(record: ListenerLine, style: Style, forwards: readonly ForwardLine[] = []): string {
    const profile = 'profile' in record ? record.profile : undefined
    if (profile === undefined) return this.#line(record, style, forwards)
    const [first = '', ...below] = this.#line(record, this.#chips.beside(style), forwards).split(`\n${indent}`)
    return [this.#chips.line(profile, first, style), ...below].join(`\n${indent}`)
  }

  #line(record: ListenerLine, style: Style, forwards: readonly ForwardLine[]): string {
    switch (record.type) {
      case 'ready':
        return readyText(record, style)
      case 'event':
        return this.#event(record, style, forwards)
      case 'rejected':
        return rejectedText(record, style)
      case 'answered':
        return answeredText(record, style)
      case 'forwarded':
        return this.#forward(record, style)
    }
  }

  #event(record: Extract<ListenerLine, { type: 'event' }>, style: Style, forwards: readonly ForwardLine[]): string {
    const { eventId, deliveryId, event } = record
    const eventType = record.eventType ?? 'not an event'
    const occurredAt = record.occurredAt ?? new Date(style.nowMs).toISOString()
    this.#subjects.set(subjectKey(record), { subject: eventSubject(event, deliveryId), deliveryId })
    const [oldest] = this.#subjects.keys()
    if (this.#subjects.size > remembered && oldest !== undefined) this.#subjects.delete(oldest)
    const notes = [...this.#notes(record, occurredAt, style), ...forwards.map((forward) => answerText(forward, style))]
    const good = !record.conflict
    const mark = paint(style, good ? 'green' : 'red', style.accessible ? 'verified' : good ? '✓' : '✗')
    const line = this.#events.line({ eventId, eventType, occurredAt, deliveryId, data: event }, style, {
      atMs: style.nowMs,
      mark,
      notes: style.terminal ? notes : ['verified', ...notes],
    })
    // What is wrong with a secret comes with each of its events, and is said once.
    const fresh = record.warnings.filter((text) => !this.#warned.has(warningOf(record, text)))
    for (const text of fresh) this.#warned.add(warningOf(record, text))
    const warnings = fresh.map((text) => `${paint(style, 'yellow', 'warning:')} ${plainText(text)}`)
    return [line, ...warnings.map((text) => `${indent}${text}`)].join('\n')
  }

  #notes(record: Extract<ListenerLine, { type: 'event' }>, occurredAt: string, style: Style): string[] {
    const notes: string[] = []
    if (record.conflict) notes.push(paint(style, 'red', 'another body had this id'))
    else if (record.duplicate) notes.push(paint(style, 'dim', 'duplicate'))
    const behindMs = record.duplicate ? 0 : this.#events.behindMs({ deliveryId: record.deliveryId, occurredAt })
    if (behindMs > 0) notes.push(paint(style, 'yellow', `out of order (${spanText(behindMs)} older)`))
    const { secretNumber, secretCount, profile = '' } = record
    const last = this.#lastSecrets.get(profile)
    const secret = `${profile} ${secretNumber}`
    if (last !== undefined && last !== secretNumber)
      notes.push(this.#secrets.has(secret) ? `(secret ${secretNumber} of ${secretCount})` : '(new secret)')
    this.#secrets.add(secret)
    this.#lastSecrets.set(profile, secretNumber)
    return notes
  }

  #forward(record: ForwardLine, style: Style): string {
    // What an earlier listener received is named by what the record has.
    const name = record.reference ?? record.deliveryId
    const known =
      this.#subjects.get(subjectKey(record)) ??
      (name == null ? undefined : { subject: plainText(name), deliveryId: record.deliveryId ?? null })
    const again = record.retryInMs === undefined ? [] : [`retry in ${spanText(record.retryInMs)}`]
    if (record.givenUp) again.push(`given up after ${record.attempt} ${record.attempt === 1 ? 'attempt' : 'attempts'}`)
    const remedy = `dlv webhooks resend ${shellWord(record.eventId)} --to ${shellWord(record.url)}`
    const below = [
      record.error,
      record.warning,
      record.body,
      record.givenUp ? onAccount(remedy, style.accountFlags ?? '') : undefined,
    ].filter((text) => text !== undefined)
    const answer = record.status === null ? 'no response' : `${record.status} in ${Math.round(record.durationMs)} ms`
    if (!style.terminal) {
      const fields = [
        known?.deliveryId ?? '',
        record.eventId,
        known?.subject ?? '',
        answer,
        record.url,
        ...again,
        ...below,
      ]
      return [new Date(style.nowMs).toISOString(), 'forwarded', ...fields.map((text) => plainText(text))].join('\t')
    }
    const line = alignedLine(
      {
        atMs: style.nowMs,
        mark: style.accessible ? 'forwarded' : '→',
        what: paint(style, isGood(record) ? 'green' : 'red', answer),
        subject: known?.subject ?? plainText(record.eventId),
        detail: plainText(record.url),
        notes: again,
        deliveryId: known?.deliveryId,
        eventId: record.eventId,
      },
      style,
    )
    return [line, ...below.flatMap((text) => plainLines(text).split('\n')).map((text) => `${indent}${text}`)].join('\n')
  }
}

/** Two accounts may have one id. */
const subjectKey = ({ eventId, profile = '' }: { eventId: string; profile?: string }) => `${profile} ${eventId}`

const warningOf = ({ secret, profile = '' }: { secret: string; profile?: string }, text: string) =>
  `${profile} ${secret} ${text}`

const indent = ' '.repeat(11)

function isGood({ status }: ForwardLine): boolean {
  return status !== null && status >= 200 && status < 300
}

/** Whether an event's line can show its whole result: a success without details on separate lines. */
export function isPlainForward(record: ForwardLine): boolean {
  return isGood(record) && [record.error, record.warning, record.body].every((text) => text === undefined)
}

/** A line about a forward target, not about one event. */
export function targetText(url: string, parts: readonly string[], style: Style): string {
  if (!style.terminal)
    return [new Date(style.nowMs).toISOString(), 'target', url, ...parts].map((text) => plainText(text)).join('\t')
  const time = paint(style, 'dim', timeText(style.nowMs, style))
  const mark = paint(style, 'yellow', style.accessible ? 'target' : '!')
  const said = prose(`${plainText(url)}: ${parts.map(plainText).join('; ')}`, {
    ...style,
    columns: style.columns - indent.length,
  })
  return `${time} ${mark} ${said.split('\n').join(`\n${indent}`)}`
}

function answerText(record: ForwardLine, style: Style): string {
  return paint(style, 'green', `→ ${record.status} in ${Math.round(record.durationMs)} ms`)
}

function rejectedText(record: Extract<ListenerLine, { type: 'rejected' }>, style: Style): string {
  const more = record.count === undefined ? '' : ` (${record.count} more like this)`
  const said = [`${plainText(record.reason)}: ${plainText(record.message)}${more}`]
  if (record.hint !== undefined) said.push(`${paint(style, 'dim', 'hint:')} ${plainText(record.hint)}`)
  if (!style.terminal)
    return `${[new Date(style.nowMs).toISOString(), 'rejected', record.status].join('\t')}\t${said.join(' ')}`
  const narrower = { ...style, columns: style.columns - indent.length - 5 }
  const shown = said.flatMap((text) => prose(text, narrower).split('\n'))
  const mark = paint(style, 'red', style.accessible ? 'rejected' : '✗')
  const time = paint(style, 'dim', timeText(style.nowMs, style))
  const [first = '', ...rest] = shown
  return [`${time} ${mark} ${record.status}  ${first}`, ...rest.map((text) => `${indent}     ${text}`)].join('\n')
}

function answeredText(record: Extract<ListenerLine, { type: 'answered' }>, style: Style): string {
  const { eventId, deliveryId } = record
  const eventType = record.eventType ?? 'not an event'
  const late = record.delayMs > 0 ? ` after ${spanText(record.delayMs)}` : ''
  const answer = `${record.status ?? 'connection reset'}${late} on purpose`
  const note = `${answer}, ${record.kept ? 'stored' : 'not stored'}`
  if (!style.terminal) {
    const fields = ['answered', deliveryId ?? '', eventId, eventType, note]
    return [new Date(style.nowMs).toISOString(), ...fields.map(plainText)].join('\t')
  }
  const parts = {
    atMs: style.nowMs,
    mark: paint(style, 'yellow', style.accessible ? 'answered' : '!'),
    what: eventWord(eventType),
    subject: plainText(deliveryId ?? eventId),
    notes: [paint(style, 'yellow', note)],
    deliveryId,
    eventId,
  }
  return alignedLine(parts, style)
}

/** Number of events that each secret verified, to tell when an unused one can be removed. */
export function secretCountLine(counts: readonly { name: string; verified: number }[]): string {
  const total = counts.reduce((sum, { verified }) => sum + verified, 0)
  if (total === 0) return 'No events verified yet.'
  const parts = counts.map(({ name, verified }) => `"${plainText(name)}" ${verified}`)
  return `Events verified by secret: ${parts.join(', ')} (${total} in total).`
}

function readyText(record: Extract<ListenerLine, { type: 'ready' }>, style: Style): string {
  const { url, adminUrl, uiUrl, journal } = record
  const work =
    url === undefined
      ? 'forwarding what other listeners take'
      : `post webhooks to ${paint(style, 'bold', plainText(url))}`
  const admin = adminUrl === undefined ? '' : `Health and metrics: ${plainText(adminUrl)}. `
  const rest = paint(style, 'dim', `${admin}Journal: ${plainText(journal)}. Press Ctrl-C to stop.`)
  const page = uiUrl === undefined ? '' : `\n${paint(style, 'dim', 'Page: ')}${plainText(uiUrl)}`
  return `${paint(style, 'green', 'Ready:')} ${work}${page}\n${rest}`
}
