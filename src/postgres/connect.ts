import { UsageError } from '../shared/dlv-error.js'
import type { PostgresAddress, PostgresHost } from './address.js'
import { backendIdOf, connectClient } from './client.js'
import type { Connection } from './connection.js'
import { failureWord, isRefusal, NoPrimary, UntrustedServer } from './errors.js'
import { sessionOf } from './session.js'

const minVersion = 140_000

export interface ConnectOptions {
  /** The session's name in pg_stat_activity. */
  applicationName?: string
  /** Standbys will do: for reading. */
  acceptStandby?: boolean
  /** For the whole session, such as `idle_session_timeout`. */
  settings?: Readonly<Record<string, string>>
  /** Which host is tried first. */
  firstHost?: number
}

/**
 * Connects to the first host that is the primary, each in turn.
 *
 * @throws NoPrimary if there is none
 * @throws the server's error if it rejects the user, and UsageError if it is too old
 */
export async function connectPostgres(address: PostgresAddress, options: ConnectOptions = {}): Promise<Connection> {
  const reasons: string[] = []
  let hasStandby = false
  let hint: string | undefined
  const { hosts } = address
  for (let offset = 0; offset < hosts.length; offset++) {
    const host = hosts[(offset + (options.firstHost ?? 0)) % hosts.length]
    if (host === undefined) continue
    try {
      const { connection, isStandby } = await openSession(address, host, options)
      if (!isStandby || options.acceptStandby === true) return connection
      connection.destroy()
      hasStandby = true
      reasons.push(`${host.name} is a standby`)
    } catch (error) {
      if (isRefusal(error) || error instanceof UsageError) throw error
      if (error instanceof UntrustedServer) {
        reasons.push(`${host.name} ${error.message}`)
        hint = error.hint
      } else reasons.push(`${host.name} is unreachable (${failureWord(error)})`)
    }
  }
  throw new NoPrimary(reasons, hasStandby, hint)
}

/** A session on one host, primary or not. */
async function openSession(
  address: PostgresAddress,
  host: PostgresHost,
  options: ConnectOptions,
): Promise<{ connection: Connection; isStandby: boolean }> {
  const client = await connectClient(address, host, options.applicationName)
  let isPooled = false
  let version = 0
  const session = sessionOf(client, host, {
    version: () => version,
    isPooled: () => isPooled,
  })
  try {
    // A role or a database may weaken these; a stronger setting of the server stays. Compiling statements that touch a
    // few rows costs more than it saves.
    const settings = {
      client_min_messages: 'warning',
      standard_conforming_strings: 'on',
      jit: 'off',
      ...options.settings,
    }
    const names = Object.keys(settings)
    const [found] = await session.query(
      `SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid, current_setting('server_version_num')::int AS version,
        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
          THEN set_config('synchronous_commit', 'on', false) END,
        ${names.map((name, at) => `set_config('${name}', $${at + 1}, false)`).join(', ')}`,
      Object.values(settings),
    )
    version = Number(found?.version)
    isPooled = Number(found?.pid) !== backendIdOf(client)
    if (version < minVersion)
      throw new UsageError(`PostgreSQL ${Math.floor(version / 10_000)} at ${host.name} is too old.`, {
        hint: 'It has to be version 14 or newer.',
      })
    return { connection: session, isStandby: found?.standby === true }
  } catch (error) {
    session.destroy()
    throw error
  }
}
