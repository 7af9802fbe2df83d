import { join } from 'node:path'
import {
  copyCluster,
  databasePassword,
  databaseUser,
  initCluster,
  makeStandby,
  type PostgresServer,
  removeCluster,
  startServer,
} from '../../test/support/postgres/cluster.ts'
import { postgresBin } from '../../test/support/postgres/programs.ts'
import type { Ground } from '../ground.ts'
import { inTurn, median, pairedRatio } from '../measure.ts'
import { type Outcome, type Result, round } from '../result.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
/**
 * Unlike tests, which may lose data in a power cut. Nothing is warmed up: to make new WAL segments instead of using old ones
 * takes 3 % of the time.
 */
const durable = { fsync: 'on', shared_buffers: '256MB', max_wal_size: '4GB' }

/** The journal in PostgreSQL; without a PostgreSQL there is no row. */
export async function measurePostgres(ground: Ground): Promise<Outcome> {
  const bin = postgresBin()
  if (bin === undefined) return { results: [] }
  const template = initCluster(bin)
  const servers: PostgresServer[] = []
  const start = async (settings = {}, standbyOf?: PostgresServer) => {
    const data = copyCluster(template)
    if (standbyOf !== undefined) makeStandby(data, 'b', standbyOf.port)
    const server = await startServer(bin, data, { ...durable, ...settings })
    servers.push(server)
    return server
  }
  try {
    const single = await start()
    const primary = await start({ synchronous_standby_names: 'ANY 1 (b)' })
    await start({}, primary)
    return { results: [...(await measureJournal(ground, single, primary)), await measureReceiver(ground, single)] }
  } finally {
    for (const server of servers) {
      await server.kill('SIGINT')
      removeCluster(server.folder)
    }
    removeCluster(template)
  }
}

const addressOf = ({ port }: PostgresServer) => `postgres://${databaseUser}@127.0.0.1:${port}/postgres`
const environment = { PGPASSWORD: databasePassword, DLV_WEBHOOK_SECRET: secret, DLV_NO_INPUT: '1' }

/** Events a second that one process has to commit. */
const leastRate = 39_000

/** Events of 1 KB straight into the journal. */
async function measureJournal(ground: Ground, single: PostgresServer, primary: PostgresServer): Promise<Result[]> {
  const count = ground.quick ? 5_000 : 50_000
  const rounds = ground.quick ? 2 : 5
  const entry = join(ground.project, 'dist', 'listener.js')
  let run = 0
  const load = async (server: PostgresServer) => {
    const words = [entry, addressOf(server), String(count), `r${++run}`]
    return Number((await ground.load('journal-load.mjs', words, environment)).perSecond)
  }
  const [one = [], synchronous = []] = await inTurn(rounds, [() => load(single), () => load(primary)])
  const rate = round(median(one), 0)
  return [
    {
      id: 'postgres-journal',
      aim: 'journal in PostgreSQL, the server on the same machine',
      bar: `≥ ${leastRate.toLocaleString('en')} per second`,
      measured: `${rate.toLocaleString('en')} per second`,
      values: { perSecond: rate },
      met: rate >= leastRate,
    },
    comparison('postgres-standby', 'with a synchronous standby vs. without', 0.75, synchronous, one),
  ]
}

/** Through HTTP: verified, committed, acknowledged. */
async function measureReceiver(ground: Ground, single: PostgresServer): Promise<Result> {
  const listen = (env: NodeJS.ProcessEnv) =>
    ground.startCommand(ground.dlv(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'], { ...environment, ...env }))
  const inDatabase = await listen({ DLV_JOURNAL: addressOf(single) })
  const inFile = await listen({ DLV_JOURNAL: join(ground.newFolder('receiver'), 'journal.db') })
  const count = ground.quick ? 4_000 : 40_000
  let run = 0
  const load = async (url: unknown) => {
    const words = [String(url), String(count), '64', `p${++run}`]
    const outcome = await ground.load('webhook-load.mjs', words, environment)
    const { perSecond, refused } = outcome as { perSecond: number; refused: number }
    if (refused > 0) throw new Error(`${refused} of ${count} events were refused`)
    return perSecond
  }
  const [database = [], file = []] = await inTurn(ground.quick ? 2 : 5, [
    () => load(inDatabase.ready.url),
    () => load(inFile.ready.url),
  ])
  await ground.stop(inDatabase.child)
  await ground.stop(inFile.child)
  return comparison('postgres-receiver', 'through HTTP, one receiver vs. a journal in a file', 0.65, database, file)
}

function comparison(id: string, aim: string, bar: number, ours: readonly number[], theirs: readonly number[]): Result {
  const paired = pairedRatio(ours, theirs)
  const rates = [ours, theirs].map((rate) => round(median(rate), 0).toLocaleString('en'))
  return {
    id,
    aim,
    bar: `≥ ${bar} ×`,
    measured: `${round(paired.ratio)} × (${rates.join(' and ')} per second)`,
    values: { ...paired },
    faster: 'larger',
    met: paired.ratio >= bar,
  }
}
