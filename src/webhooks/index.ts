/** Signed webhooks: sign, verify, explain, receive. */
export { type Explanation, explainFailure, type FailedRequest, type NamedSecret } from './explain-failure.js'
export type { HeaderSource } from './header-lines.js'
export { type Mistake, mistakes } from './mistake.js'
export { type Post, type PostFailure, type PostOutcome, post } from './post.js'
export { newSecret, type ParsedSecret, parseSecret } from './secret.js'
export { type SignatureHeaders, type SignedContent, sign, signatureHeaders } from './signature.js'
export {
  type Acceptance,
  answerStatusOf,
  type Rejection,
  type Verdict,
  type VerdictReason,
  verdictReasons,
} from './verdict.js'
export { defaultMaxBodyBytes, type VerifyInput, verify } from './verify.js'
