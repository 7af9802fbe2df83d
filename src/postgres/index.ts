/** Shared by everything on PostgreSQL: addresses with several hosts, sessions with the primary, migrations, errors. */
export {
  hasPassword,
  isPostgresAddress,
  type PostgresAddress,
  type PostgresHost,
  parsePostgresAddress,
  shownAddress,
} from './address.js'
export { type ConnectOptions, connectPostgres } from './connect.js'
export { type Connection, type Field, type QueryOptions, type Row, type Statement, timeouts } from './connection.js'
export { ConnectionLost, codeOf, DoubtfulWrite, databaseError, isPassing, isRefusal, NoPrimary } from './errors.js'
export { isMigrated, type Migrations, migrate } from './migrate.js'
export { refusePooler, sharesSessions } from './pooler.js'
