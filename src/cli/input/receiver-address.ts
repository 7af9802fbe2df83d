import { UsageError } from '../../contract/index.js'
import { parseWebAddress, webAddress } from '../../shared/web-address.js'

/** Throws `UsageError` if the text is not an http or https URL. */
export function checkReceiver(address: string, flag: string): void {
  parseWebAddress(address, flag)
}

/** Throws `UsageError` if the text is not an http or https URL with a place for the id of a delivery. */
export function checkStateUrl(address: string): void {
  if (address.includes('{deliveryId}') && webAddress(address.replace('{deliveryId}', 'del_1')) !== undefined) return
  throw new UsageError('--state-url must be a URL with {deliveryId}.', {
    hint: 'For example http://localhost:3000/state/{deliveryId}, which returns {"status": "delivered", "processed": 9}.',
  })
}
