import { proofTypes } from '../../contract/index.js'
import type { TrailPoint } from '../../drawings/way.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { escapeHtml } from '../../shared/texts.js'
import { deliveryView } from '../core/delivery-view.js'
import { deliveryPlaces } from '../core/geo/places.js'
import { timestamp } from '../core/trip-times.js'
import { accountById } from '../engine/accounts.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import { type Answer, type HttpExchange, jsonAnswer } from '../http/exchange.js'
import type { DeliveryRow } from '../model.js'
import type { RecordedEvent } from '../store/events.js'
import {
  type TrackingState,
  trackingAssets,
  trackingPage,
  trackingScript,
  trackingState,
  trackingStyle,
} from './tracking-page.js'

const trackingPath = /^\/track\/([A-Za-z0-9_-]{1,128})$/
const livePath = /^\/track\/([A-Za-z0-9_-]{1,128})\/live$/
const proofPath = /^\/proofs\/([A-Za-z0-9_-]{1,128})\/([a-z]{1,20})\.svg$/

/** Only the page's own files may run or style it, whatever an order smuggles in. */
const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0969da"/><path d="M4 8.5l2.5 2.5L12 5.5" fill="none" stroke="#fff" stroke-width="2"/></svg>
`

/** The most positions of a driver that a drawing shows. */
const longestTrail = 500

/** Whether a path is one that an open page asks for by itself every few seconds, and no person. */
export function isFollowUp(path: string): boolean {
  return livePath.test(path)
}

/** The tracking page and proof images that answers of the service point to. */
export class Pages {
  constructor(private readonly engine: Engine) {}

  /** `undefined` if the path does not belong to a page. */
  answer(exchange: HttpExchange): Answer | undefined {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined
    const { path } = exchange
    if (path === trackingAssets.style) return page('text/css; charset=utf-8', trackingStyle)
    if (path === trackingAssets.script) return page('text/javascript; charset=utf-8', trackingScript)
    if (path === trackingAssets.icon) return page('image/svg+xml', icon)
    return this.tracking(path) ?? this.live(path) ?? this.proof(path)
  }

  private tracking(path: string): Answer | undefined {
    const [, deliveryId = ''] = trackingPath.exec(path) ?? []
    const state = this.state(deliveryId)
    return state && page('text/html; charset=utf-8', trackingPage(deliveryId, state))
  }

  private live(path: string): Answer | undefined {
    const [, deliveryId = ''] = livePath.exec(path) ?? []
    const state = this.state(deliveryId)
    return state && jsonAnswer(200, state, pageHeaders)
  }

  private state(deliveryId: string): TrackingState | undefined {
    if (deliveryId === '') return undefined
    const row = this.engine.store.deliveries.get(deliveryId)
    const account = row === undefined ? undefined : accountById(this.engine.store, row.accountId)
    if (row === undefined || account === undefined) return undefined
    const world = worldOf(this.engine, account, this.engine.clock.nowMs())
    const delivery = deliveryView(world, row, { history: true })
    const trail = account.capabilities.driverLocationStreaming ? this.trail(row) : []
    return trackingState(delivery, { ...deliveryPlaces(world, row.order), trail, status: row.status })
  }

  /** The driver's past locations, from events, and the current one. */
  private trail({ deliveryId, accountId, createdAtMs, location }: DeliveryRow): TrailPoint[] {
    const told = this.engine.store.events
      .list({
        accountId,
        deliveryId,
        sinceMs: createdAtMs,
        untilMs: this.engine.clock.nowMs() + 1,
        eventTypes: ['delivery.driver_location_updated'],
        limit: longestTrail,
      })
      .flatMap(toldLocation)
    const at = location && timestamp(location.updatedAtMs)
    if (location === undefined || at === undefined || told.at(-1)?.at === at) return told
    return [...told, { latitude: location.latitude, longitude: location.longitude, at }]
  }

  private proof(path: string): Answer | undefined {
    const [, deliveryId, type] = proofPath.exec(path) ?? []
    if (deliveryId === undefined || type === undefined) return undefined
    const row = this.engine.store.deliveries.get(deliveryId)
    const isCaptured = row?.proofs.some((proof) => proof.type === type) === true
    if (!isCaptured || !proofTypes.some((known) => known === type)) return undefined
    return page('image/svg+xml', proofImage(deliveryId, type))
  }
}

function toldLocation({ body }: RecordedEvent): TrailPoint[] {
  const event = tryParseJson(body)?.value
  const delivery = isRecord(event) ? event.delivery : undefined
  const driver = isRecord(delivery) ? delivery.driver : undefined
  const location = isRecord(driver) ? driver.location : undefined
  if (!isRecord(location)) return []
  const { latitude, longitude, updatedAt } = location
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return []
  return [{ latitude, longitude, at: typeof updatedAt === 'string' ? updatedAt : '' }]
}

function page(contentType: string, body: string): Answer {
  return { status: 200, headers: { ...pageHeaders, 'Content-Type': contentType }, body }
}

/** A proof of delivery as a drawing that says what it stands for. */
function proofImage(deliveryId: string, type: string): string {
  const title = escapeHtml(type.toUpperCase())
  const id = escapeHtml(deliveryId)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" width="640" height="400" role="img" aria-label="${title} of ${id}">
<rect width="640" height="400" fill="#f6f8fa"/>
<rect x="24" y="24" width="592" height="352" rx="16" fill="#fff" stroke="#57606a" stroke-width="2" stroke-dasharray="8 6"/>
<text x="320" y="190" font-family="system-ui, sans-serif" font-size="56" font-weight="700" fill="#1b1f24" text-anchor="middle">${title}</text>
<text x="320" y="240" font-family="ui-monospace, monospace" font-size="20" fill="#57606a" text-anchor="middle">${id}</text>
<text x="320" y="330" font-family="system-ui, sans-serif" font-size="16" fill="#57606a" text-anchor="middle">sandbox, not a real proof</text>
</svg>
`
}
