import type { EventEmitter } from 'node:events'
import type { ClientConfig } from 'pg'
import { readSmallFile, UnusableFileError } from '../shared/directory.js'
import { UsageError } from '../shared/dlv-error.js'
import { strikeOut } from '../shared/redact-secrets.js'
import { isLoopback } from '../shared/web-address.js'
import type { PostgresAddress, PostgresHost } from './address.js'
import { afterReading, timeouts } from './connection.js'
import { codeOf, UntrustedServer } from './errors.js'
import { readTime, timeSettings, timeTypes } from './parameters.js'

export type Client = import('pg').Client

/** The number that the server gave this session; a pooler returns a different one. */
export function backendIdOf(client: Client): number | undefined {
  return (client as Client & { processID?: number }).processID
}

/** The port of this end of the connection. */
export function localPortOf(client: Client): number | undefined {
  const { connection } = client as Client & { connection?: { stream?: { localPort?: number } } }
  return connection?.stream?.localPort
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
  const { options } = address
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
      ...(ssl && address.isTlsDirect ? { sslnegotiation: 'direct' as const } : {}),
      enableChannelBinding: address.channelBinding !== 'disable',
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      application_name: applicationName,
      ...(options === undefined ? {} : { options }),
      types: {
        getTypeParser: (id: number, format?: 'text' | 'binary') => {
          const parser = pg.types.getTypeParser(id, format as 'text')
          return timeTypes.has(id) ? (text: string) => readTime(text, parser) : parser
        },
      },
    })
    // Every pooler keeps these apart for each of its clients, as drivers of other languages send them as well.
    const startup = client as unknown as { getStartupConf(): Record<string, string> }
    const given = startup.getStartupConf.bind(client)
    startup.getStartupConf = () => ({ ...given(), ...timeSettings })
    // Errors of a connection that nobody uses any more would end the process.
    client.on('error', () => {})
    // Any user of this machine may listen on a loopback port that is free.
    if (!isSocket && !isVerified) refuseReadablePasswords(client)
    if (address.channelBinding === 'require') requireChannelBinding(client, ssl !== undefined && ssl !== false)
    const waitMs = address.connectMs ?? (address.hosts.length > 1 ? timeouts.connectMs : timeouts.connectOnlyMs)
    let isLate = false
    const stopTimer = afterReading(waitMs, () => {
      isLate = true
      destroyClient(client)
    })
    try {
      await client.connect()
      return client
    } catch (error) {
      if (isLate) throw Object.assign(new Error(`no answer within ${waitMs} ms`), { code: 'ETIMEDOUT' })
      destroyClient(client)
      // The client refuses to answer without one, in words of its own.
      const isMissing = error instanceof Error && error.message.startsWith('SASL') && address.passwordFor(host) === ''
      if (isMissing) throw Object.assign(new Error(`no password is set for user "${address.user}"`), { code: '28P01' })
      // A server may repeat what it was sent.
      if (error instanceof Error) error.message = strikeOut(error.message, address.passwordFor(host), 4)
      // Whether a line of pg_hba.conf is missing for connections with or without encryption.
      if (error instanceof Error) Object.assign(error, { isEncrypted: ssl !== false })
      throw error
    } finally {
      stopTimer()
    }
  }
  if (mode === 'disable') return connect(false)
  const ca = address.tlsRootFile === undefined ? {} : { ca: await readNamed('sslrootcert', address.tlsRootFile) }
  const own = await ownCertificate(address)
  const identity = mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}
  try {
    return await connect({ ...ca, ...identity, ...own, rejectUnauthorized: isVerified })
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

/** As libpq: without a proof that both ends see the same encryption, somebody may be in between. */
function requireChannelBinding(client: Client, isEncrypted: boolean) {
  if (!isEncrypted)
    throw new UsageError('channel_binding=require needs an encrypted connection.', { hint: 'Add sslmode=verify-full.' })
  const { connection } = client as Client & { connection: EventEmitter }
  let isBound = false
  const refuse = () => {
    const hint = 'Use channel_binding=prefer, or let pg_hba.conf of the server ask for scram-sha-256.'
    connection.emit('error', new UntrustedServer('does not offer channel binding', hint))
    destroyClient(client)
  }
  connection.prependListener('authenticationSASL', ({ mechanisms = [] }: { mechanisms?: readonly string[] }) => {
    isBound = mechanisms.includes('SCRAM-SHA-256-PLUS')
    if (!isBound) refuse()
  })
  connection.prependListener('authenticationOk', () => {
    if (!isBound) refuse()
  })
}

/** The certificate and key of a user who proves itself by them. */
async function ownCertificate({ tlsCertificateFile, tlsKeyFile, tlsKeyPassword }: PostgresAddress) {
  if (tlsCertificateFile === undefined && tlsKeyFile === undefined) return {}
  if (tlsCertificateFile === undefined || tlsKeyFile === undefined)
    throw new UsageError(`${tlsKeyFile === undefined ? 'sslcert' : 'sslkey'} was given alone.`, {
      hint: 'Give both: the certificate of the user with sslcert and its private key with sslkey.',
    })
  return {
    cert: await readNamed('sslcert', tlsCertificateFile),
    key: await readNamed('sslkey', tlsKeyFile),
    ...(tlsKeyPassword === undefined ? {} : { passphrase: tlsKeyPassword }),
  }
}

async function readNamed(parameter: string, file: string): Promise<string> {
  try {
    return await readSmallFile(file)
  } catch (error) {
    const why = error instanceof UnusableFileError ? `: ${error.message}` : ''
    throw new UsageError(`Cannot read ${parameter} ${file}${why}.`, { hint: 'Check the path and its permissions.' })
  }
}

/** Names that OpenSSL and Node give to what a certificate lacks. */
function isOfCertificate(error: Error): boolean {
  return /CERT|SIGNATURE|ISSUER|^ERR_TLS_/.test(codeOf(error) ?? '')
}

/** Calls back with the number of bytes of everything that comes, until the returned function is called. */
export function watchReceived(client: Client, onReceived: (bytes: number) => void): () => void {
  const { stream } = (client as Client & { connection: { stream: EventEmitter } }).connection
  const onData = (piece: Uint8Array) => onReceived(piece.length)
  stream.on('data', onData)
  return () => stream.off('data', onData)
}

/** Ends it without waiting for anything. */
export function destroyClient(client: Client) {
  const { connection } = client as Client & { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
