/** The words of the contract without its schemas: for modules that a page in a browser loads as well. */

export { envelopeIssues, subjectIssues } from './event-issues.js'
export { informationalEventTypes } from './event-types.js'
export { oldestSinceMs } from './oldest-event.js'
export { deliveryStatuses, terminalStatuses } from './status-words.js'
export { typedCargo } from './values/texts.js'
