import { signal } from '@preact/signals'
import type { Board } from '../../wire/deliveries.js'
import type { DeliverySummary, LiveItem } from '../../wire/live.js'
import { get } from './api.js'
import { items, leftOut, onNews, reading } from './live.js'

/** The deliveries of the board by id, kept up to date by the stream; `undefined` until they were read. */
export const deliveries = signal<ReadonlyMap<string, DeliverySummary> | undefined>(undefined)
export const isCut = signal(false)

let isWatching = false

export async function loadDeliveries(): Promise<void> {
  if (!isWatching) {
    isWatching = true
    onNews(note)
    readAfterFloods()
    readAfterFailures()
  }
  const board = await get<Board>('/deliveries')
  isCut.value = board.isCut
  deliveries.value = new Map(board.deliveries.map((delivery) => [delivery.deliveryId, delivery]))
}

/** The lines that a flood left out may have been about any delivery. */
function readAfterFloods(): void {
  let wasFlooded = false
  leftOut.subscribe((lines) => {
    if (wasFlooded && lines === 0) void loadDeliveries().catch(() => {})
    wasFlooded = lines > 0
  })
}

/** While the service could not be read, anything may have happened. */
function readAfterFailures(): void {
  let hadFailed = false
  reading.subscribe(({ failed }) => {
    if (hadFailed && failed === undefined) void loadDeliveries().catch(() => {})
    hadFailed = failed !== undefined
  })
}

function note(news: readonly LiveItem[]): void {
  const known = deliveries.value
  const changed = news.flatMap(({ delivery }) => (delivery === undefined ? [] : [delivery]))
  if (known === undefined || changed.length === 0) return
  const next = new Map(known)
  for (const delivery of changed) next.set(delivery.deliveryId, { ...next.get(delivery.deliveryId), ...delivery })
  deliveries.value = next
}

/** The reference of a delivery that the page has heard of. */
export function knownReference(deliveryId: string): string | undefined {
  const known = deliveries.peek()?.get(deliveryId) ?? items.peek().find((item) => item.deliveryId === deliveryId)
  return known?.reference
}

/** Deliveries that the page has heard of, for the palette. */
export function knownDeliveries(): DeliverySummary[] {
  const known = new Map(deliveries.value)
  for (const { delivery } of items.value) if (delivery !== undefined) known.set(delivery.deliveryId, delivery)
  return [...known.values()].reverse()
}
