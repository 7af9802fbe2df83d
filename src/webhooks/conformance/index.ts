/** The conformance test of a receiver: what `webhooks test` plays and judges. */

export { junitOf } from './junit.js'
export type { DeliveryState } from './probe.js'
export type { CaseStatus } from './rules.js'
export { type Rule, rules } from './rules.js'
export {
  type BrokenRule,
  type CaseResult,
  type ConformanceOptions,
  type ConformanceReport,
  testReceiver,
} from './test-receiver.js'
