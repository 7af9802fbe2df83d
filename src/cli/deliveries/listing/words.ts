/** The parts that `--with` can add to a list, from the deliveries themselves, their events, or the orders that were sent from here. */
export const addable = ['reason', 'store', 'driver', 'eta', 'sent'] as const
export type Addable = (typeof addable)[number]

export const sortKeys = ['created', 'updated', 'status', 'reference', 'store'] as const
export type SortKey = (typeof sortKeys)[number]
