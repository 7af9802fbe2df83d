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
import type { CallResult } from './call.js'
import type { CallOptions } from './options.js'

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
 * @throws UsageError for an operation without pages; ContractError if a cursor comes back a second time: the list would
 *   never end
 */
export async function* answersOf<Name extends PagedName>(
  call: Call,
  name: Name,
  query: QueryOf<Name> | undefined,
  options?: CallOptions,
): AsyncGenerator<CallResult<OutputOf<Name>>, void, undefined> {
  pageOf(name)
  const recentCursors = new Set<string>()
  let cursor = (query as { cursor?: string } | undefined)?.cursor
  for (;;) {
    const pageQuery = { ...query, cursor }
    const answer = await call(name, { query: pageQuery } as unknown as InputOf<Name>, options)
    yield answer
    const next = (answer.value as { nextCursor?: string | null }).nextCursor
    if (next === undefined || next === null || next === '') return
    if (next === cursor || recentCursors.has(next)) throw endless(name, answer.requestId)
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

/** Number of previous cursors to compare with the next one, to detect a loop. */
const rememberedCursors = 1_000

function remember(cursors: Set<string>, cursor: string): void {
  cursors.add(cursor)
  const [oldest] = cursors
  if (cursors.size > rememberedCursors && oldest !== undefined) cursors.delete(oldest)
}

function endless(name: PagedName, requestId: string | undefined): ContractError {
  return new ContractError(`${operationDescriptors[name].path} gave the same cursor twice: the list would never end`, {
    operation: name,
    issues: ['nextCursor: was given before'],
    requestId,
  })
}
