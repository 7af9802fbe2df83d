import type { Counts } from './outcome.js'
import type { StopReason } from './stop-reason.js'

/** How a run ended. */
export interface RunSummary {
  /** Rows by outcome, those of earlier runs on the same results file included. */
  counts: Counts
  /** Rows that an earlier run had settled. */
  earlier: number
  /** Rows that were taken up and are not settled; a resumed run settles them. Rows not yet read are not counted. */
  left: number
  /** Why the run ended before its last row; `undefined` if it did not. */
  stopped: StopReason | undefined
  /** The failure behind it. */
  cause: unknown
  /** When the service will take requests again, as far as it has said. */
  resumeAt: Date | undefined
}

/** Exit codes of a run that was stopped; if the results cannot be written it is paused as by an outage. */
const stoppedExitCodes = { outage: 8, wait: 7, time: 7, unauthorized: 3, interrupted: 130, record: 8 } as const

/** The exit code of a run: 0 if every row's delivery is there, 9 if some are not. */
export function runExitCode({ counts, stopped }: Pick<RunSummary, 'counts' | 'stopped'>): number {
  if (stopped !== undefined) return stoppedExitCodes[stopped]
  return counts.failed + counts.conflict + counts.unknown > 0 ? 9 : 0
}
