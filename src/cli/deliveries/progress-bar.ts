import { progressBar, progressWords, type RunProgress } from '../../render/run-view.js'
import type { OutputStream, ProcessContext } from '../process/context.js'
import { canAnimate } from '../process/terminal.js'

/** Shows the progress of a run on stderr. */
export interface RunReporter {
  show(progress: RunProgress): void
  /** Removes the bar, so that something else can be printed. */
  clear(): void
}

/** Time between two lines if the bar cannot be redrawn. */
const lineEveryMs = 5_000

const eraseLine = '\r\u001b[2K'

/**
 * A bar that redraws itself on a terminal; elsewhere a plain line every five seconds, or nothing if output is held
 * back.
 */
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
