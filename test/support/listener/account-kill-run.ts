import { onTestFinished } from 'vitest'
import { startSandbox } from '../../../src/sandbox/index.js'
import { createCli } from '../cli/program.js'
import { freePort } from '../free-port.js'
import { startHttpServer } from '../http-server.js'
import { until } from '../until.js'
import { postEvent } from './test-listener.js'

const profiles = ['acme', 'bolt', 'cargo'] as const

interface AccountKillReport {
  events: number
  kills: number
  /** Events that an account's log lacks, has twice, or that are another's. */
  lost: string[]
  twice: string[]
  foreign: string[]
  /** Events that did not reach their account's target, or reached another's. */
  notForwarded: string[]
  wronglyForwarded: string[]
  /** How often an event was forwarded once more, because the kill came between an answer and its record. */
  forwardedAgain: number
}

/**
 * The program listens for three accounts at one address and pulls their events, of which every third is also posted. It is
 * killed again and again at random; then the logs of the accounts and what their targets got are compared with the service.
 */
export async function accountKillRun(options: {
  deliveriesOfEach: number
  kills: number
  random: () => number
  journal?: { address: string; env: NodeJS.ProcessEnv }
}): Promise<AccountKillReport> {
  const { deliveriesOfEach: count, kills, random } = options
  const sandbox = await startSandbox({ rateLimit: 'off' })
  onTestFinished(() => sandbox.close())
  const cli = createCli()
  const env = { ...options.journal?.env, ...(options.journal && { DLV_JOURNAL: options.journal.address }) }
  const expected = new Map<string, Set<string>>()
  const eventsOf = async (name: string) => {
    const { events } = (await sandbox.steer('GET', `/changes?account=${name}&events=0&limit=5000`)) as {
      events: { event: { eventId: string } }[]
    }
    return new Set(events.map(({ event }) => event.eventId))
  }
  const secrets = new Map<string, string>()
  for (const name of profiles) {
    const words = ['sandbox', 'accounts', 'add', name, '--profile', name]
    const leading = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
    const added = await cli.json<{ webhookSecret: string }>(words, { env: leading })
    secrets.set(name, added.webhookSecret)
    await sandbox.steer('POST', '/seed', { count, over: '2d', seed: 7, accountId: `acc_${name}` })
    expected.set(name, await eventsOf(name))
  }
  const all = profiles.flatMap((name) => [...(expected.get(name) ?? [])].map((id) => ({ name, id })))

  const arrived = new Map<string, number>()
  const target = await startHttpServer((request, response) => {
    const key = `${String(request.url).slice(1)} ${request.headers['webhook-id']}`
    arrived.set(key, (arrived.get(key) ?? 0) + 1)
    request.resume()
    response.end()
  })
  const port = await freePort()
  const routes = profiles.flatMap((name) => ['--forward-to', `${name}:${target}/${name}`])
  const words = ['-P', profiles.join(','), '--pull', '--since', '3d', '--port', String(port), ...routes, '-o', 'ndjson']
  const start = async () => {
    const running = cli.startProcess(['webhooks', 'listen', ...words], { env })
    await running.line((line) => line.includes('"ready"'))
    return running
  }

  let running = await start()
  const waiting = all.filter((_, at) => at % 3 === 0).toSorted(() => random() - 0.5)
  const senders = Array.from({ length: 8 }, async () => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const { body } = (await sandbox.steer('GET', `/events/${event.id}`)) as { body: string }
      const sent = { id: event.id, body: Buffer.from(body) }
      const secret = secrets.get(event.name) ?? ''
      while ((await postEvent(`http://127.0.0.1:${port}/`, secret, sent)) !== 200)
        await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  for (let kill = 1; kill <= kills; kill++) {
    const threshold = Math.floor((all.length / (kills + 1)) * (kill - 1 + random()))
    await until(`${threshold} events at the targets`, () => arrived.size >= threshold)
    await running.kill('SIGKILL')
    running = await start()
  }
  await Promise.all(senders)
  await until('all events at their targets', () => arrived.size >= all.length)
  await running.kill('SIGINT')
  // Deliveries that were under way have moved on.
  for (const name of profiles) expected.set(name, await eventsOf(name))

  const report: AccountKillReport = {
    events: all.length,
    kills,
    lost: [],
    twice: [],
    foreign: [],
    notForwarded: all.filter(({ name, id }) => !arrived.has(`${name} ${id}`)).map(({ id }) => id),
    wronglyForwarded: [...arrived.keys()].filter((key) => {
      const [name = '', id = ''] = key.split(' ')
      return expected.get(name)?.has(id) !== true
    }),
    forwardedAgain: [...arrived.values()].reduce((sum, times) => sum + times - 1, 0),
  }
  for (const name of profiles) {
    const { stdout } = await cli.run(['webhooks', 'log', '-P', name, '--all', '-q'], { env })
    const kept = stdout.split('\n').filter((id) => id !== '')
    const known = new Set(kept)
    const own = expected.get(name) ?? new Set()
    report.lost.push(...all.filter((event) => event.name === name && !known.has(event.id)).map(({ id }) => id))
    report.foreign.push(...kept.filter((id) => !own.has(id)))
    report.twice.push(...kept.filter((id, at) => kept.indexOf(id) !== at))
  }
  return report
}
