import type { RejectedRecord } from '../records.js'

/** A request that was turned away: the status of the response, and why. */
export interface RejectionReport {
  status: number
  reason: string
  message: string
  hint?: string
  /** As the request claims. */
  webhookId?: string
}

export interface RejectionReporter {
  report(rejection: RejectionReport): void
  /** Reports at once what is still being counted. */
  flush(): void
}

/** For each reason at most one record in this time. */
const reportedEveryMs = 1_000

/**
 * Reports rejections as records, so that a flood of bad requests does not become a flood of records: the first of a
 * reason at once, then at most one a second that counts what came meanwhile.
 */
export function rejectionReporter(onRecord: (record: RejectedRecord) => void): RejectionReporter {
  const counting = new Map<string, { last: RejectionReport; count: number; timer: NodeJS.Timeout }>()

  const conclude = (reason: string) => {
    const { last, count, timer } = counting.get(reason) ?? {}
    counting.delete(reason)
    clearTimeout(timer)
    if (last === undefined || count === undefined || count === 0) return
    onRecord({ type: 'rejected', ...last, count })
    wait(last)
  }
  const wait = (last: RejectionReport) => {
    const timer = setTimeout(conclude, reportedEveryMs, last.reason).unref()
    counting.set(last.reason, { last, count: 0, timer })
  }
  return {
    report(rejection) {
      const counted = counting.get(rejection.reason)
      if (counted === undefined) {
        onRecord({ type: 'rejected', ...rejection })
        wait(rejection)
      } else {
        counted.last = rejection
        counted.count++
      }
    },
    flush() {
      for (const reason of [...counting.keys()]) conclude(reason)
    },
  }
}
