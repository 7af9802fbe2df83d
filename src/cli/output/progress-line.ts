import type { ProcessContext } from '../process/context.js'
import { canAnimate } from '../process/terminal.js'

const eraseLine = '\r\u001b[2K'
const everyMs = 100

/** Shows on a terminal how far a command is; elsewhere nothing. `clear` removes the line. */
export function progressLine({ stderr, env }: ProcessContext): { show(text: string): void; clear(): void } {
  if (!canAnimate({ stderr, env })) return { show: () => {}, clear: () => {} }
  let lastMs = Number.NEGATIVE_INFINITY
  let isDrawn = false
  return {
    show(text) {
      const nowMs = performance.now()
      if (nowMs - lastMs < everyMs) return
      lastMs = nowMs
      isDrawn = true
      stderr.write(`${eraseLine}${text}`)
    },
    clear() {
      if (isDrawn) stderr.write(eraseLine)
      isDrawn = false
    },
  }
}
