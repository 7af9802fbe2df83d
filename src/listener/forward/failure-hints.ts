import { explainFailure, type FailedRequest, type Rejection } from '../../webhooks/index.js'

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
