import {
  codePointLength,
  type Delivery,
  DeliveryCreate,
  extra,
  isRequestField,
  limits,
  UsageError,
} from '../../../contract/index.js'
import { isRecord } from '../../../shared/json.js'

/** Blocks of an order that a delivery does not show. */
const notShown = ['timeWindows', 'package', 'dispatch', 'verification', 'handling', 'metadata'] as const

/** An order made from a delivery, and the blocks that could not be known from it. */
export interface OrderLike {
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
    const block = isRecord(shown[name]) ? requestPart(name, shown[name]) : sent?.[name]
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

function isOver(windows: Readonly<Record<string, unknown>>, nowMs: number): boolean {
  return [windows.pickup, windows.dropoff].some((window) => isRecord(window) && Date.parse(String(window.end)) < nowMs)
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
