import { proofTypes } from '../../contract/index.js'
import { accountById } from '../core/accounts.js'
import { deliveryView } from '../core/delivery-view.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { Answer, HttpExchange } from '../http/exchange.js'
import { proofImage } from './proof-image.js'
import { trackingPage } from './tracking-page.js'

const trackingPath = /^\/track\/([A-Za-z0-9_-]{1,128})$/
const proofPath = /^\/proofs\/([A-Za-z0-9_-]{1,128})\/([a-z]{1,20})\.svg$/

/** Nothing on these pages may run, whatever an order smuggles in. */
const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
}

/** The tracking page and proof images that answers of the service point to. */
export class Pages {
  constructor(private readonly engine: Engine) {}

  /** Nothing where the path is no page's. */
  answer(exchange: HttpExchange): Answer | undefined {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined
    return this.tracking(exchange.path) ?? this.proof(exchange.path)
  }

  private tracking(path: string): Answer | undefined {
    const [, deliveryId] = trackingPath.exec(path) ?? []
    if (deliveryId === undefined) return undefined
    const row = this.engine.store.deliveries.get(deliveryId)
    const account = row === undefined ? undefined : accountById(row.accountId)
    if (row === undefined || account === undefined) return undefined
    const delivery = deliveryView(worldOf(this.engine, account, this.engine.clock.nowMs()), row, { history: true })
    return page('text/html; charset=utf-8', trackingPage(delivery))
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

function page(contentType: string, body: string): Answer {
  return { status: 200, headers: { ...pageHeaders, 'Content-Type': contentType }, body }
}
