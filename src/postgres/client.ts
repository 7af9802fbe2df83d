import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { isLoopback } from '../shared/loopback.js'
import type { PostgresAddress, PostgresHost } from './address.js'
import { timeouts } from './connection.js'

export type Client = import('pg').Client

/** The number that the server gave this session; a pooler gives one of its own. */
export function backendIdOf(client: Client): number | undefined {
  return (client as Client & { processID?: number }).processID
}

/** Connects to one host, with TLS where the address or the distance asks for it. */
export async function connectClient(
  address: PostgresAddress,
  host: PostgresHost,
  applicationName = 'dlv',
): Promise<Client> {
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
      application_name: applicationName,
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

/** Ends it without waiting for anything. */
export function destroyClient(client: Client) {
  const { connection } = client as Client & { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
