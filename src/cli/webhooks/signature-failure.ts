import { SignatureError } from '../../contract/index.js'
import { explainFailure, type FailedRequest, type Rejection } from '../../webhooks/index.js'

const unknownMistake =
  'None of the usual mistakes fits: the body or one of the three headers was changed on its way, or the secret is not this one.'

/** The report on a webhook that does not verify: the reason, the matching mistake, and what to do. */
export function signatureErrorOf(rejection: Rejection, request: FailedRequest): SignatureError {
  const explanation = explainFailure(request)
  const unexplained = rejection.reason === 'no_matching_signature' ? unknownMistake : undefined
  const hint = explanation?.hint ?? unexplained ?? rejection.hint
  const isOld = rejection.reason === 'timestamp_too_old' || rejection.reason === 'timestamp_too_new'
  const atItsTime = 'To judge it as of when it was signed: --at with its webhook-timestamp.'
  return new SignatureError(`It does not verify (${rejection.reason}): ${explanation?.message ?? rejection.message}.`, {
    reason: rejection.reason,
    hint: isOld ? [hint, atItsTime].filter(Boolean).join(' ') : hint,
  })
}
