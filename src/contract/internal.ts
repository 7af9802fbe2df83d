/** The words of the contract without its schemas: for modules that a page in a browser loads as well. */

export { envelopeIssues, subjectIssues } from './event-guards.js'
export { informationalEventTypes } from './event-types.js'
export { oldestSinceMs } from './limits.js'
export type { FaultRule } from './sandbox-words.js'
export { magicWords } from './sandbox-words.js'
export { deliveryStatuses, terminalStatuses } from './status-words.js'
export { typedCargo } from './values/texts.js'
