/** The words of the contract without its schemas: for modules that a page in a browser loads as well. */

export { deliveryStatuses, terminalStatuses } from './status-words.js'
