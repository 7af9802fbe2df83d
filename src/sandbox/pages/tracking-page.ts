import { type Delivery, terminalStatuses } from '../../contract/index.js'
import { escapeHtml } from '../../shared/escape-html.js'
import { statusLabel, type TrackingStep, trackingSteps } from './tracking-steps.js'

const style = `
:root { color-scheme: light dark; --ground: #f3f5f8; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
  --good: #1a7f37; --now: #0969da; --bad: #b35900 }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --card: #161b22; --text: #e6edf3; --quiet: #9aa4af;
  --line: #3d444d; --good: #3fb950; --now: #58a6ff; --bad: #f0883e } }
*, ::before, ::after { box-sizing: border-box }
body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--text);
  background: var(--ground) }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 1rem }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25 }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem }
p { margin: .25rem 0; overflow-wrap: anywhere }
.eyebrow, footer, time { color: var(--quiet); font-size: .875rem }
.badge { display: inline-block; width: .7rem; height: .7rem; margin-right: .5rem; border-radius: 50%;
  background: var(--now) }
.badge.good { background: var(--good) } .badge.bad { background: var(--bad) }
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
footer { max-width: 34rem; margin: 1rem auto 0; text-align: center; overflow-wrap: anywhere }`

/** The page on which a recipient would follow a delivery. */
export function trackingPage(delivery: Delivery): string {
  const { deliveryId, status, driver, pickup } = delivery
  const store = pickup?.businessName ?? pickup?.storeReference ?? 'the store'
  const isOver = terminalStatuses.has(status)
  const mood = status === 'delivered' ? 'good' : isOver || typeof delivery.statusReason === 'string' ? 'bad' : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${isOver ? '' : '<meta http-equiv="refresh" content="15">'}
<title>${escapeHtml(statusLabel(status))}: your delivery from ${escapeHtml(store)}</title>
<style>${style}
</style>
</head>
<body>
<main>
<p class="eyebrow">Your delivery from ${escapeHtml(store)}</p>
<h1 role="status"><span class="badge ${mood}"></span>${escapeHtml(statusLabel(status))}</h1>
${optional(delivery.statusReason, (reason) => `<p>${escapeHtml(reason)}</p>`)}
${optional(driver?.name, (name) => driverHtml(name, driver?.vehicleDescription))}
<ol aria-label="Progress">
${trackingSteps(delivery).map(stepHtml).join('\n')}
</ol>
${proofsHtml(delivery)}
</main>
<footer>Sandbox delivery ${escapeHtml(deliveryId)}: nothing of this is real.</footer>
</body>
</html>
`
}

function optional(text: string | null | undefined, html: (text: string) => string): string {
  return typeof text === 'string' && text !== '' ? html(text) : ''
}

function driverHtml(name: string, vehicle: string | null | undefined): string {
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

/** Thumbnails by their paths alone, so that they show whatever name the sandbox is called by. */
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
