/** Conformance tests of a receiver, for `webhooks test`. */

export type { CaseVerdict } from './conformance-case.js'
export { type DeliveryState, type Outcome, outcomes } from './exchange.js'
export { junitOf } from './junit.js'
export { type Rule, rules } from './rules.js'
export {
  type ExaminationOptions,
  type ExaminationReport,
  type ExaminedCase,
  examineReceiver,
  type Fault,
} from './test-receiver.js'
