import type { ForwardState, JournalEvent, Listener, ListenerRecord } from '../../listener/index.js'
import { type ReceivedEvent, type ReceivedEventInFull, receivedEventCard } from '../../render/event-view.js'
import type { Style } from '../../render/style.js'
import { tryParseJson } from '../../shared/json.js'
import { maskPersonalData } from '../../webhooks/index.js'
import { canReadKeys, type Keys, readKeys } from '../input/keyboard.js'
import type { Merging, ProcessContext } from '../process/context.js'
import type { ListenScreen } from './listen-screen.js'

/** The parts of a listener that its keys control. */
interface KeySurroundings {
  listener: Listener
  screen: ListenScreen
  /** The style with the current time. */
  style(): Style
  unmask: boolean
  /** Prints between the records, also while they are delayed. */
  say(text: string): void
  onError(error: unknown): void
  /** How many events each secret has verified. */
  counts(): string
  quit(): void
}

/** The help for the keys. */
const keysHelp = 'Keys: r resend the last · p pause · d details · s secrets · q quit'

const remembered = 100

/** An event that has come; two accounts may have one id. */
interface SeenEvent {
  eventId: string
  account?: string | undefined
}

const keyOf = ({ eventId, account = '' }: SeenEvent) => `${account} ${eventId}`

/** The newest events, and what the keys do with them. */
interface ListenKeys {
  see(record: ListenerRecord): void
  keysFor(around: KeySurroundings): Keys
}

/** Reads the keys if there is a terminal; the returned function restores the terminal. */
export function attachKeys(
  context: ProcessContext,
  keys: ListenKeys,
  around: KeySurroundings,
  noInput: boolean,
): () => void {
  if (!canReadKeys(context, noInput)) return () => {}
  const release = readKeys(context, keys.keysFor(around))
  around.say(keysHelp)
  return release
}

export function listenKeys(): ListenKeys {
  const newest: SeenEvent[] = []
  const known = new Set<string>()
  /** The event in detail; `undefined` if none is shown. */
  let opened: SeenEvent | undefined

  function see(record: ListenerRecord) {
    if (record.type !== 'event' || known.has(keyOf(record))) return
    newest.push({ eventId: record.eventId, account: record.account })
    known.add(keyOf(record))
    const oldest = newest.length > remembered ? newest.shift() : undefined
    if (oldest !== undefined) known.delete(keyOf(oldest))
  }

  function keysFor(around: KeySurroundings): Keys {
    const { listener, screen, say } = around
    const resend = () => {
      const seen = opened ?? newest.at(-1)
      if (seen === undefined) return say('Nothing has come yet.')
      say(`Sending ${seen.eventId} once more.`)
      listener.resend(seen.eventId, seen.account).then((targets) => {
        if (targets === 0) say('No forward target; start with --forward-to URL.')
      }, around.onError)
    }
    const show = (seen: SeenEvent | undefined) => {
      showEvent(seen).catch(around.onError)
    }
    const showEvent = async (seen: SeenEvent | undefined) => {
      const event = seen === undefined ? undefined : await listener.get(seen.eventId, seen.account)
      if (event === undefined) return say('Nothing has come yet.')
      const forwards = await listener.forwardsOf(event)
      opened = seen
      screen.pause()
      const shown = receivedEventOf(event, forwards, around.unmask)
      say(`\n${receivedEventCard(shown, around.style())}\n`)
      say(
        `${seen === undefined ? 0 : newest.indexOf(seen) + 1} of ${newest.length}. ↑ older · ↓ newer · r resend · Enter continues`,
      )
    }
    const move = (by: number) => () => {
      if (opened === undefined) return
      const at = newest.indexOf(opened) + by
      if (at >= 0 && at < newest.length) show(newest[at])
    }
    const goOn = () => {
      if (!screen.isPaused) return
      opened = undefined
      screen.resume()
    }
    const pause = () => {
      if (screen.isPaused) return goOn()
      screen.pause()
      say('Paused: events are still received, stored and forwarded. Press p to continue.')
    }
    return {
      r: resend,
      p: pause,
      d: () => (opened === undefined ? show(newest.at(-1)) : goOn()),
      enter: goOn,
      escape: goOn,
      up: move(-1),
      k: move(-1),
      down: move(1),
      j: move(1),
      s: () => say(around.counts()),
      q: around.quit,
      '?': () => say(keysHelp),
    }
  }
  return { see, keysFor }
}

/** A received event for output; personal data in its body is masked unless `unmask` is set. */
export function logRow(event: JournalEvent, unmask: boolean): ReceivedEvent {
  // The body is signed but may not be JSON; then it is shown unchanged.
  const text = Buffer.from(event.body).toString('utf8')
  const json = tryParseJson(text, 'answer')
  const body = json === undefined ? text : json.value
  return {
    eventId: event.id,
    eventType: event.eventType ?? null,
    deliveryId: event.deliveryId ?? null,
    occurredAt: event.occurredAt ?? null,
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    source: event.source,
    secret: event.secret,
    repeats: event.repeats,
    conflicts: event.conflicts,
    event: unmask ? body : maskPersonalData(body),
  }
}

/** A received event in full, for output. */
export function receivedEventOf(event: JournalEvent, forwards: ForwardState[], unmask: boolean): ReceivedEventInFull {
  const { rawHeaders, timestampSeconds } = event
  const { event: body, ...row } = logRow(event, unmask)
  const headers = Array.from({ length: rawHeaders.length / 2 }, (_, index): [string, string] => [
    rawHeaders[2 * index] ?? '',
    rawHeaders[2 * index + 1] ?? '',
  ])
  return { ...row, timestampSeconds, headers, forwards, event: body }
}

/** The newest events of several accounts together, newest last. */
export function newestOfAll({ limit: most = Number.POSITIVE_INFINITY }: { limit?: number }): Merging<ReceivedEvent> {
  const compare = (one: ReceivedEvent, other: ReceivedEvent) =>
    Date.parse(one.receivedAt) - Date.parse(other.receivedAt)
  return { most, end: 'newest', keepsLast: true, isChosen: true, compare }
}
