import type { Delivery } from '../../contract/index.js'
import { escapeHtml } from './html.js'

const milestones = [
  ['accepted', 'Order accepted'],
  ['driver_assigned', 'Driver assigned'],
  ['driver_enroute_to_pickup', 'Driver on the way to the store'],
  ['driver_at_pickup', 'Driver at the store'],
  ['pickup_complete', 'Picked up'],
  ['driver_enroute_to_dropoff', 'On the way to you'],
  ['driver_at_dropoff', 'Driver has arrived'],
  ['delivered', 'Delivered'],
] as const

const style = `
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: #1b1f24; background: #f6f8fa }
  main { max-width: 36rem; margin: 2rem auto; padding: 1.5rem; background: #fff; border-radius: .75rem }
  h1 { font-size: 1.25rem; margin: 0 0 .25rem } p { margin: .25rem 0 } ol { padding-left: 1.25rem }
  li.done { color: #1a6b33 } li.todo { color: #57606a } li[aria-current] { font-weight: 700 }
  @media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117 } main { background: #161b22 }
    li.done { color: #7ee2a0 } li.todo { color: #9aa4af } a { color: #79c0ff } }`

/** The page that a recipient would follow a delivery on. */
export function trackingPage(delivery: Delivery): string {
  const reached = new Map((delivery.statusHistory ?? []).map((entry) => [entry.status, entry.occurredAt]))
  const steps = milestones.map(([status, label]) => {
    const at = reached.get(status)
    const current = delivery.status === status ? ' aria-current="step"' : ''
    const time =
      at === undefined
        ? ''
        : ` <time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 16).replace('T', ' '))} UTC</time>`
    return `<li class="${at === undefined ? 'todo' : 'done'}"${current}>${label}${time}</li>`
  })
  const reason = delivery.statusReason ?? undefined
  const driver = delivery.driver?.name ?? undefined
  const store = delivery.pickup?.businessName ?? delivery.pickup?.storeReference ?? 'the store'
  const proofs = (delivery.proofOfDelivery ?? []).flatMap(({ type, url }) =>
    typeof url === 'string' ? [`<li><a href="${escapeHtml(url)}">Proof: ${escapeHtml(type)}</a></li>`] : [],
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Delivery ${escapeHtml(delivery.deliveryId)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Your delivery from ${escapeHtml(store)}</h1>
<p role="status">Status: <strong>${escapeHtml(delivery.status.replaceAll('_', ' '))}</strong></p>
${reason === undefined ? '' : `<p>${escapeHtml(reason)}</p>`}
${driver === undefined ? '' : `<p>Your driver: ${escapeHtml(driver)}</p>`}
<ol aria-label="Progress">
${steps.join('\n')}
</ol>
${proofs.length === 0 ? '' : `<h2>Proof of delivery</h2>\n<ul>\n${proofs.join('\n')}\n</ul>`}
<p><small>Sandbox delivery ${escapeHtml(delivery.deliveryId)}: nothing of this is real.</small></p>
</main>
</body>
</html>
`
}
