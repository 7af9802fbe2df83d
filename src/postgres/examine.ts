import type { PostgresAddress } from './address.js'
import { type ConnectOptions, connectPostgres } from './connect.js'
import type { Connection, Row } from './connection.js'
import { databaseError } from './errors.js'
import { poolingOf } from './pooler.js'

/** The outcome of one check of a database. */
export interface DatabaseFinding {
  check: string
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  hint: string | null
}

/** What a check is about. */
interface Examined {
  address: PostgresAddress
  /** The first word of each check, such as `journal`. */
  name: string
  /** The database's name in messages. */
  subject: string
  /** Whether locks, notifications and prepared statements are needed. */
  needsOwnSession: boolean
  /** Whatever else is checked, with a session. */
  further(connection: Connection): AsyncIterable<DatabaseFinding>
}

export function okFinding(check: string, finding: string): DatabaseFinding {
  return { check, verdict: 'ok', finding, hint: null }
}

/** `remedy` says who makes the tables. */
export function noTablesFinding(check: string, remedy: string): DatabaseFinding {
  return { check, verdict: 'warning', finding: 'There are no tables yet.', hint: remedy }
}

/** Looks at everything between this machine and a database that is written to. Ends with the first problem that hides the rest. */
export async function* examineDatabase(examined: Examined): AsyncGenerator<DatabaseFinding> {
  const { address, name, subject, further } = examined
  const problem = (error: unknown): DatabaseFinding => {
    const { message, hint } = databaseError(error, subject)
    return { check: name, verdict: 'problem', finding: message, hint: hint ?? null }
  }
  const options: ConnectOptions = { applicationName: 'dlv doctor' }
  let connection: Connection
  try {
    connection = await connectPostgres(address, options)
  } catch (error) {
    yield problem(error)
    return
  }
  try {
    yield okFinding(name, `${address.shown}, primary at ${connection.server}`)
    yield okFinding(`${name} version`, `PostgreSQL ${Math.floor(connection.version / 10_000)}`)
    yield await poolerFinding(connection, examined)
    yield await settingsFinding(connection, name)
    yield* further(connection)
  } catch (error) {
    yield problem(error)
  } finally {
    connection.destroy()
  }
}

async function poolerFinding(
  connection: Connection,
  { address, name, needsOwnSession }: Examined,
): Promise<DatabaseFinding> {
  const check = `${name} pooler`
  const pooling = await poolingOf(connection, () => connectPostgres(address, { applicationName: 'dlv doctor' }))
  if (pooling === 'none') return okFinding(check, 'none')
  if (pooling === 'session') return okFinding(check, 'a pooler in session mode')
  if (pooling === 'transaction' && !needsOwnSession) return okFinding(check, 'a pooler in transaction mode')
  return {
    check,
    verdict: 'problem',
    finding: `A pooler in ${pooling} mode is in front of the database: ${needsOwnSession ? 'locks and prepared statements break' : 'it has no transactions'}.`,
    hint: `Name the server itself, or set the pooler to session ${needsOwnSession ? '' : 'or transaction '}mode for this database.`,
  }
}

/** Settings that change how a program reads and writes, and what of them dlv decides by itself. */
const names = [
  ...['default_transaction_read_only', 'DateStyle', 'IntervalStyle', 'TimeZone', 'standard_conforming_strings'],
  ...['bytea_output', 'extra_float_digits', 'array_nulls', 'transform_null_equals', 'client_encoding', 'search_path'],
  ...['client_min_messages', 'default_transaction_isolation', 'default_transaction_deferrable', 'synchronous_commit'],
  ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'],
  'transaction_timeout',
]

const setByRole = `
SELECT split_part(setting, '=', 1) AS name, substr(setting, strpos(setting, '=') + 1) AS value,
  CASE WHEN setrole = 0 THEN 'database' WHEN setdatabase = 0 THEN 'role' ELSE 'role in this database' END AS by
FROM pg_db_role_setting, unnest(setconfig) AS setting
WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = current_user))
  AND lower(split_part(setting, '=', 1)) = ANY($1::text[])
ORDER BY 1`

const setByServer = `
SELECT name, setting AS value, 'server' AS by FROM pg_settings
WHERE source IN ('configuration file', 'command line') AND setting NOT IN ('0', 'off', 'read committed')
  AND name = ANY('{default_transaction_read_only,default_transaction_isolation,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,idle_session_timeout,transaction_timeout}')
ORDER BY 1`

/** Names what a role, a database or the server sets that would change what dlv does, if it did not set it itself. */
async function settingsFinding(connection: Connection, name: string): Promise<DatabaseFinding> {
  const check = `${name} settings`
  const found = [
    ...(await connection.query(setByRole, [names.map((one) => one.toLowerCase())])),
    ...(await connection.query(setByServer)),
  ]
  const shown = found.map(shownSetting).join(', ')
  const blocking = found.find(
    (row) => row.name === 'default_transaction_read_only' && /^(?:on|true|yes|1)$/i.test(String(row.value)),
  )
  if (blocking !== undefined)
    return {
      check,
      verdict: 'problem',
      finding: `The ${blocking.by} allows no writes: ${shown}.`,
      hint: 'Run ALTER ROLE … RESET default_transaction_read_only, or ALTER DATABASE …. Providers turn it on when a disk is full.',
    }
  const limit = found.find((row) => String(row.name).endsWith('_timeout') && !/^0/.test(String(row.value)))
  if (limit !== undefined)
    return {
      check,
      verdict: 'warning',
      finding: `Set for this user: ${shown}.`,
      hint: 'A listener sets its own; queries of --to and readers of a journal are ended by these.',
    }
  return okFinding(check, shown === '' ? 'nothing that matters' : `${shown}; dlv sets its own`)
}

function shownSetting({ name, value, by }: Row): string {
  return `${name} = ${value} (${by})`
}
