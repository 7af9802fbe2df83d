/** The beginning of every id in the contract; a service may have others. */
export const deliveryIdPrefix = 'del_'

/** An id as it is read back as this id and nothing else: `del_…`, or `id:…` where it could be an order's reference. */
export function deliveryWord(deliveryId: string): string {
  return deliveryId === '' || deliveryId.startsWith(deliveryIdPrefix) ? deliveryId : `id:${deliveryId}`
}
