import type { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { UsageError } from '../shared/dlv-error.js'
import { isLoopback } from '../shared/loopback.js'
import { strikeOut } from '../shared/strike-out.js'
import type { PostgresAddress, PostgresHost } from './address.js'
import { timeouts } from './connection.js'
import { codeOf, UntrustedServer } from './errors.js'

export type Client = import('pg').Client

/** The number that the server gave this session; a pooler returns a different one. */
export function backendIdOf(client: Client): number | undefined {
  return (client as Client & { processID?: number }).processID
}

/**
 * Connects to one host, with TLS if the address or the distance asks for it.
 *
 * @throws UntrustedServer if the server does not prove who it is, or wants a password that others could read
 */
export async function connectClient(
  address: PostgresAddress,
  host: PostgresHost,
  applicationName = 'dlv',
): Promise<Client> {
  const { default: pg } = await import('pg')
  const isSocket = host.host.startsWith('/')
  const isLocal = isSocket || isLoopback(host.host)
  const asked = address.tls ?? (isLocal ? 'disable' : 'verify-full')
  // As in libpq, a given authority is there to be checked against.
  const mode = asked === 'require' && address.tlsRootFile !== undefined ? 'verify-ca' : asked
  const isVerified = mode === 'verify-ca' || mode === 'verify-full'
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
      application_name: applicationName,
    })
    // Errors of a connection that nobody uses any more would end the process.
    client.on('error', () => {})
    // Any user of this machine may listen on a loopback port that is free.
    if (!isSocket && !isVerified) refuseReadablePasswords(client)
    try {
      await client.connect()
      return client
    } catch (error) {
      destroyClient(client)
      // The client refuses to answer without one, in words of its own.
      const isMissing = error instanceof Error && error.message.startsWith('SASL') && address.passwordFor(host) === ''
      if (isMissing) throw Object.assign(new Error(`no password is set for user "${address.user}"`), { code: '28P01' })
      // A server may repeat what it was sent.
      if (error instanceof Error) error.message = strikeOut(error.message, address.passwordFor(host), 4)
      throw error
    }
  }
  if (mode === 'disable') return connect(false)
  const ca = address.tlsRootFile === undefined ? {} : { ca: readRoot(address.tlsRootFile) }
  const identity = mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}
  try {
    return await connect({ ...ca, ...identity, rejectUnauthorized: isVerified })
  } catch (error) {
    const hasNone = error instanceof Error && error.message.includes('does not support SSL')
    if (hasNone && mode === 'prefer') return connect(false)
    if (hasNone) throw new UntrustedServer('offers no TLS', noTlsHint)
    if (error instanceof Error && isOfCertificate(error))
      throw new UntrustedServer(`has a certificate that cannot be verified (${error.message})`, certificateHint)
    throw error
  }
}

const certificateHint =
  'Name the file of its certificate authority with sslrootcert=FILE in the address, or PGSSLROOTCERT. sslmode=require encrypts without verifying.'
const noTlsHint =
  'Turn on ssl in its postgresql.conf. On a network that nobody else can read, sslmode=disable in the address goes without.'

/** The SASL exchange proves a password without showing it; the older methods show it, or as good as that. */
function refuseReadablePasswords(client: Client) {
  const { connection } = client as Client & { connection: EventEmitter }
  for (const request of ['authenticationCleartextPassword', 'authenticationMD5Password'])
    connection.on(request, () => {
      const hint = 'Use sslmode=verify-full in the address, or let pg_hba.conf of the server ask for scram-sha-256.'
      connection.emit('error', new UntrustedServer('wants a password that others could read', hint))
      // What the client has heard as well, it writes into a connection that is gone.
      destroyClient(client)
    })
}

function readRoot(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`Cannot read sslrootcert ${file}.`, { hint: 'Check the path and its permissions.' })
  }
}

/** Names that OpenSSL and Node give to what a certificate lacks. */
function isOfCertificate(error: Error): boolean {
  return /CERT|SIGNATURE|ISSUER|^ERR_TLS_/.test(codeOf(error) ?? '')
}

/** Ends it without waiting for anything. */
export function destroyClient(client: Client) {
  const { connection } = client as Client & { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
