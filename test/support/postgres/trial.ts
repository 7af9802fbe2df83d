import { join } from 'node:path'
import { newSecret } from '../../../src/webhooks/index.js'
import type { Cli, RunningProcess } from '../cli/program.js'
import { freePort } from '../free-port.js'
import { startHttpServer } from '../http-server.js'
import { postEvent } from '../listener/test-listener.js'
import {
  clusterFolder,
  databasePassword,
  databaseUser,
  type PostgresServer,
  removeCluster,
  run,
  startServer,
} from './cluster.js'
import { once, type ServerPair, urlOf } from './database.js'
import { postgresBin } from './programs.js'

/** What producers, target and faults have shown together. */
interface TrialReport {
  acknowledged: number
  /** Acknowledged events that never reached the target. */
  lost: string[]
  /** Events that arrived after a later one of their delivery. */
  outOfOrder: string[]
  /** How often an event came again, for each kind of fault; `none` between faults. */
  again: Record<string, number>
  /** The longest time without an acknowledgement and without an arrival, in seconds, for each kind of fault. */
  pauses: Record<string, { acknowledged: number; arrived: number }>
}

/** Two receivers and two forwarders on a pair of servers, with producers that send an event only after the last one's 200. */
interface Trial {
  /** Runs a fault; what happens until it has been mended is counted as its effect. */
  during(kind: string, fault: () => Promise<void>): Promise<void>
  killReceiver(): Promise<void>
  killForwarder(): Promise<void>
  killPrimary(): Promise<void>
  stopForwarder(forMs: number): Promise<void>
  restartInTurn(): Promise<void>
  joinAndLeave(): Promise<void>
  /** Stops producing, waits for the target, and counts. */
  end(): Promise<TrialReport>
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export async function startTrial(
  cli: Cli,
  pair: ServerPair,
  random: () => number,
  options: { onRound?: (kind: string, ms: number, counts: object) => void } = {},
): Promise<Trial> {
  const secret = newSecret()
  const env = {
    ...pair.env,
    DLV_WEBHOOK_SECRET: secret,
    DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1',
    DLV_API_KEY: 'dlvk_test',
  }
  const arrivals: { id: string; delivery: string; number: number; kind: string }[] = []
  const report: TrialReport = { acknowledged: 0, lost: [], outOfOrder: [], again: {}, pauses: {} }
  let kind = 'none'
  let [lastAcknowledgedAt, lastArrivedAt] = [performance.now(), performance.now()]
  const notePause = (what: 'acknowledged' | 'arrived', sinceMs: number) => {
    report.pauses[kind] ??= { acknowledged: 0, arrived: 0 }
    const noted = report.pauses[kind] as { acknowledged: number; arrived: number }
    noted[what] = Math.max(noted[what], Math.round(performance.now() - sinceMs) / 1_000)
  }

  const target = await startHttpServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    const [, delivery = '', number = ''] = id.split('-')
    arrivals.push({ id, delivery, number: Number(number), kind })
    notePause('arrived', lastArrivedAt)
    lastArrivedAt = performance.now()
    request.resume()
    setTimeout(() => response.end(), random() * 5)
  })
  const targetUrl = `${target}/`

  /** How programs ended, to be shown with what went wrong. */
  const ended: string[] = []
  /** Starts a listener; again if its servers do not answer in time on a busy machine, as a service manager would. */
  const listen = async (...words: string[]): Promise<RunningProcess> => {
    const running = cli.startProcess(['webhooks', 'listen', '--journal', pair.address, '-o', 'ndjson', ...words], {
      env,
    })
    void running.ended.then(({ exitCode, stderr }) => ended.push([...words, exitCode, stderr.slice(-500)].join(' ')))
    try {
      await running.line((line) => line.includes('"ready"'))
      return running
    } catch (error) {
      if ((await running.ended).exitCode !== 8) throw error
      return listen(...words)
    }
  }
  const ports = [await freePort(), await freePort()]
  const startReceiver = (index: number) => listen('--port', String(ports[index]))
  const startForwarder = () => listen('--no-receive', '--forward-to', targetUrl)
  const receivers = [await startReceiver(0), await startReceiver(1)]
  const forwarders = [await startForwarder(), await startForwarder()]

  const acknowledged: string[] = []
  let isProducing = true
  const producers = Array.from({ length: 24 }, async (_, delivery) => {
    for (let number = 1; isProducing; number++) {
      const id = `evt-${delivery}-${String(number).padStart(6, '0')}`
      const body = Buffer.from(
        `{"eventId":"${id}","eventType":"delivery.accepted","occurredAt":"2026-03-02T15:00:00.000Z","delivery":{"deliveryId":"del_${delivery}"}}`,
      )
      for (let attempt = 0; ; attempt++) {
        const port = ports[(delivery + attempt) % 2]
        if ((await postEvent(`http://127.0.0.1:${port}/`, secret, { id, body })) === 200) break
        await pause(20)
      }
      acknowledged.push(id)
      notePause('acknowledged', lastAcknowledgedAt)
      lastAcknowledgedAt = performance.now()
      await pause(random() * 200)
    }
  })

  const rebuilt: PostgresServer[] = []
  let [primary, standby] = [pair.primary, pair.standby]
  const hands: Trial = {
    async during(name, fault) {
      kind = name
      ;[lastAcknowledgedAt, lastArrivedAt] = [performance.now(), performance.now()]
      const startedAt = performance.now()
      await fault()
      await settled()
      options.onRound?.(name, Math.round(performance.now() - startedAt), {
        acknowledged: acknowledged.length,
        arrived: arrivals.length,
        ...report.pauses[name],
      })
      kind = 'none'
      ;[lastAcknowledgedAt, lastArrivedAt] = [performance.now(), performance.now()]
    },
    async killReceiver() {
      const at = Math.floor(random() * 2)
      await (receivers[at] as RunningProcess).kill('SIGKILL')
      await pause(200)
      receivers[at] = await startReceiver(at)
    },
    async killForwarder() {
      const at = Math.floor(random() * 2)
      await (forwarders[at] as RunningProcess).kill('SIGKILL')
      await pause(200)
      forwarders[at] = await startForwarder()
    },
    async killPrimary() {
      await primary.kill('SIGKILL')
      await pause(random() < 0.5 ? 0 : 1_000)
      await once(urlOf(standby), 'SELECT pg_promote(true, 10)')
      await until(() => acknowledged.length, 20)
      const old = primary
      primary = standby
      standby = await rebuildStandby(primary, old)
      rebuilt.push(standby)
    },
    async stopForwarder(forMs) {
      const forwarder = forwarders[Math.floor(random() * 2)] as RunningProcess
      forwarder.child.kill('SIGSTOP')
      await pause(forMs)
      forwarder.child.kill('SIGCONT')
    },
    async restartInTurn() {
      for (const at of [0, 1]) {
        await (receivers[at] as RunningProcess).kill('SIGTERM')
        receivers[at] = await startReceiver(at)
        await (forwarders[at] as RunningProcess).kill('SIGTERM')
        forwarders[at] = await startForwarder()
      }
    },
    async joinAndLeave() {
      const third = await startForwarder()
      await until(() => third.lines().length, 20)
      await third.kill('SIGTERM')
    },
    async end() {
      isProducing = false
      await Promise.all(producers)
      await settled()
      for (const running of [...receivers, ...forwarders]) await running.kill('SIGTERM')
      for (const server of rebuilt) {
        await server.kill('SIGQUIT')
        removeCluster(server.folder)
      }
      count()
      return report
    },
  }

  /** Waits until a value has grown by that much. */
  async function until(value: () => number, by: number) {
    const goal = value() + by
    for (const deadline = Date.now() + 60_000; value() < goal && Date.now() < deadline; ) await pause(10)
  }

  /** Waits until everything acknowledged so far has arrived. */
  async function settled() {
    const wanted = new Set(acknowledged)
    let seen = 0
    for (const deadline = Date.now() + 180_000; wanted.size > 0 && Date.now() < deadline; await pause(20))
      for (; seen < arrivals.length; seen++) wanted.delete(arrivals[seen]?.id ?? '')
    if (wanted.size > 0)
      throw new Error(`${wanted.size} events did not arrive after ${kind}. Ended: ${ended.join('; ')}`)
  }

  function count() {
    const newest = new Map<string, number>()
    const known = new Set<string>()
    for (const { id, delivery, number, kind: during } of arrivals) {
      if (known.has(id)) report.again[during] = (report.again[during] ?? 0) + 1
      if (number < (newest.get(delivery) ?? 0)) report.outOfOrder.push(id)
      newest.set(delivery, Math.max(number, newest.get(delivery) ?? 0))
      known.add(id)
    }
    report.acknowledged = acknowledged.length
    report.lost = acknowledged.filter((id) => !known.has(id))
  }

  return hands
}

/** A new standby of a server, at the port of one that was killed. */
async function rebuildStandby(primary: PostgresServer, old: PostgresServer): Promise<PostgresServer> {
  const bin = postgresBin() ?? ''
  await once(urlOf(primary), 'ALTER SYSTEM RESET synchronous_standby_names')
  removeCluster(old.folder)
  const data = join(clusterFolder('cluster'), 'data')
  const connection = `host=127.0.0.1 port=${primary.port} user=${databaseUser} application_name=b`
  run(bin, 'pg_basebackup', ['-D', data, '-R', '-c', 'fast', '-d', connection], { PGPASSWORD: databasePassword })
  const standby = await startServer(bin, data, {}, old.port)
  await replicates(primary, "state = 'streaming'")
  await once(urlOf(primary), "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (b)'")
  await once(urlOf(primary), 'SELECT pg_reload_conf()')
  await replicates(primary, "sync_state IN ('sync', 'quorum')")
  return standby
}

async function replicates(primary: PostgresServer, how: string): Promise<void> {
  for (;;) {
    const [row] = await once(urlOf(primary), `SELECT 1 FROM pg_stat_replication WHERE ${how}`)
    if (row !== undefined) return
    await pause(20)
  }
}
