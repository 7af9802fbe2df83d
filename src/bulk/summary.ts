import { type ExitCode, exitCodes } from '../shared/exit-codes.js'
import type { Counts } from './outcome.js'
import type { StopReason } from './stop-reason.js'

/** The result of a run. */
export interface RunSummary {
  /** Rows by outcome, including those of earlier runs on the same results file. */
  counts: Counts
  /** Rows that an earlier run had settled. */
  earlier: number
  /** Rows that were read but not settled, which a resumed run settles. Rows that were not read are not counted. */
  left: number
  /** Why the run ended before its last row; `undefined` if it did not. */
  stopped: StopReason | undefined
  /** The failure behind it. */
  cause: unknown
  /** When the service accepts requests again, if it has said so. */
  resumeAt: Date | undefined
}

/** Exit codes of a stopped run; results that cannot be written count as an outage. */
const stoppedExitCodes: Readonly<Record<StopReason, ExitCode>> = {
  outage: exitCodes.noAnswer,
  wait: exitCodes.rateLimited,
  time: exitCodes.rateLimited,
  unauthorized: exitCodes.notAllowed,
  proxy: exitCodes.notAllowed,
  interrupted: exitCodes.interrupted,
  record: exitCodes.noAnswer,
}

/** The exit code of a run: 0 if every row succeeded, 9 if some did not. */
export function runExitCode({ counts, stopped }: Pick<RunSummary, 'counts' | 'stopped'>): ExitCode {
  if (stopped !== undefined) return stoppedExitCodes[stopped]
  return counts.failed + counts.conflict + counts.unknown > 0 ? exitCodes.otherOutcome : exitCodes.done
}
