import { signal } from '@preact/signals'
import type { LiveBacklog, LiveItem, Reading } from '../../wire/live.js'
import type { Clock } from '../../wire/session.js'
import { authorization, get, serverName } from './api.js'
import { setClock } from './session.js'
import { readEvents } from './sse.js'

/** Maximum number of lines in the page's memory. */
export const keptItems = 2_000

/** The newest lines, oldest first. */
export const items = signal<readonly LiveItem[]>([])
export const isConnected = signal(false)
/** It was connected at some time. */
export const hasConnected = signal(false)
isConnected.subscribe((is) => {
  if (is) hasConnected.value = true
})
/** Whether the service is read: before it was, no number is known. */
export const reading = signal<Reading>({ isRead: false })
/** Whether it is said that one of several accounts cannot be read. */
export function isFailing(account: string | undefined): boolean {
  return account !== undefined && reading.value.failures?.some((one) => one.account === account) === true
}

/** Number of lines that the server has left out during a flood. */
export const leftOut = signal(0)

type Listener = (news: readonly LiveItem[]) => void
const listeners = new Set<Listener>()

/** Called with new lines, once a frame, but not while the page is hidden. Returns the function that ends it. */
export function onNews(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let lastId = 0
let pending: LiveItem[] = []
/** Counts what was left out, until it is shown. */
let missed = 0
let isApplyDue = false

function take(news: readonly LiveItem[]): void {
  const fresh = news.filter(({ id }) => id > lastId)
  const first = fresh[0]
  if (first === undefined) return
  if (first.id > lastId + 1 && lastId > 0) {
    missed += first.id - lastId - 1
    refillLater()
  }
  lastId = fresh.at(-1)?.id ?? lastId
  pending.push(...fresh)
  if (pending.length > keptItems * 2) pending = pending.slice(-keptItems)
  applySoon()
}

/** Longer than the server pauses between two messages of a flood. */
const refilledAfterMs = 2_500
let refilling: ReturnType<typeof setTimeout> | undefined

/** In a flood the server leaves lines out: once it is over, they are read. */
function refillLater(): void {
  clearTimeout(refilling)
  refilling = setTimeout(() => void startAgain().catch(() => {}), refilledAfterMs)
}

/** With the next frame, of which a page in the background has none: it draws nothing until somebody looks at it. */
function applySoon(): void {
  if (isApplyDue) return
  isApplyDue = true
  requestAnimationFrame(apply)
}

function apply(): void {
  const news = pending
  pending = []
  isApplyDue = false
  if (missed > 0) leftOut.value += missed
  missed = 0
  items.value = [...items.value, ...news].slice(-keptItems)
  for (const listener of listeners) listener(news)
}

/** Reads what this page has not seen. */
async function catchUp(): Promise<void> {
  const backlog = await get<LiveBacklog>(`/live?after=${lastId}`)
  take(backlog.items)
  lastId = backlog.lastId
  reading.value = backlog.reading
}

type Told =
  | { kind: 'items'; items: LiveItem[] }
  | { kind: 'clock'; clock: Clock & { account?: string } }
  | { kind: 'reading'; reading: Reading }
  | { kind: 'connected'; on: boolean }
  | { kind: 'reset' }

/**
 * Follows the server. A browser has six connections to a server for all its tabs, so one tab reads the stream and tells
 * the others; when it closes, the next one takes over.
 */
export async function followServer(): Promise<void> {
  const name = `dlv-inspector-${serverName()}`
  const channel = new BroadcastChannel(name)
  let early: LiveItem[] | undefined = []
  const hear = (told: Told) => {
    if (told.kind === 'clock') setClock(told.clock)
    else if (told.kind === 'reading') reading.value = told.reading
    else if (told.kind === 'connected') isConnected.value = told.on
    else if (told.kind === 'reset') void startAgain()
    else if (early === undefined) take(told.items)
    else early.push(...told.items)
  }
  channel.onmessage = ({ data }) => hear(data as Told)
  const tell = (told: Told) => {
    hear(told)
    channel.postMessage(told)
  }
  await catchUp()
  take(early)
  early = undefined
  isConnected.value = true
  void navigator.locks.request(name, () => readForAll(tell))
}

/** Reads the newest lines in place of those that are known. */
async function startAgain(): Promise<void> {
  const backlog = await get<LiveBacklog>('/live')
  lastId = backlog.lastId
  pending = []
  missed = 0
  leftOut.value = 0
  items.value = backlog.items
  for (const listener of listeners) listener(backlog.items)
}

/** Reads the stream as long as the page is open, and comes again if it ends. */
async function readForAll(tell: (told: Told) => void): Promise<never> {
  for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      const headers = { authorization: authorization(), 'last-event-id': String(lastId) }
      const response = await fetch('/ui/stream', { headers })
      if (response.ok && response.body !== null) {
        tell({ kind: 'connected', on: true })
        waitMs = 250
        for await (const { event, data } of readEvents(response.body)) {
          if (event === 'items') tell({ kind: 'items', items: JSON.parse(data) as LiveItem[] })
          else if (event === 'clock') tell({ kind: 'clock', clock: JSON.parse(data) })
          else if (event === 'reading') tell({ kind: 'reading', reading: JSON.parse(data) as Reading })
          else if (event === 'reset') tell({ kind: 'reset' })
        }
      }
    } catch {
      // The server is gone; it may come back at the same address.
    }
    tell({ kind: 'connected', on: false })
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}
