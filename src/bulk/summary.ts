import { type ExitCode, exitCodes } from '../shared/exit-codes.js'
import type { Counts } from './outcome.js'
import type { StopReason } from './stop-reason.js'

/** How a run ended. */
export interface RunSummary {
  /** Rows by outcome, those of earlier runs on the same results file included. */
  counts: Counts
  /** Rows that an earlier run had settled. */
  earlier: number
  /** Rows that were read and are not settled; a resumed run settles them. Rows not yet read are not counted. */
  left: number
  /** Why the run ended before its last row; `undefined` if it did not. */
  stopped: StopReason | undefined
  /** The failure behind it. */
  cause: unknown
  /** When the service will take requests again, as far as it has said. */
  resumeAt: Date | undefined
}

/** Exit codes of a run that was stopped; if the results cannot be written it is paused as by an outage. */
const stoppedExitCodes: Readonly<Record<StopReason, ExitCode>> = {
  outage: exitCodes.noAnswer,
  wait: exitCodes.rateLimited,
  time: exitCodes.rateLimited,
  unauthorized: exitCodes.notAllowed,
  interrupted: exitCodes.interrupted,
  record: exitCodes.noAnswer,
}

/** The exit code of a run: 0 if every row's delivery is there, 9 if some are not. */
export function runExitCode({ counts, stopped }: Pick<RunSummary, 'counts' | 'stopped'>): ExitCode {
  if (stopped !== undefined) return stoppedExitCodes[stopped]
  return counts.failed + counts.conflict + counts.unknown > 0 ? exitCodes.otherOutcome : exitCodes.done
}
