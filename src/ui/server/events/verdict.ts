import { oldestSinceMs } from '../../../contract/internal.js'
import { dayMs, minuteMs } from '../../../shared/durations.js'
import { isRecord } from '../../../shared/json.js'
import { explainFailure, verify } from '../../../webhooks/index.js'
import type { EventVerdict, FieldChange } from '../../wire/events.js'
import type { LiveItem } from '../../wire/live.js'
import type { Backend } from '../backend.js'
import type { FoundEvent } from './find-event.js'

/** The receiver's verdict on an event that it accepted, rejected, or never received. */
export function verdictOf(
  { secrets, listener }: Pick<Backend, 'secrets' | 'listener'>,
  { received }: FoundEvent,
  rejected: LiveItem | undefined,
): EventVerdict {
  if (received === undefined && rejected !== undefined)
    return {
      state: 'rejected',
      text: sentence(rejected.detail ?? rejected.title),
      hint: 'The listener turned it away and kept nothing of it.',
      mistake: rejected.title,
    }
  if (received === undefined) {
    const hint =
      listener === undefined
        ? 'Events that dlv webhooks listen --ui receives have a verdict.'
        : 'It happened before this listener ran, or was sent to other receivers only.'
    return { state: 'unknown', text: 'It was not received here.', hint, mistake: null }
  }
  const { rawHeaders, body, receivedAtMs, source, secret, repeats, conflicts } = received
  const request = {
    secrets: secrets.map((known) => known.secret),
    headers: rawHeaders,
    body,
    nowSeconds: receivedAtMs / 1_000,
  }
  const verdict = verify(request)
  const times = repeats === 0 ? '' : ` It came ${repeats + 1} times.`
  const clash = conflicts === 0 ? '' : ` Other bodies came under its id ${conflicts} times and were set aside.`
  if (verdict.ok) {
    const how = source === 'pull' ? 'Fetched from the list of events and signed here' : 'Verified'
    const name = secrets[verdict.secretIndex]?.name ?? secret
    const notes = verdict.warnings.map((warning) => ` Note: ${warning}.`).join('')
    return {
      state: 'verified',
      text: `${how} with the secret “${name}”.${times}${clash}${notes}`,
      hint: null,
      mistake: null,
    }
  }
  const explained = explainFailure(request)
  return {
    state: 'rejected',
    text: `It was verified with the secret “${secret}” when it came; with the present secrets, ${explained?.message ?? verdict.message}.`,
    hint: explained?.hint ?? (verdict.reason === 'no_matching_signature' ? null : (verdict.hint ?? null)),
    mistake: explained?.mistake ?? verdict.reason,
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

interface Neighbour {
  eventId: string
  eventType: string
  data: unknown
}

/** Maximum number of pages of a delivery's events to read. */
const readPages = 8

/** The events of the same delivery before and after an event. */
export async function neighboursOf(
  { client }: Pick<Backend, 'client'>,
  { eventId, deliveryId, occurredAt }: FoundEvent,
): Promise<{ previous: Neighbour | null; following: Neighbour | null }> {
  const atMs = Date.parse(occurredAt ?? '')
  if (deliveryId === null || Number.isNaN(atMs)) return { previous: null, following: null }
  const serviceMs = client.serviceNowMs() ?? atMs
  const oldestMs = oldestSinceMs(serviceMs)
  const query = { deliveryId, since: new Date(Math.max(oldestMs, atMs - 3 * dayMs)).toISOString(), limit: 100 }
  let previous: Neighbour | null = null
  let isPast = false
  let pages = 0
  for await (const page of client.pages('listEvents', query)) {
    for (const event of page.events) {
      const neighbour = { eventId: event.eventId, eventType: event.eventType, data: event.data }
      if (event.eventId === eventId) isPast = true
      else if (isPast) return { previous, following: neighbour }
      else if (Date.parse(event.occurredAt) <= atMs + minuteMs) previous = neighbour
    }
    if (++pages >= readPages) break
  }
  return { previous: isPast ? previous : null, following: null }
}

/** The most changes that are listed; a body from elsewhere could have any number. */
const mostChanges = 200

/** The fields in which two values differ, by their paths. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = []
  const compare = (path: string, one: unknown, other: unknown) => {
    if (changes.length >= mostChanges) return
    const isComparable = (value: unknown) => isParent(value) || value === undefined
    // What is new or gone as a whole is told field by field, too.
    if ((isParent(one) || isParent(other)) && isComparable(one) && isComparable(other) && !isMixed(one, other)) {
      const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])
      for (const name of names)
        compare(path === '' ? name : `${path}.${name}`, memberOf(one, name), memberOf(other, name))
      return
    }
    const [was, is] = [shownValue(one), shownValue(other)]
    if (was !== is) changes.push({ path, before: was, after: is })
  }
  compare('', before, after)
  return changes
}

const isParent = (value: unknown): value is Record<string, unknown> | unknown[] =>
  isRecord(value) || Array.isArray(value)
const isMixed = (one: unknown, other: unknown) =>
  one !== undefined && other !== undefined && Array.isArray(one) !== Array.isArray(other)
const memberOf = (value: unknown, name: string): unknown =>
  isParent(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined

function shownValue(value: unknown): string | null {
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
