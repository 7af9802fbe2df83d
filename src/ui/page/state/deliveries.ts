import { signal } from '@preact/signals'
import type { Position } from '../../../shared/math.js'
import { isNewer } from '../../../trade/known-delivery.js'
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
  for (const { deliveryId, at } of board.deliveries) if (at !== undefined) extendTrail(deliveryId, at)
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
  for (const { deliveryId, at } of changed) if (at !== undefined) extendTrail(deliveryId, at)
  for (const delivery of changed) {
    const before = next.get(delivery.deliveryId)
    // The board may have been read after the news was sent.
    const isOlder = !isNewer(delivery.updatedAt ?? undefined, before?.updatedAt ?? undefined)
    next.set(delivery.deliveryId, isOlder ? { ...delivery, ...before } : delivery)
  }
  deliveries.value = next
}

/** Positions of each driver that are drawn behind the newest. */
const trailLength = 40
const trails = new Map<string, Position[]>()

function extendTrail(deliveryId: string, at: Position): void {
  const trail = trails.get(deliveryId) ?? []
  const last = trail.at(-1)
  if (last?.latitude === at.latitude && last.longitude === at.longitude) return
  trail.push(at)
  if (trail.length > trailLength) trail.shift()
  trails.set(deliveryId, trail)
}

/** The way of a delivery's driver as far as this page has seen it, oldest position first. */
export function trailOf(deliveryId: string): readonly Position[] {
  return trails.get(deliveryId) ?? []
}

/** Reads the ways of the drivers of a store up to now. */
export async function loadTrails(store: string): Promise<void> {
  const read = await get<{ trails: Record<string, Position[]> }>(`/trails?${new URLSearchParams({ store })}`)
  for (const [deliveryId, trail] of Object.entries(read.trails)) trails.set(deliveryId, trail.slice(-trailLength))
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
