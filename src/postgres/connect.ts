import { UsageError } from '../shared/dlv-error.js'
import type { PostgresAddress, PostgresHost } from './address.js'
import { backendIdOf, type Client, connectClient, localPortOf } from './client.js'
import type { Connection, Row } from './connection.js'
import {
  ConnectionLost,
  codeOf,
  failureWord,
  isAnswer,
  isRefusal,
  NoPrimary,
  ReadOnlySession,
  UntrustedServer,
} from './errors.js'
import { refuseLoadBalancing, refusePooler } from './pooler.js'
import { sessionOf } from './session.js'
import { setOwnSettings } from './settings.js'

const minVersion = 140_000

export interface ConnectOptions {
  /** The session's name in pg_stat_activity. */
  applicationName?: string
  /** Standbys will do: for reading. */
  acceptStandby?: boolean
  /**
   * Whether the session has to belong to this process until it ends, for locks, notifications and settings. Without it,
   * nothing may be left in a session: a pooler hands it on.
   */
  isOwn?: boolean
  /** For the whole of such a session, such as `idle_session_timeout`. */
  settings?: Readonly<Record<string, string>>
  /** Which host is tried first. */
  firstHost?: number
}

/** What was found out of hosts of an address, so that it is asked once. */
const examined = new WeakMap<PostgresAddress, { own: Set<string>; single: Set<string> }>()

function examinedOf(address: PostgresAddress) {
  const known = examined.get(address) ?? { own: new Set<string>(), single: new Set<string>() }
  examined.set(address, known)
  return known
}

/**
 * Connects to the first host that is the primary, each in turn.
 *
 * @throws NoPrimary if there is none
 * @throws the server's error if it rejects the user, and UsageError if it is too old, or something in between cannot be used
 */
export async function connectPostgres(address: PostgresAddress, options: ConnectOptions = {}): Promise<Connection> {
  const reasons: string[] = []
  let hasStandby = false
  let hint: string | undefined
  let answer: unknown
  const wanted = wantedOf(address, options)
  let spare: Connection | undefined
  const { hosts } = address
  for (let offset = 0; offset < hosts.length; offset++) {
    const host = hosts[(offset + (options.firstHost ?? 0)) % hosts.length]
    if (host === undefined) continue
    try {
      const { connection, isStandby } = await openSession(address, host, options)
      if (wanted === 'any' || (wanted === 'primary') === !isStandby) {
        spare?.destroy()
        return connection
      }
      if (wanted === 'prefer-standby' && spare === undefined) spare = connection
      else connection.destroy()
      hasStandby ||= isStandby
      reasons.push(`${host.name} is ${isStandby ? 'a standby' : 'the primary'}`)
    } catch (error) {
      if (isRefusal(error) || error instanceof UsageError || error instanceof ReadOnlySession) throw error
      if (error instanceof UntrustedServer) {
        reasons.push(`${host.name} ${error.message}`)
        hint = error.hint
      } else if (isAnswer(error)) {
        answer = error
        reasons.push(`${host.name} answered: ${failureWord(error)}`)
      } else if (error instanceof ConnectionLost) {
        answer ??= error
        reasons.push(`${host.name} took the login, and then: ${error.message}`)
      } else reasons.push(`${host.name} is unreachable (${failureWord(error)})`)
    }
  }
  if (spare !== undefined) return spare
  throw new NoPrimary(reasons, hasStandby, hint, { cause: answer })
}

/** Which servers will do, by what is read or written and by `target_session_attrs`. */
function wantedOf(
  { targetSession }: PostgresAddress,
  { acceptStandby = false }: ConnectOptions,
): 'any' | 'primary' | 'standby' | 'prefer-standby' {
  const asksStandby = targetSession === 'standby' || targetSession === 'read-only'
  if (!acceptStandby) {
    if (!asksStandby) return 'primary'
    throw new UsageError(`target_session_attrs=${targetSession} asks for a server that takes no writes.`, {
      hint: 'Leave it out, or use target_session_attrs=read-write.',
    })
  }
  if (asksStandby) return 'standby'
  if (targetSession === 'prefer-standby') return targetSession
  return targetSession === 'any' ? 'any' : 'primary'
}

const facts = `SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid, inet_client_port() AS port,
  current_setting('server_version_num')::int AS version, current_setting('transaction_read_only') AS read_only`

/** A standby has no serializable transactions, and a role may have them by default. */
async function factsOf(session: Connection): Promise<Row | undefined> {
  try {
    return (await session.query(facts))[0]
  } catch (error) {
    if (codeOf(error) !== '0A000') throw error
    await session.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    const [found] = await session.query(facts)
    await session.query('COMMIT')
    return found
  }
}

/** A session on one host, primary or not. */
async function openSession(
  address: PostgresAddress,
  host: PostgresHost,
  options: ConnectOptions,
): Promise<{ connection: Connection; isStandby: boolean }> {
  const client = await connectClient(address, host, options.applicationName)
  let isPooled = false
  let isOwn = false
  let version = 0
  const session = sessionOf(client, host, {
    version: () => version,
    isPooled: () => isPooled,
    isOwn: () => isOwn,
  })
  try {
    const found = await factsOf(session)
    version = Number(found?.version)
    isPooled = Number(found?.pid) !== backendIdOf(client)
    const isStandby = found?.standby === true
    if (version < minVersion)
      throw new UsageError(`PostgreSQL ${Math.floor(version / 10_000)} at ${host.name} is too old.`, {
        hint: 'It has to be version 14 or newer.',
      })
    await examine(session, { address, host, options, isDirect: !isPooled && isSamePort(client, found) })
    if (options.isOwn === true && !isStandby) {
      if (found?.read_only === 'on') throw new ReadOnlySession(`${host.name} begins read-only transactions`)
      isOwn = true
      await setOwnSettings(session, options.settings)
    }
    return { connection: session, isStandby }
  } catch (error) {
    session.destroy()
    throw error
  }
}

/** Whether the server sees the very socket of this process: then nothing is in between. */
function isSamePort(client: Client, found: Row | undefined): boolean {
  return found?.port != null && Number(found.port) === localPortOf(client)
}

/** Looks once for what makes the servers behind one name unusable. */
async function examine(session: Connection, { address, host, options, isDirect }: ExaminedHost): Promise<void> {
  if (isDirect) return
  const { own, single } = examinedOf(address)
  if (!single.has(host.name)) {
    await refuseLoadBalancing(session)
    single.add(host.name)
  }
  if (options.isOwn !== true || own.has(host.name)) return
  const shared = { applicationName: 'dlv check', acceptStandby: true }
  await refusePooler(session, async () => (await openSession(address, host, shared)).connection, address)
  own.add(host.name)
}

interface ExaminedHost {
  address: PostgresAddress
  host: PostgresHost
  options: ConnectOptions
  isDirect: boolean
}
