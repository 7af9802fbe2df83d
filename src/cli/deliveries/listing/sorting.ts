import { deliveryStatuses } from '../../../contract/index.js'
import type { Chosen } from './chosen.js'
import type { Listing, SortKey } from './filters.js'

type Sort = NonNullable<Listing['sort']>

/** The order of two deliveries in a list. */
type Comparison = (one: Chosen, other: Chosen) => number

/** The first `most` deliveries in the given order; not much more than these are held in memory. `counted` is told of how many. */
export async function* sortedOf(
  chosen: AsyncIterable<Chosen>,
  compare: Comparison,
  most: number,
  counted: (total: number) => void,
): AsyncGenerator<Chosen> {
  let held: Chosen[] = []
  let total = 0
  for await (const each of chosen) {
    total++
    held.push(each)
    if (held.length >= 2 * most + 1_000) held = held.sort(compare).slice(0, most)
  }
  counted(total)
  yield* held.sort(compare).slice(0, most)
}

/** How a list is ordered here; `undefined` for the order of the service. */
export function orderOf({ sort, problem }: Listing): Comparison | undefined {
  if (sort !== undefined) return comparing(sort)
  return problem ? worstFirst : undefined
}

/** Times are newest first, statuses in the order of their lifecycle, texts by the alphabet with numbers by size. */
function comparing({ key, isReversed }: Sort): Comparison {
  const texts = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  const keyOf = keys[key]
  const direction = isReversed ? -1 : 1
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    // What has no key comes last either way.
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : texts.compare(String(a), String(b))
    return order * direction || (keys.created(one) ?? 0) - (keys.created(other) ?? 0)
  }
}

/** Problems with the worst first: what did not arrive, then what is late, the latest first, then what is stuck for longest. */
function worstFirst({ problem: one }: Chosen, { problem: other }: Chosen): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return (
    Number(one.isPast) - Number(other.isPast) ||
    Number(one.isExpected) - Number(other.isExpected) ||
    other.lateMs - one.lateMs ||
    one.sinceMs - other.sinceMs
  )
}

const newest = (time: string | null | undefined): number | undefined => {
  const atMs = Date.parse(time ?? '')
  return Number.isNaN(atMs) ? undefined : -atMs
}

const lifecycle: readonly string[] = deliveryStatuses

const keys = {
  created: ({ row }) => newest(row.createdAt),
  updated: ({ row }) => newest(row.updatedAt),
  status({ row }) {
    const place = lifecycle.indexOf(row.status)
    return place === -1 ? lifecycle.length : place
  },
  reference: ({ row }) => row.clientOrderReference ?? undefined,
  store: ({ store }) => store,
} satisfies Record<SortKey, (chosen: Chosen) => number | string | undefined>

/** The order of the service. */
export const newestFirst = (): Comparison => comparing({ key: 'created', isReversed: false })
