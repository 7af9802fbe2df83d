import { signal } from '@preact/signals'
import type { Position } from '../../../shared/math.js'
import { isNewer } from '../../../trade/known-delivery.js'
import type { Board } from '../../wire/deliveries.js'
import type { DeliverySummary, LiveItem } from '../../wire/live.js'
import { keyOf, readEach, within } from './accounts.js'
import { get } from './api.js'
import { items, leftOut, onNews, reading } from './live.js'

/** The deliveries of the board by account and id, kept up to date by the stream; `undefined` until one account's were read. */
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
  await readEach(async (account) => {
    const board = await get<Board>(within(account, '/deliveries'))
    isCut.value ||= board.isCut
    const own = board.deliveries.map((delivery) => (account === undefined ? delivery : { ...delivery, account }))
    for (const delivery of own) extendTrail(delivery)
    const others = [...(deliveries.value ?? [])].filter(([, delivery]) => delivery.account !== account)
    deliveries.value = new Map([...others, ...own.map((delivery) => [keyOfDelivery(delivery), delivery] as const)])
  })
}

type Named = Pick<DeliverySummary, 'account' | 'deliveryId'>

export function keyOfDelivery({ account, deliveryId }: Named): string {
  return keyOf(account, deliveryId)
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
  for (const delivery of changed) extendTrail(delivery)
  for (const delivery of changed) {
    const before = next.get(keyOfDelivery(delivery))
    // The board may have been read after the news was sent.
    const isOlder = !isNewer(delivery.updatedAt ?? undefined, before?.updatedAt ?? undefined)
    next.set(keyOfDelivery(delivery), isOlder ? { ...delivery, ...before } : delivery)
  }
  deliveries.value = next
}

/** Positions of each driver that are drawn behind the newest. */
const trailLength = 40
const trails = new Map<string, Position[]>()

function extendTrail({ at, ...delivery }: Named & Pick<DeliverySummary, 'at'>): void {
  if (at === undefined) return
  const trail = trails.get(keyOfDelivery(delivery)) ?? []
  const last = trail.at(-1)
  if (last?.latitude === at.latitude && last.longitude === at.longitude) return
  trail.push(at)
  if (trail.length > trailLength) trail.shift()
  trails.set(keyOfDelivery(delivery), trail)
}

/** The way of a delivery's driver as far as this page has seen it, oldest position first. */
export function trailOf(delivery: Named): readonly Position[] {
  return trails.get(keyOfDelivery(delivery)) ?? []
}

/** Reads the ways of the drivers of an account's store up to now. */
export async function loadTrails(store: string, account: string | undefined): Promise<void> {
  const path = within(account, `/trails?${new URLSearchParams({ store })}`)
  const read = await get<{ trails: Record<string, Position[]> }>(path)
  for (const [deliveryId, trail] of Object.entries(read.trails))
    trails.set(keyOf(account, deliveryId), trail.slice(-trailLength))
}

/** The reference of a delivery that the page has heard of. */
export function knownReference(deliveryId: string, account: string | undefined): string | undefined {
  const known =
    deliveries.peek()?.get(keyOf(account, deliveryId)) ??
    items.peek().find((item) => item.deliveryId === deliveryId && item.account === account)
  return known?.reference
}

/** Deliveries that the page has heard of, for the palette. */
export function knownDeliveries(): DeliverySummary[] {
  const known = new Map(deliveries.value)
  for (const { delivery } of items.value) if (delivery !== undefined) known.set(keyOfDelivery(delivery), delivery)
  return [...known.values()].reverse()
}
