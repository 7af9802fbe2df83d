/** The archive of an account: deliveries, events and orders in a file, also of what the service forgets. */

export {
  type ArchiveFile,
  type ArchivePaths,
  archiveError,
  archivePaths,
  hasArchive,
  openForReading,
} from './database.js'
export { type Column, type ColumnType, type Table, type TableName, tables } from './tables.js'
