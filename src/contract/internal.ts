/** The words of the contract without its schemas: for modules that a page in a browser loads as well. */

export { milestoneIndex } from './lifecycle.js'
export {
  deliveryStatuses,
  isKnownDeliveryStatus,
  milestones,
  statusReasonCodes,
  terminalStatuses,
} from './status-words.js'
