/** The archive of an account: deliveries, events and orders in a file, also of what the service forgets. */

export { backfillArchive } from './backfill.js'
export { inflated } from './bodies.js'
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
export { deliveryRowsOf, type IncomingEvent, type Step, searchText } from './event-rows.js'
export { type ExampleQuery, exampleQueries } from './examples.js'
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
export {
  type ListedDelivery,
  type ListPlace,
  type ListQuery,
  listDeliveries,
} from './list.js'
export { ArchiveInUse, archiveWriter } from './lock.js'
export { takeOrders } from './orders.js'
export { gapsIn, type Period } from './periods.js'
export { type ArchiveQuery, type QueryParameter, runQuery } from './query.js'
export {
  type ArchivedDelivery,
  ArchiveReader,
  type CurrentOptions,
  currentArchive,
  type RowOf,
} from './reader.js'
export { archiveSchema, type Relation, schemaHint, valuesNote } from './schema.js'
export { type Column, type ColumnType, type Table, type TableName, tables } from './tables.js'
export {
  type ArchiveWriter,
  type Coverage,
  openArchive,
  type WriterOptions,
  type WrittenPage,
} from './writer.js'

/** The archive in PostgreSQL, which loads its client; few have one. */
export const postgresArchive = async () => ({
  ...(await import('./postgres/copy.js')),
  ...(await import('./postgres/query.js')),
  ...(await import('./postgres/examine.js')),
})
