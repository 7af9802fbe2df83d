/** The archive of an account: deliveries, events and orders in a file, also of what the service forgets. */

export { backfillArchive } from './backfill.js'
export { type CurrentOptions, currentArchive, failureOf } from './current.js'
export {
  type ArchiveFile,
  type ArchivePaths,
  archiveError,
  archivePaths,
  hasArchive,
  openForReading,
  readAgain,
  removeDatabase,
} from './database.js'
export { isFromOrder } from './delivery-draft.js'
export { deliveryRowsOf, type IncomingEvent, inflated, searchText } from './event-rows.js'
export type { Coverage } from './files.js'
export { gapsIn, type Period } from './files.js'
export {
  type ArchiveService,
  type Filled,
  type FillOptions,
  type FillProgress,
  type FollowOptions,
  fillArchive,
  followArchive,
  warnOf,
} from './fill.js'
export type { WrittenPage } from './ingest.js'
export {
  type ListedDelivery,
  type ListPlace,
  type ListQuery,
  listDeliveries,
} from './list.js'
export { ArchiveInUse, archiveWriter } from './lock.js'
export { lacksOrders, takeOrders } from './orders.js'
export { archivedTexts } from './people.js'
export { type ArchiveQuery, type QueryParameter, runQuery } from './query.js'
export {
  type ArchivedDelivery,
  ArchiveReader,
  type RowOf,
} from './reader.js'
export { archiveSchema, type ExampleQuery, exampleQueries, type Relation, schemaHint, valuesNote } from './relations.js'
export { type Column, type ColumnType, type Table, type TableName, tables } from './tables.js'
export {
  type ArchiveWriter,
  openArchive,
  type WriterOptions,
} from './writer.js'

/** The archive in PostgreSQL, which loads its client; few have one. */
export const postgresArchive = async () => ({
  ...(await import('./postgres/copy.js')),
  ...(await import('./postgres/query.js')),
  ...(await import('./postgres/examine.js')),
})
