import { UsageError } from '../shared/dlv-error.js'

const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof tlsModes)[number]

const channelBindings = ['disable', 'prefer', 'require'] as const

/** Which server of several is wanted, as libpq has it. */
const sessionAttributes = ['any', 'read-write', 'primary', 'read-only', 'standby', 'prefer-standby'] as const
type SessionAttributes = (typeof sessionAttributes)[number]

/** Everything behind the `?` of an address that decides how to connect. */
export interface AddressParameters {
  /** `undefined`: none to this machine, and `verify-full` to any other. */
  tls: TlsMode | undefined
  tlsRootFile: string | undefined
  /** The client's certificate and its key, which prove the user instead of a password. */
  tlsCertificateFile: string | undefined
  tlsKeyFile: string | undefined
  tlsKeyPassword: string | undefined
  /** Begin with TLS instead of asking for it; for servers from version 17 on. */
  isTlsDirect: boolean
  channelBinding: (typeof channelBindings)[number]
  targetSession: SessionAttributes
  connectMs: number | undefined
  /** Passed on to the server or the pooler, such as `endpoint=…`. */
  options: string | undefined
}

/** Read in `address.ts`, where they name the server and the user. */
const places = ['host', 'port', 'user', 'dbname', 'password', 'passfile']
const used = [
  ...['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'sslnegotiation', 'channel_binding'],
  ...['target_session_attrs', 'connect_timeout', 'options'],
]
/**
 * Parameters that providers and other clients add, and that ask for nothing different here: sessions are named after their
 * purpose, connections are kept alive, hosts are tried in turn.
 */
const harmless = [
  ...['application_name', 'fallback_application_name', 'client_encoding', 'load_balance_hosts', 'gssencmode', 'sslsni'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout', 'sslcompression'],
  ...['pgbouncer', 'connection_limit', 'pool_timeout', 'uselibpqcompat'],
]

/**
 * Reads the parameters of an address, and the variables that stand for what it leaves out.
 *
 * @throws UsageError that names an unknown parameter or a value that cannot be used
 */
export function readParameters(query: URLSearchParams, env: NodeJS.ProcessEnv): AddressParameters {
  const known = [...places, ...used, ...harmless]
  const unknown = [...query.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`The PostgreSQL address has an unknown parameter "${unknown.slice(0, 40)}".`, {
      hint: `Known ones: ${[...places, ...used].filter((name) => !name.endsWith('password')).join(', ')}. dlv keeps its tables in schemas of its own.`,
    })
  const given = (name: string, variable: string) => query.get(name) ?? (env[variable] || undefined)
  const tls = given('sslmode', 'PGSSLMODE') ?? (query.get('ssl') === 'true' ? 'require' : undefined)
  if (query.get('gssencmode') === 'require')
    throw new UsageError('gssencmode=require is not supported.', { hint: 'Use sslmode=verify-full instead.' })
  return {
    // Allow means that TLS is used if the server insists; prefer is never weaker.
    tls: oneOf('sslmode', tlsModes, tls === 'allow' ? 'prefer' : tls),
    tlsRootFile: given('sslrootcert', 'PGSSLROOTCERT'),
    tlsCertificateFile: given('sslcert', 'PGSSLCERT'),
    tlsKeyFile: given('sslkey', 'PGSSLKEY'),
    tlsKeyPassword: query.get('sslpassword') ?? undefined,
    isTlsDirect: oneOf('sslnegotiation', ['postgres', 'direct'], query.get('sslnegotiation') ?? undefined) === 'direct',
    channelBinding: oneOf('channel_binding', channelBindings, given('channel_binding', 'PGCHANNELBINDING')) ?? 'prefer',
    targetSession:
      oneOf('target_session_attrs', sessionAttributes, given('target_session_attrs', 'PGTARGETSESSIONATTRS')) ?? 'any',
    connectMs: secondsOf(given('connect_timeout', 'PGCONNECT_TIMEOUT')),
    options: given('options', 'PGOPTIONS'),
  }
}

function oneOf<Value extends string>(
  name: string,
  values: readonly Value[],
  given: string | undefined,
): Value | undefined {
  if (given === undefined) return undefined
  const found = values.find((value) => value === given)
  if (found !== undefined) return found
  throw new UsageError(`${name} "${given}" is not known.`, { hint: `Use ${values.join(', ')}.` })
}

/** The most that is waited for one host. */
const longestConnectSeconds = 60

/** As in libpq, 0 is no limit; here it is a minute. */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text))
    throw new UsageError(`connect_timeout "${text}" is not a number of seconds.`, {
      hint: 'Such as connect_timeout=10.',
    })
  return Math.min(Number(text) || longestConnectSeconds, longestConnectSeconds) * 1_000
}

/** How a server has to write and read times, for every session and transaction. */
export const timeSettings = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' } as const

/** The ids of `date`, `timestamp` and `timestamptz` in `pg_type`. */
export const timeTypes: ReadonlySet<number> = new Set([1082, 1114, 1184])

/**
 * Reads a time. The client's own parser gives `null` for one in another DateStyle than ISO, which looks like an empty column.
 *
 * @throws UsageError for a time that cannot be read
 */
export function readTime(text: string, parse: (text: string) => unknown): unknown {
  const value = parse(text)
  const isReadable = value instanceof Date ? !Number.isNaN(value.getTime()) : value !== null
  if (isReadable) return value
  throw new UsageError(`The database writes the time "${text}" in a DateStyle other than ISO.`, {
    hint: "A pooler in between ignores what its client asks for. Run ALTER ROLE … SET DateStyle = 'ISO', or name the server itself.",
  })
}

/** An expression for a time as text, to the microsecond and the same under every DateStyle and TimeZone. */
export function exactTime(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
