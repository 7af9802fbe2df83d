import type { RejectedRecord } from '../records.js'

/** A request that is not taken: the answer's status, and why. */
export interface RejectionReport {
  status: number
  reason: string
  message: string
  hint?: string
}

/** Reasons that come by the thousand where there is one. */
const turnedAway: ReadonlySet<string> = new Set(['queue_full', 'reader_behind'])

/** Reports rejections as records. A flood that is turned away must not become a flood of records. */
export function rejectionReporter(onRecord: (record: RejectedRecord) => void): (rejection: RejectionReport) => void {
  const reportFlood = oncePerSecond(onRecord)
  return ({ reason, status, message, hint }) => {
    const record: RejectedRecord = {
      type: 'rejected',
      reason,
      status,
      message,
      ...(hint === undefined ? {} : { hint }),
    }
    if (turnedAway.has(reason)) reportFlood(record)
    else onRecord(record)
  }
}

/** The first of a second, then how many there were. */
function oncePerSecond(onRecord: (record: RejectedRecord) => void): (record: RejectedRecord) => void {
  let last: RejectedRecord | undefined
  let count = 0
  const report = () => {
    if (last !== undefined && count > 0) onRecord({ ...last, count })
    last = undefined
    count = 0
  }
  return (record) => {
    if (last === undefined) {
      onRecord(record)
      setTimeout(report, 1_000).unref()
    } else count++
    last = record
  }
}
