import { progressBar, progressWords, type RunProgress } from '../../render/run-progress.js'
import type { OutputStream, ProcessContext } from '../process/context.js'
import { canAnimate } from '../process/terminal.js'

/** Shows on stderr how a run stands. */
export interface RunReporter {
  show(progress: RunProgress): void
  /** Takes the bar off the screen, so that something else can be printed there. */
  clear(): void
}

/** Time between two lines where nothing can be drawn over. */
const lineEveryMs = 5_000

const eraseLine = '\r\u001b[2K'

/** A bar that redraws itself on a terminal; elsewhere a plain line every five seconds, or nothing where it is held. */
export function runReporter(context: Pick<ProcessContext, 'stderr' | 'env'>, isHeld: boolean): RunReporter {
  if (isHeld) return { show: () => undefined, clear: () => undefined }
  return canAnimate(context) ? animated(context.stderr) : plain(context.stderr)
}

function animated(stderr: OutputStream): RunReporter {
  let isDrawn = false
  return {
    show(progress) {
      stderr.write(`${eraseLine}${progressBar(progress, stderr.columns ?? 80)}`)
      isDrawn = true
    },
    clear() {
      if (isDrawn) stderr.write(eraseLine)
      isDrawn = false
    },
  }
}

function plain(stderr: OutputStream): RunReporter {
  let lastMs = performance.now()
  return {
    show(progress) {
      const nowMs = performance.now()
      if (nowMs - lastMs < lineEveryMs) return
      lastMs = nowMs
      stderr.write(`${progressWords(progress)}\n`)
    },
    clear: () => undefined,
  }
}
