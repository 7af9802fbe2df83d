import type { PlayProgress } from '../../scenarios/index.js'
import type { ProcessContext } from '../process/context.js'
import { canAnimate } from '../process/terminal.js'

const eraseLine = '\r\u001b[2K'
const everyMs = 100

/** Shows on a terminal how far a scenario is; elsewhere nothing. `clear` removes the line. */
export function playProgress({ stderr, env }: ProcessContext): { show(progress: PlayProgress): void; clear(): void } {
  if (!canAnimate({ stderr, env })) return { show: () => {}, clear: () => {} }
  let lastMs = Number.NEGATIVE_INFINITY
  let isDrawn = false
  return {
    show({ part, orders, events }) {
      const nowMs = performance.now()
      if (nowMs - lastMs < everyMs) return
      lastMs = nowMs
      isDrawn = true
      stderr.write(`${eraseLine}${Math.floor(part * 100)}% played: ${orders} orders, ${events} events`)
    },
    clear() {
      if (isDrawn) stderr.write(eraseLine)
      isDrawn = false
    },
  }
}
