import {
  codePointLength,
  type Delivery,
  DeliveryCreate,
  deliveryPoints,
  extra,
  isRequestField,
  limits,
  markedCargo,
  UsageError,
} from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { isRecord, recordAt } from '../../shared/json.js'

/** Blocks of an order that a delivery does not show. */
const notShown = ['timeWindows', 'package', 'dispatch', 'verification', 'handling', 'metadata'] as const

/** An order made from a delivery, and the blocks that could not be known from it. */
interface OrderLike {
  order: Record<string, unknown>
  unknown: readonly string[]
  /** Whether the window of the delivery's order is over, and so no part of the new one. */
  isWindowOver: boolean
}

/** The facts about a delivery's order that the delivery does not show. */
interface KnownOrder {
  reference: string | undefined
  /** The parts that were sent from here and the service does not show. */
  sent: Readonly<Record<string, unknown>> | undefined
  nowMs: number
}

/**
 * The order that would make a delivery like this one, under a new reference: pickup, dropoff and tip, what else the
 * service shows, and what was sent from here.
 *
 * @throws UsageError if the reference cannot be made longer
 */
export function orderLike(delivery: Delivery, { reference, sent, nowMs }: KnownOrder): OrderLike {
  const shown = extra(delivery)
  const tipAmountCents = delivery.pricing?.tipAmountCents
  const order = {
    clientOrderReference: reference ?? nextReference(delivery),
    pickup: requestPart('pickup', delivery.pickup),
    dropoff: requestPart('dropoff', delivery.dropoff),
    ...(tipAmountCents == null || tipAmountCents === 0 ? {} : { tipAmountCents }),
  }
  const known = notShown.flatMap((name): [name: string, block: Record<string, unknown>][] => {
    const found = isRecord(shown[name]) ? requestPart(name, shown[name]) : sent?.[name]
    const block = name === 'package' ? withMarkedCargo(found) : found
    return isRecord(block) && Object.keys(block).length > 0 ? [[name, block]] : []
  })
  const isWindowOver = known.some(([name, block]) => name === 'timeWindows' && isOver(block, nowMs))
  const blocks = known.filter(([name]) => name !== 'timeWindows' || !isWindowOver)
  const carried = new Set(known.map(([name]) => name))
  return {
    order: { ...order, ...Object.fromEntries(blocks) },
    // Of an order that was sent from here, a block that is missing was not asked for; metadata are kept as hashes only.
    unknown: notShown.filter((name) => !carried.has(name) && (sent === undefined || sent[name] !== undefined)),
    isWindowOver,
  }
}

/** Places on an installation, where an order can be handed over instead of at a door. */
const placesOnInstallations: readonly unknown[] = [...deliveryPoints]

/**
 * The order without what belongs to the place that it leaves: with a new address its installation, gate and unit, and a
 * handoff that only installations have; with another installation the gate.
 *
 * @param given the fields that replace those of the order
 */
export function leavingPlace(
  order: Record<string, unknown>,
  given: unknown,
): { order: Record<string, unknown>; left: string[] } {
  const moves = isOther(order, given, 'dropoff.address')
  const changesCode = isOther(order, given, 'dropoff.installation.code')
  if (!moves && !changesCode) return { order, left: [] }
  const dropoff = { ...recordAt(order, 'dropoff') }
  const staysOnCode = moves && valueAt(given, 'dropoff.installation.code') != null && !changesCode
  const handling = { ...recordAt(order, 'handling') }
  const left: string[] = []
  const leave = (from: Record<string, unknown>, name: string, path: string) => {
    if (from[name] === undefined) return
    for (const part of isRecord(from[name]) ? Object.keys(from[name]).map((key) => `.${key}`) : [''])
      left.push(`${path}${part}`)
    delete from[name]
  }
  if (!staysOnCode) leave(dropoff, 'installation', 'dropoff.installation')
  leave(dropoff, 'unit', 'dropoff.unit')
  if (!staysOnCode) {
    if (placesOnInstallations.includes(handling.handoff)) leave(handling, 'handoff', 'handling.handoff')
    if (placesOnInstallations.includes(handling.fallbackHandoff)) {
      leave(handling, 'fallbackHandoff', 'handling.fallbackHandoff')
      if (handling.undeliverableAction === 'fallback_handoff')
        leave(handling, 'undeliverableAction', 'handling.undeliverableAction')
    }
  }
  const { handling: _, ...others } = order
  return {
    order: { ...others, dropoff, ...(Object.keys(handling).length === 0 ? {} : { handling }) },
    left,
  }
}

/** Whether a value is given that the order does not have. */
function isOther(order: unknown, given: unknown, path: string): boolean {
  const value = valueAt(given, path)
  return value != null && folded(value) !== folded(valueAt(order, path))
}

function folded(value: unknown): string {
  return (canonicalJson(value ?? null) ?? '').toLowerCase().replace(/[\s,]+/g, ' ')
}

function isOver(windows: Readonly<Record<string, unknown>>, nowMs: number): boolean {
  return [windows.pickup, windows.dropoff].some((window) => isRecord(window) && Date.parse(String(window.end)) < nowMs)
}

/** The cargo of an existing order is kept, also where the contract has no word for it. */
function withMarkedCargo(cargo: unknown): unknown {
  if (!isRecord(cargo) || !Array.isArray(cargo.contains)) return cargo
  return { ...cargo, contains: cargo.contains.map((word) => (typeof word === 'string' ? markedCargo(word) : word)) }
}

/** The part of a delivery that a request can have, without what is empty. */
function requestPart(path: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const isAsked = member !== null && member !== undefined && isRequestField(DeliveryCreate, `${path}.${name}`)
    return isAsked ? [[name, requestPart(`${path}.${name}`, member)]] : []
  })
  return Object.fromEntries(members)
}

/** `ORDER-1-r2` after `ORDER-1`, then `ORDER-1-r3`: the same command again makes the same order. */
function nextReference({ clientOrderReference, deliveryId }: Delivery): string {
  const [, base = '', count = '1'] = /^(.*?)(?:-r(\d{1,6}))?$/s.exec(clientOrderReference ?? deliveryId) ?? []
  const next = `${base}-r${Number(count) + 1}`
  if (codePointLength(next) <= limits.clientOrderReferenceMaxLength) return next
  throw new UsageError('The reference is too long to be continued.', { hint: 'Give the new order one with --ref.' })
}
