import {
  ContractError,
  type InputOf,
  type OperationDescriptor,
  type OperationName,
  type OperationTypes,
  type OutputOf,
  operationDescriptors,
  UsageError,
} from '../contract/index.js'
import type { CallOptions, CallResult } from './options.js'

/** The operations that answer in pages. */
export type PagedName = {
  [Name in OperationName]: OperationTypes[Name] extends { item: unknown } ? Name : never
}[OperationName]

/** The query of an operation that answers in pages. */
export type QueryOf<Name extends PagedName> = OperationTypes[Name]['query']

/** The arguments for an operation's pages; the query is optional if the service does not need one. */
export type QueryArguments<Name extends PagedName> =
  Record<never, never> extends QueryOf<Name>
    ? [query?: QueryOf<Name>, options?: CallOptions]
    : [query: QueryOf<Name>, options?: CallOptions]

/** One item of an operation's pages. */
export type ItemOf<Name extends PagedName> = OperationTypes[Name]['item']

type Call = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options?: CallOptions,
) => Promise<CallResult<OutputOf<Name>>>

/**
 * Pages one after the other: each asks with the same filters and the cursor that the one before gave.
 *
 * @throws UsageError for an operation without pages; ContractError if a cursor or a page comes back: the list would never
 *   end
 */
export async function* answersOf<Name extends PagedName>(
  call: Call,
  name: Name,
  query: QueryOf<Name> | undefined,
  options?: CallOptions,
): AsyncGenerator<CallResult<OutputOf<Name>>, void, undefined> {
  const recentCursors = new Map<string, number>()
  const isRepeated = repetition(pageOf(name))
  let cursor = (query as { cursor?: string } | undefined)?.cursor
  for (;;) {
    const pageQuery = { ...query, cursor }
    const answer = await call(name, { query: pageQuery } as unknown as InputOf<Name>, options)
    if (isRepeated(answer.value)) throw endless(name, answer.requestId, 'gave the same page again')
    yield answer
    const next = (answer.value as { nextCursor?: string | null }).nextCursor
    if (next === undefined || next === null || next === '') return
    if (next === cursor || recentCursors.has(next)) throw endless(name, answer.requestId, 'gave the same cursor twice')
    remember(recentCursors, next)
    cursor = next
  }
}

/**
 * The property that holds the items of an operation's page.
 *
 * @throws UsageError for an operation that has none
 */
export function pageOf(name: PagedName): string {
  const row: OperationDescriptor | undefined = operationDescriptors[name]
  if (row?.pageOf !== undefined) return row.pageOf
  const paged = Object.entries(operationDescriptors).filter(([, { pageOf }]) => pageOf !== undefined)
  throw new UsageError(`"${name}" is not an operation with pages`, {
    hint: `Those are ${paged.map(([known]) => known).join(', ')}.`,
  })
}

/** Number of previous cursors and pages to compare with the next one, to detect a loop. */
const rememberedPages = 1_000

function remember(known: Map<string, number>, one: string, times = 1): void {
  known.delete(one)
  known.set(one, times)
  const [oldest] = known.keys()
  if (known.size > rememberedPages && oldest !== undefined) known.delete(oldest)
}

/** How many pages without an item may follow one another: a filter of the service can pass over some. */
const emptyPagesMax = 1_000

/**
 * Whether a page has come before, under whatever cursor. A page of one item can come twice if others were added in front
 * of it meanwhile.
 */
function repetition(member: string): (page: unknown) => boolean {
  const seen = new Map<string, number>()
  let empty = 0
  return (page) => {
    const items = (page as Record<string, unknown> | null)?.[member]
    if (!Array.isArray(items)) return false
    empty = items.length === 0 ? empty + 1 : 0
    if (empty > 0) return empty > emptyPagesMax
    const mark = JSON.stringify([items.length, items[0], items.at(-1)])
    const times = (seen.get(mark) ?? 0) + 1
    remember(seen, mark, times)
    return times > (items.length === 1 ? 2 : 1)
  }
}

function endless(name: PagedName, requestId: string | undefined, what: string): ContractError {
  return new ContractError(`${operationDescriptors[name].path} ${what}: the list would never end`, {
    operation: name,
    issues: ['nextCursor: was given before'],
    requestId,
  })
}
