import { explainFailure, type FailedRequest, type Rejection } from '../../webhooks/index.js'
import type { RejectedRecord } from '../records.js'

/** A rejected request: the status of the response, and the reason. */
export interface RejectionReport {
  status: number
  reason: string
  message: string
  hint?: string
  /** As the request claims. */
  webhookId?: string
}

interface RejectionReporter {
  report(rejection: RejectionReport): void
  /** Reports at once what is still being counted. */
  flush(): void
}

/** For each reason at most one record in this time. */
const reportedEveryMs = 1_000
/** An outage of the journal's database lasts: it is told less and less often. */
const outageReportedEveryMs = 60_000

/**
 * Reports rejections as records, so that a flood of bad requests does not become a flood of records: the first of a
 * reason at once, then at most one a second that counts what came meanwhile.
 */
export function rejectionReporter(onRecord: (record: RejectedRecord) => void): RejectionReporter {
  const counting = new Map<string, { last: RejectionReport; count: number; everyMs: number; timer: NodeJS.Timeout }>()

  const conclude = (reason: string) => {
    const { last, count, everyMs = reportedEveryMs, timer } = counting.get(reason) ?? {}
    counting.delete(reason)
    clearTimeout(timer)
    if (last === undefined || count === undefined || count === 0) return
    onRecord({ type: 'rejected', ...last, count })
    wait(last, reason === 'not_kept' ? Math.min(2 * everyMs, outageReportedEveryMs) : everyMs)
  }
  const wait = (last: RejectionReport, everyMs = reportedEveryMs) => {
    const timer = setTimeout(conclude, everyMs, last.reason).unref()
    counting.set(last.reason, { last, count: 0, everyMs, timer })
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

/** Explaining a failure costs dozens of HMACs, and strangers must not be able to order them at will. */
const explanationsPerSecond = 5
const explainedBodyMaxBytes = 65_536

/** Hints for requests that failed to verify; none if no mistake is recognized or too many requests fail. */
export function failureHints(): (
  verdict: Rejection,
  request: FailedRequest & { nowSeconds: number },
) => { hint?: string } {
  let spent = { second: 0, count: 0 }
  return ({ reason }, request) => {
    const second = Math.floor(request.nowSeconds)
    if (spent.second !== second) spent = { second, count: 0 }
    if (request.body.length > explainedBodyMaxBytes || spent.count >= explanationsPerSecond) return {}
    // The verdict says all that there is to say of a clock.
    if (reason === 'timestamp_too_old' || reason === 'timestamp_too_new') return {}
    spent.count++
    const explanation = explainFailure(request)
    return explanation === undefined ? {} : { hint: `${explanation.message}. ${explanation.hint}` }
  }
}
