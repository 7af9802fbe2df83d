import { type Delivery, milestones, terminalStatuses } from '../../contract/index.js'
import { deliveryWay, hasPlaces } from '../../drawings/delivery-way.js'
import { markupOf } from '../../drawings/shape.js'
import type { DeliveryWay } from '../../drawings/way.js'
import { wayCaption } from '../../drawings/way-text.js'
import { escapeHtml } from '../../shared/escape-html.js'
import { isActive, isProblemStatus } from '../../trade/statuses.js'

/** The path of the page's files. */
export const trackingAssets = { style: '/track/page.css', script: '/track/follow.js', icon: '/track/icon.svg' }

/** A part of the page: an element's id and its content. */
type Parts = Record<'eyebrow' | 'heading' | 'facts' | 'map' | 'steps' | 'proofs', string>

/** The state that the page shows; its script polls for it. */
export interface TrackingState {
  title: string
  parts: Parts
  /** Nothing will change any more. */
  isOver: boolean
}

/** The page's title and parts. Every text of the order in them is escaped. */
export function trackingState(delivery: Delivery, way: DeliveryWay): TrackingState {
  const { status, driver, pickup } = delivery
  const store = pickup?.businessName ?? pickup?.storeReference ?? 'the store'
  const isOver = terminalStatuses.has(status)
  const mood = status === 'delivered' ? 'good' : isOver || typeof delivery.statusReason === 'string' ? 'bad' : ''
  return {
    title: `${statusLabel(status)}: your delivery from ${store}`,
    isOver,
    parts: {
      eyebrow: `Your delivery from ${escapeHtml(store)}`,
      heading: `<span class="badge ${mood}"></span>${escapeHtml(statusLabel(status))}`,
      facts:
        optional(delivery.statusReason, (reason) => `<p>${escapeHtml(reason)}</p>`) +
        optional(driver?.name, (name) => driverHtml(name, driver?.vehicleDescription, isOver)),
      map: hasPlaces(way) ? mapHtml(way) : '',
      steps: trackingSteps(delivery).map(stepHtml).join('\n'),
      proofs: proofsHtml(delivery),
    },
  }
}

/** The page on which a recipient would follow a delivery. */
export function trackingPage(deliveryId: string, { title, parts, isOver }: TrackingState): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${trackingAssets.icon}">
<link rel="stylesheet" href="${trackingAssets.style}">
${isOver ? '' : `<noscript><meta http-equiv="refresh" content="15"></noscript>\n<script src="${trackingAssets.script}" defer></script>`}
</head>
<body>
<main>
<p class="eyebrow" id="eyebrow">${parts.eyebrow}</p>
<div role="status"><h1 id="heading">${parts.heading}</h1></div>
<p id="connection" role="alert"></p>
<div id="facts">${parts.facts}</div>
<div id="map">${parts.map}</div>
<ol aria-label="Progress" id="steps">
${parts.steps}
</ol>
<div id="proofs">${parts.proofs}</div>
</main>
<footer>Sandbox delivery ${escapeHtml(deliveryId)}. Nothing here is real.</footer>
</body>
</html>
`
}

function mapHtml(way: DeliveryWay): string {
  return `<figure>${markupOf(deliveryWay(way))}${optional(wayCaption(way), (text) => `<figcaption>${escapeHtml(text)}</figcaption>`)}</figure>`
}

function optional(text: string | null | undefined, html: (text: string) => string): string {
  return typeof text === 'string' && text !== '' ? html(text) : ''
}

function driverHtml(name: string, vehicle: string | null | undefined, isOver: boolean): string {
  if (isOver) return `<p>Your driver was ${escapeHtml(name)}.</p>`
  return `<p>${escapeHtml(name)} drives${optional(vehicle, (text) => ` a ${escapeHtml(text)}`)}.</p>`
}

function stepHtml({ label, at, reason, state }: TrackingStep): string {
  const current = state === 'current' ? ' aria-current="step"' : ''
  const time = optional(at, (text) => `<time datetime="${escapeHtml(text)}">${escapeHtml(timeText(text))}</time>`)
  const why = optional(reason, (text) => `<small>${escapeHtml(text)}</small>`)
  return `<li class="${state}"${current}>${escapeHtml(label)}${why}${time}</li>`
}

function timeText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}

/** Thumbnails only by their paths, so that they show whatever name the sandbox is called by. */
function proofsHtml({ proofOfDelivery }: Delivery): string {
  const proofs = (proofOfDelivery ?? []).flatMap(({ type, url }) => {
    const path = typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : undefined
    if (path === undefined) return []
    return [
      `<a href="${escapeHtml(path)}"><img src="${escapeHtml(path)}" width="640" height="400" alt="Proof: ${escapeHtml(type)}"></a>`,
    ]
  })
  return proofs.length === 0 ? '' : `<h2>Proof of delivery</h2>\n<div class="proofs">\n${proofs.join('\n')}\n</div>`
}

/** One line of the progress that a recipient sees. */
interface TrackingStep {
  label: string
  /** ISO-8601; absent for what is still to come. */
  at?: string | undefined
  reason?: string | undefined
  state: 'done' | 'current' | 'trouble' | 'todo'
}

const labels: Readonly<Record<string, string>> = {
  scheduled: 'Scheduled',
  accepted: 'Order accepted',
  dispatch_failed: 'No driver found yet',
  reassigning: 'Looking for another driver',
  driver_assigned: 'Driver assigned',
  driver_enroute_to_pickup: 'Driver on the way to the store',
  driver_at_pickup: 'Driver at the store',
  pickup_complete: 'Picked up',
  driver_enroute_to_dropoff: 'On the way to you',
  driver_at_dropoff: 'Driver has arrived',
  delivered: 'Delivered',
  failed: 'Could not be delivered',
  return_in_progress: 'On the way back to the store',
  returned: 'Returned to the store',
  cancelled: 'Cancelled',
  expired: 'Expired',
}

/** A status in words for a recipient, those of tomorrow's contract too. */
function statusLabel(status: string): string {
  const words = status.replaceAll('_', ' ')
  return labels[status] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** The steps so far, in order, and those still to come unless the delivery has ended. */
function trackingSteps({ status, statusHistory }: Delivery): TrackingStep[] {
  const past = (statusHistory ?? []).map(({ status, occurredAt, statusReason }, index, all): TrackingStep => {
    const reached = status ?? ''
    const isCurrent = index === all.length - 1 && isActive(reached)
    return {
      label: statusLabel(reached),
      at: occurredAt ?? undefined,
      reason: statusReason ?? undefined,
      state: isProblemStatus(reached) || reached === 'cancelled' ? 'trouble' : isCurrent ? 'current' : 'done',
    }
  })
  return [...past, ...comingStatuses(status).map((name): TrackingStep => ({ label: statusLabel(name), state: 'todo' }))]
}

function comingStatuses(status: string): readonly string[] {
  if (!isActive(status)) return []
  if (status === 'return_in_progress') return ['returned']
  const at = (milestones as readonly string[]).indexOf(status)
  return milestones.slice(at < 0 ? milestones.indexOf('driver_assigned') : at + 1)
}
