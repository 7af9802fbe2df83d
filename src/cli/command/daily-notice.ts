import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { dayMs } from '../../shared/durations.js'

/** Whether a daily notice is due. The modification time of the file records when it was last printed. */
export function isNoticeDue(file: string, nowMs: number): boolean {
  try {
    const givenMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    // The clock may have been set back since.
    if (givenMs !== undefined && Math.abs(nowMs - givenMs) < dayMs) return false
    writeFileSync(file, '', { mode: 0o600 })
    utimesSync(file, nowMs / 1_000, nowMs / 1_000)
    return true
  } catch {
    return true // If nothing can be recorded, the notice is printed each time.
  }
}
