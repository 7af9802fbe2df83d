import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { readBoundedFile, UnusableFileError } from '../shared/directory.js'
import { UsageError } from '../shared/dlv-error.js'
import { type AddressParameters, readParameters } from './parameters.js'

/** One server of a pair, or a directory with its socket. */
export interface PostgresHost {
  host: string
  port: number
  /** The name in messages: `one:5432`. */
  name: string
}

/** A database and the servers that may hold it. */
export interface PostgresAddress extends Omit<AddressParameters, 'tlsRootFile'> {
  hosts: readonly PostgresHost[]
  user: string
  database: string
  /** By the server's host if there is none yet: a password file may have one for each. */
  passwordFor(host: PostgresHost): string
  /** Certificate authorities to trust. Default: the system's. */
  tlsRootFile: string | undefined
  /** With all hosts and without the password, as records and messages show it. */
  shown: string
}

/** Whether a text names a database rather than a file. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:/i.test(text)
}

/** Whether an address holds a password, which belongs in no command line: every user of a machine can read those. */
export function hasPassword(text: string): boolean {
  const { userinfo = '', query = '' } = partsOf(text) ?? {}
  const parameters = new URLSearchParams(query)
  return userinfo.includes(':') || parameters.has('password') || parameters.has('sslpassword')
}

const shape =
  /^postgres(?:ql)?:\/\/(?:(?<userinfo>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/i

/** Whether a password holds a character that ends it: the rest of it would be taken for a host, a port or a name. */
function isTorn(text: string): boolean {
  return /^[^/]*\/\/[^/?#]*[/?#].*@/.test(text)
}

function partsOf(text: string): Record<string, string | undefined> | undefined {
  return shape.exec(text)?.groups
}

const example = 'Expected postgres://user@one:5432,two:5432/name.'

/**
 * Reads an address with one or more hosts. What it leaves out comes from the variables that every PostgreSQL client
 * knows, such as PGUSER, PGDATABASE, PGPASSWORD, PGPASSFILE and PGSSLMODE.
 *
 * @throws UsageError that never repeats the text, which may hold a password
 */
export function parsePostgresAddress(text: string, env: NodeJS.ProcessEnv): PostgresAddress {
  const parts = partsOf(text)
  if (parts === undefined || isTorn(text))
    throw new UsageError('The PostgreSQL address is not a valid URL.', {
      hint: `${example} Write / ? # @ and % of a password as %2F %3F %23 %40 and %25.`,
    })
  const query = new URLSearchParams(parts.query ?? '')
  const { tlsRootFile, ...parameters } = readParameters(query, env)
  const [user, password] = decoded(parts.userinfo ?? '', 2)
  const hosts = hostsOf(
    query.get('host') ?? (parts.hosts || env.PGHOST || 'localhost'),
    query.get('port') ?? env.PGPORT ?? '5432',
  )
  const owner = user || query.get('user') || env.PGUSER || userInfo().username
  const database = decoded(parts.database ?? '', 1)[0] || query.get('dbname') || env.PGDATABASE || owner
  const given = password ?? query.get('password') ?? env.PGPASSWORD
  const passfile = query.get('passfile') ?? env.PGPASSFILE
  return {
    ...parameters,
    hosts,
    user: owner,
    database,
    passwordFor: (host) =>
      given ?? passwordOfFile(env, passfile, [host.host, String(host.port), database, owner]) ?? '',
    tlsRootFile: rootFileOf(tlsRootFile, env),
    shown: `postgres://${encodeURIComponent(owner)}@${hosts.map(({ name }) => name).join(',')}/${encodeURIComponent(database)}`,
  }
}

/** An address as records and messages may show it. */
export function shownAddress(text: string, env: NodeJS.ProcessEnv): string {
  return parsePostgresAddress(text, env).shown
}

/** Percent-decoded parts between colons; everything behind the last one belongs to it. */
function decoded(text: string, count: number): (string | undefined)[] {
  const at = count === 2 ? text.indexOf(':') : -1
  const parts = at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
  try {
    return parts.map(decodeURIComponent)
  } catch {
    throw new UsageError('The PostgreSQL address has a % that encodes nothing.', {
      hint: 'Write a % of a user, password or database name as %25.',
    })
  }
}

/** Hosts with ports of their own, or with those of a list of its own: one for each host, or one for all. */
function hostsOf(text: string, ports: string): PostgresHost[] {
  const given = ports.split(',')
  return text.split(',').map((one, at) => {
    const [name = ''] = decoded(one, 1)
    const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(name) ?? []
    const host = bracketed ?? plain
    const port = Number(digits ?? (given[at] || given[0] || 5432))
    if (host === undefined || host === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
      throw new UsageError('The PostgreSQL address has a host that cannot be read.', { hint: example })
    return { host, port, name: `${bracketed === undefined ? host : `[${host}]`}:${port}` }
  })
}

/** `system` stands for the certificate authorities of the system; the file in the home directory is libpq's default. */
function rootFileOf(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (given) return given === 'system' ? undefined : given
  const usual = join(env.HOME ?? homedir(), '.postgresql', 'root.crt')
  return existsSync(usual) ? usual : undefined
}

/** The password of `PGPASSFILE`, or of `.pgpass` in the home directory: lines of host:port:database:user:password. */
function passwordOfFile(
  env: NodeJS.ProcessEnv,
  given: string | undefined,
  wanted: readonly string[],
): string | undefined {
  // The usual way to say that no file has a password.
  if (given === '/dev/null') return undefined
  const file = given ?? join(env.HOME ?? homedir(), '.pgpass')
  let text: string
  try {
    text = readBoundedFile(file)
  } catch (error) {
    if (given === undefined) return undefined
    const why = error instanceof UnusableFileError ? `: ${error.message}` : ''
    throw new UsageError(`Cannot read PGPASSFILE ${file}${why}.`, { hint: 'Check the path and its permissions.' })
  }
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    )
    const matches = wanted.every((value, at) => fields[at] === '*' || fields[at] === value)
    if (matches && fields[4] !== undefined) return fields[4]
  }
  return undefined
}
