import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { median, type Run, timeCommand } from '../measure.ts'
import { type Outcome, type Result, round } from '../result.ts'

const lateMs = 40

/** One account alone and all of them, whose ratio is the figure. */
interface Pair {
  aloneMs: number
  allMs: number
  aloneMb: number
  allMb: number
}

/** `list --problem` of forty merchants beside the slowest of them alone, near and far, first and with archives that are current. */
export async function measureMerchants(ground: Ground): Promise<Outcome> {
  const [accounts, deliveries] = ground.quick ? [6, 50] : [40, 500]
  const { child, ready } = await ground.startSandbox(':memory:', '--rate-limit', 'off')
  const home = ground.newFolder('merchants')
  // The sandbox is controlled with a secret of its data directory.
  const folders = { DLV_CONFIG_DIR: join(home, 'config'), DLV_DATA_DIR: join(ground.folder, 'data') }
  const key = { DLV_BASE_URL: String(ready.baseUrl), DLV_API_KEY: String(ready.apiKey) }
  const names = Array.from({ length: accounts }, (_, at) => `merchant-${String(at).padStart(2, '0')}`)
  for (const [at, name] of names.entries()) {
    await timeCommand(ground.dlv(['sandbox', 'accounts', 'add', name, '--profile', name], { ...folders, ...key }))
    const seed = ['sandbox', 'seed', '--count', String(deliveries), '--over', '20h', '--seed', String(at)]
    await timeCommand(ground.dlv([...seed, '-P', name], folders))
  }
  const list = (profiles: string) => ground.dlv(['deliveries', 'list', '--problem', '--all', '-P', profiles], folders)
  const where = [
    ['near', 'answers at once', ['--clear']],
    ['far', `takes ${lateMs} ms`, ['--latency', `${lateMs}ms`]],
  ] as const
  const results: Result[] = []
  const measure = async (state: 'first' | 'current', what: string) => {
    for (const [id, answers, faults] of where) {
      await timeCommand(ground.dlv(['sandbox', 'faults', ...faults], { ...folders, ...key }))
      if (state === 'first') emptyArchives(folders.DLV_DATA_DIR)
      // What is new is fetched by the next list, and written down every few minutes.
      else await timeCommand(list('merchant-*'))
      const pair = await measurePair(list, names, ground.quick ? 1 : 3)
      results.push(resultOf(`merchants-${state}-${id}`, `${what}, where the service ${answers}`, pair))
    }
  }
  await measure(
    'first',
    `\`list --problem\` of ${accounts} accounts with ${deliveries} deliveries vs. the slowest alone, without archives`,
  )
  await timeCommand(ground.dlv(['sandbox', 'faults', '--clear'], { ...folders, ...key }))
  // Of forty accounts' twenty hours, most of the time goes into this.
  await timeCommand(ground.dlv(['sync', '--all-profiles'], folders))
  await measure('current', 'the same, archives current')
  await ground.stop(child)
  return { results }
}

/** All accounts first: one alone leaves its archive behind. */
async function measurePair(
  list: (profiles: string) => Parameters<typeof timeCommand>[0],
  names: readonly string[],
  rounds: number,
): Promise<Pair> {
  const all: Run[] = []
  for (let at = 0; at < rounds; at++) all.push(await timeCommand(list('merchant-*'), { sampleMemory: true }))
  const alone: Run[] = []
  for (const name of names.slice(0, 4)) alone.push(await timeCommand(list(name), { sampleMemory: true }))
  const megabytes = (runs: readonly Run[]) => runs.map(({ peakBytes }) => peakBytes / 1e6)
  return {
    allMs: median(all.map(({ wallMs }) => wallMs)),
    aloneMs: Math.max(...alone.map(({ wallMs }) => wallMs)),
    allMb: Math.max(...megabytes(all)),
    aloneMb: Math.max(...megabytes(alone)),
  }
}

function emptyArchives(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith('archive-')) rmSync(join(folder, name))
}

function resultOf(id: string, aim: string, { allMs, aloneMs, allMb, aloneMb }: Pair): Result {
  const [time, memory] = [allMs / aloneMs, allMb / aloneMb]
  const seconds = (ms: number) => round(ms / 1_000)
  return {
    id,
    aim,
    bar: '≤ 1.5 × the time, ≤ 1.5 × the memory',
    measured: `${round(time)} × (${seconds(allMs)} s vs. ${seconds(aloneMs)} s); ${round(memory)} × (${round(allMb, 0)} MB)`,
    values: { time, memory, allMs, aloneMs, allMb, aloneMb },
    faster: 'smaller',
    met: time <= 1.5 && memory <= 1.5,
  }
}
