import type { ArchiveQuery } from '../../archive/index.js'

/** A query, and the process that waits for its rows. */
interface QueryRequest extends ArchiveQuery {
  ownerPid: number
}

/** From the program to the process that runs a query: the query, then a word for each page that was printed. */
export type Request = QueryRequest | 'next'

/** From that process to the program. */
export type Reply =
  | { columns: string[] }
  | { rows: unknown[][] }
  | { ended: true }
  | { failed: { message: string; hint?: string | undefined; isUsage: boolean } }

/** The number of pages that the process is ahead of the program. */
export const pagesAhead = 2

/** The most memory that the process of a query may take, in bytes. */
export const memoryMax = 1_073_741_824
/** The signal with which it ends when it takes more. */
export const outOfMemory = 'SIGTERM'
