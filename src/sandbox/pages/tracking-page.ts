import { type Delivery, milestones, terminalStatuses } from '../../contract/index.js'
import { deliveryWay, hasPlaces } from '../../drawings/delivery-way.js'
import { markupOf } from '../../drawings/local-map.js'
import { type DeliveryWay, wayCaption } from '../../drawings/way.js'
import { escapeHtml } from '../../shared/texts.js'
import { isActive, isProblemStatus } from '../../trade/statuses.js'

/** The style sheet of the tracking page. */
export const trackingStyle = `:root { color-scheme: light dark; --ground: #f3f5f8; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
  --good: #1a7f37; --now: #0969da; --bad: #b35900; --way-ground: #eef2f5; --way-grid: #dfe5ea; --way-text: #1b1f24;
  --way-quiet: #57606a; --way-planned: #6e7781; --way-trail: #0969da; --way-store: #1b1f24; --way-gate: #9a6700;
  --way-dropoff: #1a7f37 }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --card: #161b22; --text: #e6edf3; --quiet: #9aa4af;
  --line: #3d444d; --good: #3fb950; --now: #58a6ff; --bad: #f0883e; --way-ground: #0d131a; --way-grid: #1c242d;
  --way-text: #e6edf3; --way-quiet: #9aa4af; --way-planned: #7d8894; --way-trail: #58a6ff; --way-store: #e6edf3;
  --way-gate: #d4a72c; --way-dropoff: #3fb950 } }
*, ::before, ::after { box-sizing: border-box }
body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--text);
  background: var(--ground) }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 1rem }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25 }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem }
p { margin: .25rem 0; overflow-wrap: anywhere }
.eyebrow, footer, time, figcaption { color: var(--quiet); font-size: .875rem }
.badge { display: inline-block; width: .7rem; height: .7rem; margin-right: .5rem; border-radius: 50%;
  background: var(--now) }
.badge.good { background: var(--good) } .badge.bad { background: var(--bad) }
figure { margin: 1.25rem 0 0 } figcaption { margin-top: .5rem }
.way { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: .75rem }
@keyframes pulse { from { opacity: 1 } to { opacity: .35 } }
@media (prefers-reduced-motion: no-preference) { .way-pulse { animation: pulse 1.2s ease-in-out infinite alternate } }
ol { margin: 1.5rem 0 0; padding: 0; list-style: none }
ol li { position: relative; padding: 0 0 1rem 1.75rem }
ol li::before { content: ""; position: absolute; left: .25rem; top: .45rem; width: .75rem; height: .75rem;
  border: 2px solid var(--line); border-radius: 50%; background: var(--card) }
ol li::after { content: ""; position: absolute; left: .5625rem; top: 1.25rem; bottom: -.45rem; border-left: 2px solid var(--line) }
ol li:last-child { padding-bottom: 0 } ol li:last-child::after { display: none }
li.done::before { border-color: var(--good); background: var(--good) }
li.current::before { border-color: var(--now); background: var(--now); outline: 4px solid color-mix(in srgb, var(--now) 25%, transparent) }
li.trouble::before { border-color: var(--bad); background: var(--bad) }
li.current, li.trouble { font-weight: 600 } li.todo { color: var(--quiet) }
li time, li small { display: block; font-weight: 400 }
.proofs { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .75rem }
.proofs a { color: inherit; text-decoration: none }
.proofs img { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: .5rem }
footer { max-width: 34rem; margin: 1rem auto 0; text-align: center; overflow-wrap: anywhere }
#connection { margin: 0; color: var(--bad) }
`

/**
 * The script of the tracking page: it asks for the page's parts and replaces those that have changed. All text in them
 * was escaped by the server, and the page's policy lets nothing in them run.
 */
export const trackingScript = `'use strict'
const everyMs = 2000
const connection = document.getElementById('connection')
const motion = matchMedia('(prefers-reduced-motion: no-preference)')
let shown = {}
let isOver = false
let timer

function driver() {
  const mark = document.querySelector('.way-driver')
  return mark && { mark, x: mark.cx.baseVal.value, y: mark.cy.baseVal.value }
}

function glide(before) {
  const now = driver()
  if (!before || !now || !motion.matches) return
  const from = 'translate(' + (before.x - now.x) + 'px,' + (before.y - now.y) + 'px)'
  now.mark.animate([{ transform: from }, { transform: 'none' }], { duration: everyMs / 2, easing: 'ease-out' })
}

async function follow() {
  clearTimeout(timer)
  try {
    const response = await fetch(location.pathname + '/live', { cache: 'no-store' })
    if (!response.ok) throw new Error(response.statusText)
    const page = await response.json()
    const before = driver()
    document.title = page.title
    for (const [id, html] of Object.entries(page.parts)) {
      if (shown[id] !== html) document.getElementById(id).innerHTML = html
    }
    if (page.parts.map !== shown.map) glide(before)
    shown = page.parts
    isOver = page.isOver
    connection.textContent = ''
  } catch {
    connection.textContent = 'No connection; trying again.'
  }
  if (!isOver) timer = setTimeout(follow, document.hidden ? everyMs * 5 : everyMs)
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !isOver) follow()
})
follow()
`

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
