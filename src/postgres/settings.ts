import type { Connection } from './connection.js'
import { timeSettings } from './parameters.js'

/** What a transaction has to set to mean the same for every role and database. */
const transactionSettings: Readonly<Record<string, string>> = {
  client_min_messages: 'warning',
  standard_conforming_strings: 'on',
  IntervalStyle: 'postgres',
  ...timeSettings,
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
}

/**
 * The settings of a session that belongs to one process. A role, a database or a server may have others: times that cannot be read,
 * isolation under which two writers fail, timeouts that end a session which waits for work.
 */
const ownSettings: Readonly<Record<string, string>> = {
  ...transactionSettings,
  transform_null_equals: 'off',
  search_path: 'pg_catalog',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // Compiling statements that touch a few rows costs more than it saves.
  jit: 'off',
}

/** Sets up a session that nobody else gets; a stronger synchronous_commit of the server stays. */
export async function setOwnSettings(
  connection: Connection,
  further: Readonly<Record<string, string>> = {},
): Promise<void> {
  const settings = { ...ownSettings, ...further }
  const names = Object.keys(settings)
  const calls = names.map((name, at) => `set_config('${name}', $${at + 1}, false)`)
  if (connection.version >= 170_000) calls.push("set_config('transaction_timeout', '0', false)")
  await connection.query(
    `SELECT ${strongCommit(false)}, ${calls.join(', ')}`,
    names.map((name) => settings[name]),
  )
}

function strongCommit(isLocal: boolean): string {
  return `CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
    THEN set_config('synchronous_commit', 'on', ${isLocal}) END`
}

interface TransactionOptions {
  isReadOnly?: boolean
  /** For this transaction. Values are texts of this program, never of a user. */
  settings?: Readonly<Record<string, string>>
  /** Whether its commit has to reach the standby. */
  isDurable?: boolean
  timeoutMs?: number
}

/** Begins a transaction whose settings end with it: behind a pooler, no other program gets them. */
export async function beginTransaction(connection: Connection, options: TransactionOptions = {}): Promise<void> {
  const waiting = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }
  // A default of READ ONLY is somebody's decision, and is not overruled.
  await connection.query(
    `BEGIN ISOLATION LEVEL READ COMMITTED${options.isReadOnly === true ? ' READ ONLY' : ''}`,
    [],
    waiting,
  )
  const calls = Object.entries({ ...transactionSettings, ...options.settings }).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`,
  )
  if (options.isReadOnly !== true) calls.push(strongCommit(true))
  await connection.query(`SELECT ${calls.join(', ')}`, [], waiting)
}

/** Does something in one transaction; rolls it back if that fails. */
export async function inTransaction<Result>(
  connection: Connection,
  options: TransactionOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const { isDurable = false, timeoutMs } = options
  try {
    await beginTransaction(connection, options)
    const result = await work()
    await connection.query('COMMIT', [], { isDurable, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
    return result
  } catch (error) {
    if (!connection.isLost()) await connection.query('ROLLBACK').catch(() => {})
    throw error
  }
}
