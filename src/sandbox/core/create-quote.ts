import type { Quote, QuoteResponse } from '../../contract/index.js'
import { minuteMs } from '../../shared/durations.js'
import type { Handler, QuoteRow, World } from '../model.js'
import { checkOrder } from './checks/order-checks.js'
import { hasCredentialedDriver, providerProblem } from './checks/providers.js'
import type { OrderLike } from './checks/requirements.js'
import { dropoffZip, locateStop, namedInstallation } from './geo/places.js'
import { storeByReference } from './geo/stores.js'
import { hashFraction, withFuture } from './hash.js'
import { storeNoQuoteReasons, zipNoQuoteReasons } from './magic-tables.js'
import { forcedNoQuoteReason, refuseForced } from './order-magic.js'
import { type Carrier, carrierById, economy, ownFleet, priceOf, priority, standard } from './pricing.js'
import { Refusal } from './refusal.js'
import { earliestStartMs, estimate, scheduleOf, timestamp, tripTimes } from './trip-times.js'
import { resolveVerification } from './verification.js'

const quoteLifeMs = 15 * minuteMs

/** Prices an order without creating it; the result may be that there is no quote. */
export const createQuote: Handler<'createQuote'> = {
  admit(world) {
    if (!world.account.capabilities.quotes)
      throw new Refusal('QUOTES_NOT_SUPPORTED', 'Quotes are not enabled for the account.')
  },
  decide(world, { body: order, rawBody, force }) {
    refuseForced(order.clientOrderReference, {})
    checkOrder({ world, order, purpose: 'quote', rawBody })
    const reason = noQuoteReason(world, order, forcedNoQuoteReason(order.clientOrderReference, force))
    const rows =
      reason === undefined ? offeredCarriers(world, order).map((carrier) => quoteRow(world, order, carrier)) : []
    const answer: QuoteResponse = {
      ...(order.clientOrderReference === undefined ? {} : { clientOrderReference: order.clientOrderReference }),
      quotes: rows.map((row) => quoteView(world, order, row)),
      expiresAt: reason === undefined ? timestamp(world.nowMs + quoteLifeMs) : null,
      ...(reason === undefined ? {} : { noQuoteReason: reason }),
    }
    return { status: 200, body: withFuture(world, 'quote', answer), quotes: rows }
  },
}

function noQuoteReason(world: World, order: OrderLike, forced: string | undefined): string | undefined {
  const { storeReference } = order.pickup
  const magic = forced ?? storeNoQuoteReasons[storeReference] ?? zipNoQuoteReasons[dropoffZip(order.dropoff)]
  if (magic !== undefined) return magic
  const problem = providerProblem({ world, order })
  if (problem !== undefined) return problem.noQuoteReason
  if (!hasCredentialedDriver({ world, order }) || offeredCarriers(world, order).length === 0)
    return 'REQUIREMENT_UNSUPPORTED'
  if (world.capacity === 0) return 'NO_CAPACITY'
  return scheduleOf(world, order).firstPickupMs === undefined ? 'OUTSIDE_HOURS' : undefined
}

/** One to three levels of service, always the same for a route; only those that carry out what is required. */
function offeredCarriers(world: World, order: OrderLike): Carrier[] {
  if (world.account.accountType === 'owned_fleet') return [ownFleet]
  const route = [order.pickup.storeReference, dropoffZip(order.dropoff)]
  const offered = [
    ...(hashFraction(...route, economy.carrierId) < 0.7 ? [economy] : []),
    standard,
    ...(hashFraction(...route, priority.carrierId) < 0.7 ? [priority] : []),
  ]
  const checks = resolveVerification(order, namedInstallation(world, order.dropoff)).dropoff ?? {}
  const required = Object.entries(checks).filter(([, check]) => (check as { level?: string }).level === 'required')
  return offered.filter(({ mechanisms }) => required.every(([name]) => mechanisms.some((known) => known === name)))
}

function quoteRow(world: World, order: OrderLike, carrier: Carrier): QuoteRow {
  return {
    quoteId: world.newId('qot'),
    accountId: world.account.accountId,
    storeReference: order.pickup.storeReference,
    postalCode: dropoffZip(order.dropoff),
    carrierId: carrier.carrierId,
    deliveryFeeCents: priceOf(world, order, carrier, world.nowMs),
    createdAtMs: world.nowMs,
    expiresAtMs: world.nowMs + quoteLifeMs,
  }
}

function quoteView(world: World, order: OrderLike, row: QuoteRow): Quote {
  const carrier = carrierById(row.carrierId)
  const eta = arrivals(world, order, row.carrierId)
  return {
    quoteId: row.quoteId,
    carrierId: row.carrierId,
    carrierName: carrier?.carrierName ?? row.carrierId,
    currency: 'USD',
    totalPriceCents: row.deliveryFeeCents,
    pickupEta: timestamp(eta.pickupMs),
    dropoffEta: timestamp(eta.dropoffMs),
  }
}

/** A scheduled order is picked up when its window opens, or in time for the dropoff; neither is later than its window. */
function arrivals(world: World, order: OrderLike, carrierId: string): { pickupMs: number; dropoffMs: number } {
  const store = storeByReference(order.pickup.storeReference)
  if (store === undefined) return { pickupMs: world.nowMs, dropoffMs: world.nowMs }
  const installation = namedInstallation(world, order.dropoff)
  const seed = `${order.pickup.storeReference} ${dropoffZip(order.dropoff)} ${carrierId}`
  const times = tripTimes(store, locateStop(world, order.dropoff), installation, seed)
  const soonest = estimate(times, world.nowMs)
  if (earliestStartMs(order) === undefined) return soonest
  const schedule = scheduleOf(world, order)
  const tripMs = soonest.dropoffMs - soonest.pickupMs
  const lastPickupMs = schedule.pickup?.toMs ?? soonest.pickupMs
  const pickupMs = Math.min(lastPickupMs, Math.max(soonest.pickupMs, schedule.firstPickupMs ?? 0))
  const opensMs = schedule.dropoff?.fromMs ?? 0
  return { pickupMs, dropoffMs: Math.max(opensMs, pickupMs + tripMs) }
}
