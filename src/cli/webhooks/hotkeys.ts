import type { Listener, ListenerRecord } from '../../listener/index.js'
import { receivedEventCard } from '../../render/log-view.js'
import type { Style } from '../../render/style.js'
import { canReadKeys, type Keys, readKeys } from '../input/keyboard.js'
import type { ProcessContext } from '../process/context.js'
import { receivedEventOf } from './journal-rows.js'
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
