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
