/** The archive of an account: deliveries, events and orders in a file, also of what the service forgets. */

export {
  type ArchiveFile,
  type ArchivePaths,
  archiveError,
  archivePaths,
  hasArchive,
  openForReading,
} from './database.js'
export { type ExampleQuery, exampleQueries } from './examples.js'
export { type ArchiveQuery, type QueryParameter, runQuery } from './query.js'
export { archiveSchema, type Relation } from './schema.js'
export { type Column, type ColumnType, type Table, type TableName, tables } from './tables.js'
