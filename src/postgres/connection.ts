import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { UsageError } from '../shared/dlv-error.js'
import { isLoopback } from '../shared/loopback.js'
import type { PostgresAddress, PostgresHost } from './address.js'
import { ConnectionLost, codeOf, DoubtfulWrite, isRefusal, NoPrimary } from './errors.js'

export type Row = Record<string, unknown>

/** A statement; one with a name is prepared once for each connection. */
export interface Statement {
  name?: string
  text: string
}

export interface QueryOptions {
  /** The connection is given up after this time; 3,000 ms unless given, 0 for no limit. */
  timeoutMs?: number
  /**
   * Whether a warning makes the result worthless and ends the connection: a commit whose wait for the standby was
   * cancelled is reported as a success with a warning.
   */
  isDurable?: boolean
}

/** One session with the primary. Statements run one after another. */
export interface Connection {
  /** The server: `one:5432`. */
  readonly server: string
  /** The server's version, such as 150004. */
  readonly version: number
  /** Whether something between here and the server answers in its name. */
  readonly isPooled: boolean
  query(statement: string | Statement, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>
  isLost(): boolean
  /** Called once, when the connection has ended however it did. */
  onLost(listener: () => void): void
  onNotification(listener: (channel: string) => void): void
  /** Ends it without waiting for anything. */
  destroy(): void
  close(): Promise<void>
}

export const timeouts = { connectMs: 1_000, queryMs: 3_000 }

const minVersion = 140_000

export interface ConnectOptions {
  /** How the session is listed in pg_stat_activity. */
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
      reasons.push(`${host.name} is unreachable (${failureWord(error)})`)
    }
  }
  throw new NoPrimary(reasons, hasStandby)
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  ENOENT: 'no such socket',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name not found',
  ETIMEDOUT: 'timed out',
  '53300': 'too many connections',
  '57P03': 'it is starting or stopping',
}

function failureWord(error: unknown): string {
  const nested: unknown = error instanceof AggregateError ? error.errors[0] : error
  return words[codeOf(nested) ?? ''] ?? (nested instanceof Error ? nested.message : String(nested))
}

/** A session on one host, primary or not. */
async function openSession(
  address: PostgresAddress,
  host: PostgresHost,
  options: ConnectOptions,
): Promise<{ connection: Connection; isStandby: boolean }> {
  const client = await connectClient(address, host, options)
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

type Client = import('pg').Client

/** The number that the server gave this session; a pooler gives one of its own. */
function backendIdOf(client: Client): number | undefined {
  return (client as Client & { processID?: number }).processID
}

async function connectClient(address: PostgresAddress, host: PostgresHost, options: ConnectOptions): Promise<Client> {
  const { default: pg } = await import('pg')
  const isLocal = host.host.startsWith('/') || isLoopback(host.host)
  const tls = address.tls ?? (isLocal ? 'disable' : 'prefer')
  const connect = async (ssl: ClientConfig['ssl']) => {
    const client = new pg.Client({
      host: host.host,
      port: host.port,
      user: address.user,
      database: address.database,
      // As a function, so that neither the client nor its environment is searched for another one.
      password: () => address.passwordFor(host),
      ssl: ssl ?? false,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      connectionTimeoutMillis: timeouts.connectMs,
      application_name: options.applicationName ?? 'dlv',
    })
    // Errors of a connection that nobody uses any more would end the process.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      destroyClient(client)
      // The client refuses to answer without one, in words of its own.
      const isMissing = error instanceof Error && error.message.startsWith('SASL') && address.passwordFor(host) === ''
      if (isMissing) throw Object.assign(new Error(`no password is set for user "${address.user}"`), { code: '28P01' })
      throw error
    }
  }
  if (tls === 'disable') return connect(false)
  const ca = address.tlsRootFile === undefined ? {} : { ca: readFileSync(address.tlsRootFile, 'utf8') }
  if (tls === 'verify-full') return connect({ ...ca, rejectUnauthorized: true })
  if (tls === 'verify-ca') return connect({ ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined })
  try {
    return await connect({ ...ca, rejectUnauthorized: false })
  } catch (error) {
    const hasNone = error instanceof Error && error.message.includes('does not support SSL')
    if (hasNone && tls === 'prefer') return connect(false)
    throw error
  }
}

function destroyClient(client: Client) {
  const { connection } = client as Client & { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}

function sessionOf(
  client: Client,
  { name: server }: PostgresHost,
  found: { version(): number; isPooled(): boolean },
): Connection {
  let isLost = false
  let isWarned = false
  let abandon: ((error: Error) => void) | undefined
  const lostListeners: (() => void)[] = []
  let last: Promise<unknown> = Promise.resolve()

  const lose = (why: string) => {
    if (isLost) return
    isLost = true
    destroyClient(client)
    abandon?.(new ConnectionLost(why))
    for (const listener of lostListeners) listener()
  }
  client.on('end', () => lose(`the connection to ${server} ended`))
  client.on('error', (error: Error) => lose(`the connection to ${server} failed (${failureWord(error)})`))
  // Texts are translated and may be anything; a notice without a warning has the code 00000.
  client.on('notice', ({ code }) => {
    if (code !== undefined && code !== '00000') isWarned = true
  })

  async function run(statement: Statement, values: readonly unknown[], options: QueryOptions): Promise<Row[]> {
    if (isLost) throw new ConnectionLost(`the connection to ${server} has ended`)
    isWarned = false
    const { timeoutMs = timeouts.queryMs } = options
    const timer =
      timeoutMs === 0 ? undefined : setTimeout(lose, timeoutMs, `${server} did not answer within ${timeoutMs} ms`)
    try {
      const answered = client.query({ ...statement, values: [...values] }) as Promise<{ rows?: Row[] }>
      const given = new Promise<never>((_, reject) => {
        abandon = reject
      })
      const { rows = [] } = await Promise.race([answered, given])
      if (options.isDurable === true && isWarned) {
        lose(`${server} warned during a write`)
        throw new DoubtfulWrite(`${server} warned that a write may not have reached its standby`)
      }
      return rows
    } catch (error) {
      // Errors of the server have a code of five characters; without one it is the connection that failed.
      if (error instanceof DoubtfulWrite || codeOf(error)?.length === 5) throw error
      lose(`the connection to ${server} failed`)
      throw error instanceof ConnectionLost
        ? error
        : new ConnectionLost(`the connection to ${server} failed (${failureWord(error)})`, { cause: error })
    } finally {
      abandon = undefined
      clearTimeout(timer)
    }
  }

  return {
    server,
    get version() {
      return found.version()
    },
    get isPooled() {
      return found.isPooled()
    },
    query(statement, values = [], options = {}) {
      const whole = typeof statement === 'string' ? { text: statement } : statement
      const result = last.then(() => run(whole, values, options))
      last = result.catch(() => {})
      return result
    },
    isLost: () => isLost,
    onLost(listener) {
      if (isLost) listener()
      else lostListeners.push(listener)
    },
    onNotification(listener) {
      client.on('notification', ({ channel }) => listener(channel))
    },
    destroy: () => lose(`the connection to ${server} was closed`),
    async close() {
      await last
      if (isLost) return
      isLost = true
      const timer = setTimeout(destroyClient, timeouts.connectMs, client)
      await client.end().catch(() => {})
      clearTimeout(timer)
    },
  }
}
