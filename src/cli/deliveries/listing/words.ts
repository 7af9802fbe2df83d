/** The parts that `--with` can add to a list, each from the deliveries themselves or from their events. */
export const addable = ['reason', 'store', 'driver', 'eta'] as const
export type Addable = (typeof addable)[number]

export const sortKeys = ['created', 'updated', 'status', 'reference', 'store'] as const
export type SortKey = (typeof sortKeys)[number]
