import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { dayMs } from '../../shared/durations.js'

/** Whether a notice that comes once a day is due; notes in the file's time of change that it was given. */
export function isNoticeDue(file: string, nowMs: number): boolean {
  try {
    const givenMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    // The clock may have been set back since.
    if (givenMs !== undefined && Math.abs(nowMs - givenMs) < dayMs) return false
    writeFileSync(file, '', { mode: 0o600 })
    utimesSync(file, nowMs / 1_000, nowMs / 1_000)
    return true
  } catch {
    return true // Where nothing can be noted, the notice comes each time.
  }
}
