/** What the other modules of this package use beyond the public entry. */
export { eventIdOf } from './event-id.js'
export { readBody } from './receivers/request-body.js'
