import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { describe, onTestFinished } from 'vitest'
import {
  copyCluster,
  databasePassword,
  databaseUser,
  makeStandby,
  type PostgresServer,
  removeCluster,
  type Settings,
  startServer,
} from './cluster.js'
import { postgresBin } from './programs.js'

const givenUrl = process.env.DLV_TEST_DATABASE_URL

/** Tests on a PostgreSQL; skipped by name where there is none. */
export const describeOnPostgres: typeof describe | typeof describe.skip =
  givenUrl !== undefined || postgresBin() !== undefined ? describe : describe.skip

/** Tests that start, stop and kill servers of their own. */
export const describeOnServers: typeof describe | typeof describe.skip =
  postgresBin() === undefined ? describe.skip : describe

/** A database of a test. */
export interface TestDatabase {
  /** Its address without a password. */
  address: string
  /** What a program needs to reach it. */
  env: { PGPASSWORD: string }
  /** Runs a statement as its owner. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
}

interface Lent {
  bin?: string
  template?: string
  port?: number
}

async function borrow(what: 'server' | 'template'): Promise<Lent> {
  const response = await fetch(`http://127.0.0.1:${process.env.DLV_TEST_POSTGRES_BROKER}/${what}`)
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Lent
}

/** A new, empty database; gone after the test. */
export async function createTestDatabase(whenOver = onTestFinished): Promise<TestDatabase> {
  const server =
    givenUrl === undefined
      ? new URL(`postgres://${databaseUser}:${databasePassword}@127.0.0.1:${(await borrow('server')).port}/postgres`)
      : new URL(givenUrl)
  const name = `dlv_test_${randomBytes(6).toString('hex')}`
  await once(server.href, `CREATE DATABASE ${name}`)
  const whole = new URL(server)
  whole.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: whole.href, max: 4 }).on('error', () => {})
  whenOver(async () => {
    await pool.end()
    await once(server.href, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })
  return {
    address: `postgres://${whole.username}@${whole.host}/${name}`,
    env: { PGPASSWORD: decodeURIComponent(whole.password) },
    sql: async (text, values = []) => (await pool.query(text, [...values])).rows,
  }
}

/** Runs one statement in a session of its own. */
export async function once(url: string, text: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows as Record<string, unknown>[]
  } finally {
    await client.end().catch(() => {})
  }
}

/** The address of a server of a test, with its password. */
export function urlOf({ port }: Pick<PostgresServer, 'port'>, database = 'postgres'): string {
  return `postgres://${databaseUser}:${databasePassword}@127.0.0.1:${port}/${database}`
}

/** A server of its own, which the test may kill; gone after it. */
export async function startTestServer(settings: Settings = {}, whenOver = onTestFinished): Promise<PostgresServer> {
  const { bin = '', template = '' } = await borrow('template')
  const server = await startServer(bin, copyCluster(template), settings)
  whenOver(() => endServer(server))
  return server
}

async function endServer(server: PostgresServer): Promise<void> {
  await server.kill('SIGCONT')
  await server.kill('SIGQUIT')
  removeCluster(server.folder)
}

/** A primary and its synchronous standby. */
export interface ServerPair {
  primary: PostgresServer
  standby: PostgresServer
  /** Both, as a program names them; the primary first. */
  address: string
  env: { PGPASSWORD: string }
  /** Makes the standby the primary, which then waits for nobody. */
  promote(): Promise<void>
}

/** Starts a pair whose commits wait for the standby; gone after the test. */
export async function startTestPair(settings: Settings = {}, whenOver = onTestFinished): Promise<ServerPair> {
  const { bin = '', template = '' } = await borrow('template')
  const [first, second] = [copyCluster(template), copyCluster(template)]
  const primary = await startServer(bin, first, { synchronous_standby_names: 'ANY 1 (b)', ...settings })
  whenOver(() => endServer(primary))
  makeStandby(second, 'b', primary.port)
  const standby = await startServer(bin, second, settings)
  whenOver(() => endServer(standby))
  for (;;) {
    const [row] = await once(urlOf(primary), "SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')")
    if (row !== undefined) break
  }
  return {
    primary,
    standby,
    address: `postgres://${databaseUser}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
    env: { PGPASSWORD: databasePassword },
    async promote() {
      await once(urlOf(standby), 'SELECT pg_promote(true, 10)')
    },
  }
}
