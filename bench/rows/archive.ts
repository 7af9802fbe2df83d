import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { flatness, inTurn, median, timeCommand } from '../measure.ts'
import { type Outcome, type Result, round } from '../result.ts'

interface Counted {
  requests: number
  refused: number
  times: number[]
}

/** The archive: how fast it is filled, and how soon commands answer from one that is current. */
export async function measureArchive(ground: Ground): Promise<Outcome> {
  const deliveries = ground.quick ? 2_000 : 100_000
  const service = await startService(ground, deliveries)
  const filled = await timeCommand(service.dlv(['sync', '--timeout', '30m']), { sampleMemory: true })
  const events = deliveries * 10
  // The service has nothing older, and a report asks for more than the period of the events.
  await timeCommand(service.dlv(['sync', '--backfill', '91d']))
  const [answers, worst] = await answersOf(ground, service, deliveries)
  const results = [
    fillResult(events, filled),
    await limitedFill(ground),
    ...answers,
    {
      id: 'archive-requests',
      aim: 'the most requests of one of these commands',
      bar: '≤ 3',
      measured: String(worst),
      values: { worst },
      met: worst <= 3,
    },
    ...(await pageAnswers(ground, service, deliveries)),
    ...(await groupBy(ground, service)),
    size(service, deliveries, events),
  ]
  await ground.stop(service.child)
  return { results }
}

/** A service with its account, whose archive is in a directory of its own. */
export async function startService(ground: Ground, deliveries: number, ...flags: string[]) {
  const { child, ready } = await ground.start('history-server.mjs', ['--deliveries', String(deliveries), ...flags])
  const folder = ground.newFolder('archive')
  const account = {
    DLV_BASE_URL: String(ready.baseUrl),
    DLV_API_KEY: 'dlvk_sbx_bench',
    DLV_ENVIRONMENT: 'sandbox',
    DLV_DATA_DIR: folder,
    DLV_NO_INPUT: '1',
  }
  return {
    child,
    folder,
    dlv: (words: string[]) => ground.dlv(words, account),
    /** What came since this was last asked. */
    counted: async () => (await (await fetch(String(ready.benchUrl))).json()) as Counted,
  }
}

type Service = Awaited<ReturnType<typeof startService>>

function fillResult(
  events: number,
  { wallMs, peakBytes, memorySamples }: Awaited<ReturnType<typeof timeCommand>>,
): Result {
  const perSecond = events / (wallMs / 1000)
  const [peakMb, growth] = [peakBytes / 1e6, flatness(memorySamples)]
  return {
    id: 'archive-fill',
    aim: `filling an archive with ${events.toLocaleString('en')} events, no limit`,
    bar: '≥ 10,000 events per second, < 150 MB, flat',
    measured: `${round(perSecond, 0).toLocaleString('en')} per second, peak ${round(peakMb, 0)} MB; last quarter ${round(growth)} × the second quarter`,
    values: { perSecond, peakMb, growth },
    met: perSecond >= 10_000 && peakMb < 150 && growth <= 1.1,
  }
}

/** Filling when the service allows twenty requests a second. */
async function limitedFill(ground: Ground): Promise<Result> {
  const perSecond = 20
  const service = await startService(ground, ground.quick ? 800 : 4_000, '--limit', String(perSecond))
  await timeCommand(service.dlv(['sync']))
  const { times, refused } = await service.counted()
  await ground.stop(service.child)
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const later = times.filter((time) => time > first + 1_000).length
  const used = later / (perSecond * Math.max((last - first) / 1000 - 1, 1e-9))
  return {
    id: 'archive-fill-limit',
    aim: `filling at ${perSecond} requests per second`,
    bar: '≥ 98 % of the allowance, no 429',
    measured: `${round(used * 100, 1)} % of the allowance after the first second, ${refused} × 429`,
    values: { used, refused },
    met: used >= 0.98 && refused === 0,
  }
}

/** Commands that answer from the archive after they have fetched what is new, as whole processes. */
async function answersOf(ground: Ground, service: Service, deliveries: number): Promise<[Result[], number]> {
  const from = ['--from', '29d']
  const commands: readonly (readonly [id: string, words: string[], mostMs: number])[] = [
    ['list --search', ['deliveries', 'list', '--search', `${Math.floor(deliveries / 3)} Ramsey`, ...from], 300],
    ['list --problem', ['deliveries', 'list', '--problem', ...from], 300],
    ['board --once', ['deliveries', 'board', '--once', ...from], 300],
    ['report of 90 days', ['report', '--from', '90d'], 1_000],
  ]
  let worst = 0
  const timed = commands.map(([, words]) => async () => {
    await service.counted()
    const { wallMs } = await timeCommand(service.dlv(words))
    worst = Math.max(worst, (await service.counted()).requests)
    return wallMs
  })
  const figures = await inTurn(ground.quick ? 2 : 7, timed)
  const results = commands.map(([name, , mostMs], index) => {
    const ms = median(figures[index] ?? [])
    return {
      id: `archive-${name.replaceAll(/\W+/g, '-')}`,
      aim: `\`${name}\` of ${deliveries.toLocaleString('en')} deliveries, archive current`.replace(
        '`report of 90 days`',
        '`report` of 90 days',
      ),
      bar: `≤ ${mostMs.toLocaleString('en')} ms`,
      measured: `${round(ms, 0)} ms`,
      values: { ms },
      met: ms <= mostMs,
    }
  })
  return [results, worst]
}

/** What the server of the page answers from the same archive. */
async function pageAnswers(ground: Ground, service: Service, deliveries: number): Promise<Result[]> {
  const ui = await ground.startCommand(service.dlv(['ui', '--port', '0', '-o', 'json']))
  const { origin, hash } = new URL(String(ui.ready.url))
  const authorization = `Bearer ${new URLSearchParams(hash.slice(1)).get('token')}`
  const pages = [
    { name: 'search', path: '/list?q=ramsey%20street&limit=50', mostMs: 100 },
    { name: 'report of 90 days', path: '/report?from=90d', mostMs: 300 },
  ]
  const timed = pages.map(({ path }) => async () => {
    const began = performance.now()
    const response = await fetch(`${origin}/ui/api${path}`, { headers: { authorization } })
    const body = await response.text()
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${body}`)
    return performance.now() - began
  })
  const figures = await inTurn(ground.quick ? 2 : 7, timed)
  await ground.stop(ui.child)
  return pages.map(({ name, mostMs }, index) => {
    const ms = median(figures[index] ?? [])
    return {
      id: `archive-page-${name.replaceAll(' ', '-')}`,
      aim: `the page’s ${name} of ${deliveries.toLocaleString('en')} deliveries, the server’s answer`,
      bar: `≤ ${mostMs} ms`,
      measured: `${round(ms, 0)} ms`,
      values: { ms },
      met: ms <= mostMs,
    }
  })
}

/** One question of all events, beside the shell of SQLite on the same file. */
async function groupBy(ground: Ground, service: Service): Promise<Result[]> {
  const sql = 'SELECT event_type, count(*), max(occurred_at), count(DISTINCT delivery_id) FROM events GROUP BY 1'
  const file = archiveFile(service, false)
  try {
    execFileSync('sqlite3', ['-version'], { stdio: 'ignore' })
  } catch {
    process.stderr.write('There is no sqlite3 to compare queries with.\n')
    return []
  }
  const ours = async () => (await timeCommand(service.dlv(['query', sql]))).wallMs
  const theirs = async () => (await timeCommand({ file: 'sqlite3', arguments: ['-readonly', file, sql] })).wallMs
  const [our = [], their = []] = await inTurn(ground.quick ? 2 : 5, [ours, theirs])
  const [ourMs, theirMs] = [median(our), median(their)]
  return [
    {
      id: 'archive-query',
      aim: 'a query over all its events vs. the `sqlite3` shell',
      bar: '≤ 1.2 × + 100 ms',
      measured: `${round(ourMs, 0)} ms vs. ${round(theirMs, 0)} ms`,
      values: { ourMs, theirMs },
      met: ourMs <= 1.2 * theirMs + 100,
    },
  ]
}

function size(service: Service, deliveries: number, events: number): Result {
  const bytes = (isPeople: boolean) => statSync(archiveFile(service, isPeople)).size
  const [first, second] = [bytes(false) / events, bytes(true) / events]
  return {
    id: 'archive-size',
    aim: `its size on disk, by event, with ${deliveries.toLocaleString('en')} deliveries of ten events`,
    bar: '≤ 600 and ≤ 1,200 bytes',
    measured: `${round(first, 0)} bytes in the first file, ${round(second, 0)} in the second`,
    values: { first, second },
    met: first <= 600 && second <= 1_200,
  }
}

function archiveFile({ folder }: Service, isPeople: boolean): string {
  const name = readdirSync(folder).find(
    (file) => file.startsWith('archive-') && file.endsWith('.db') && file.includes('.people.') === isPeople,
  )
  if (name === undefined) throw new Error(`${folder} has no archive`)
  return join(folder, name)
}
