/** Does the service still keep its contract? */
export { baselineText, readBaseline } from './baseline.js'
export { checkEvent } from './check-event.js'
export { checkResponse, type ObservedResponse, operationOf } from './check-response.js'
export { type Finding, type FindingKind, Findings, findingKinds, keyOf } from './finding.js'
export { junitOf } from './junit.js'
export { type Observed, observedOfHar, observedOfLine } from './recorded.js'
