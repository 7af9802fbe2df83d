/** Shared by everything on PostgreSQL: addresses with several hosts, sessions with the primary, migrations, errors. */
export {
  type AccountRow,
  accountAmong,
  type DatabaseAccount,
  markAmong,
  markInDatabase,
  markToRead,
} from './accounts.js'
export {
  hasPassword,
  isPostgresAddress,
  type PostgresAddress,
  type PostgresHost,
  parsePostgresAddress,
  shownAddress,
} from './address.js'
export { bigintArray, byteaArray, textArray, timeArray } from './arrays.js'
export { type ConnectOptions, connectPostgres } from './connect.js'
export { type Connection, type Field, type QueryOptions, type Row, type Statement, timeouts } from './connection.js'
export {
  ConnectionLost,
  codeOf,
  DoubtfulWrite,
  databaseError,
  isPassing,
  isRefusal,
  isStatementPooling,
  NoPrimary,
} from './errors.js'
export { type DatabaseFinding, examineDatabase, noTablesFinding, okFinding } from './examine.js'
export { isMigrated, type Migrations, migrate } from './migrate.js'
export { exactTime } from './parameters.js'
export { beginTransaction, inTransaction } from './settings.js'
