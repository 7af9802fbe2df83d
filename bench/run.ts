/**
 * `npm run bench` measures every figure of docs/performance.md in one run, both sides of each comparison in turn.
 * `--quick` takes less than a minute. `--only start-up,listener` measures only these rows; each row keeps the date of its
 * own run. `--release` keeps the figures for comparison: later runs say what has become slower since.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Ground, prepareGround } from './ground.ts'
import { drawPlot } from './plot.ts'
import { slowdowns } from './releases.ts'
import { writeReport } from './report.ts'
import { type MeasuredRow, type Outcome, round, verdict } from './result.ts'
import { measureArchive } from './rows/archive.ts'
import { measureBulk } from './rows/bulk.ts'
import { measureExport } from './rows/export.ts'
import { measureInspector } from './rows/inspector.ts'
import { measureListener } from './rows/listener.ts'
import { measureMerchants } from './rows/merchants.ts'
import { measurePostgres } from './rows/postgres.ts'
import { measureSandbox } from './rows/sandbox.ts'
import { measureScale } from './rows/scale.ts'
import { measureSecrets } from './rows/secrets.ts'
import { measureSheets } from './rows/sheets.ts'
import { measureSize } from './rows/size.ts'
import { measureStartUp } from './rows/start-up.ts'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    release: { type: 'boolean', default: false },
  },
})
const rows: Record<string, (ground: Ground) => Promise<Outcome>> = {
  'start-up': measureStartUp,
  bulk: measureBulk,
  sheets: measureSheets,
  export: measureExport,
  listener: measureListener,
  secrets: measureSecrets,
  merchants: measureMerchants,
  postgres: measurePostgres,
  archive: measureArchive,
  inspector: measureInspector,
  sandbox: measureSandbox,
  scale: measureScale,
  size: measureSize,
}
const chosen = flags.only?.split(',') ?? Object.keys(rows)
const unknown = chosen.filter((name) => !(name in rows))
if (unknown.length > 0) throw new Error(`Unknown row: ${unknown.join(', ')}. Rows: ${Object.keys(rows).join(', ')}`)

const ground = await prepareGround(flags.quick)
const machine = { cores: availableParallelism(), node: process.versions.node }
const measuredAt = new Date().toISOString().slice(0, 16).replace('T', ' ')
const resultsFile = join(ground.project, 'bench', flags.quick ? 'results.quick.json' : 'results.json')
try {
  for (const [name, measure] of Object.entries(rows)) {
    if (!chosen.includes(name)) continue
    process.stderr.write(`measuring ${name} …\n`)
    const outcome = await measure(ground)
    for (const result of outcome.results) {
      process.stdout.write(`${verdict(result).padEnd(10)}  ${result.aim}: ${result.measured} (bar: ${result.bar})\n`)
    }
    record(name, outcome)
  }
} finally {
  await ground.end()
}
// A quick run is too noisy to be compared.
if (!flags.quick) compareWithRelease()

function compareWithRelease(): void {
  const now = readRows(resultsFile)
  const releaseFile = join(ground.project, 'bench', 'last-release.json')
  if (flags.release) {
    writeFileSync(releaseFile, `${JSON.stringify(now, null, 2)}\n`)
    return
  }
  const slower = slowdowns(
    Object.fromEntries(chosen.map((name) => [name, now[name] as MeasuredRow])),
    readRows(releaseFile),
  )
  for (const { aim, before, now: ratio } of slower)
    process.stdout.write(`SLOWER  ${aim}: ${round(ratio)} ×, ${round(before)} × in the last release\n`)
  if (slower.length === 0) process.stdout.write('Nothing is slower than in the last release by more than noise.\n')
}

function readRows(file: string): Record<string, MeasuredRow> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, MeasuredRow>) : {}
}

/** Writes after each row, so that an interrupted run keeps what it has measured. */
function record(name: string, { results, plots = [] }: Outcome): void {
  const measured = readRows(resultsFile)
  measured[name] = { measuredAt, machine, results, plots: plots.map(({ file, title }) => ({ file, title })) }
  const inOrder = Object.keys(rows).flatMap((row) =>
    measured[row] === undefined ? [] : [[row, measured[row]] as const],
  )
  writeFileSync(resultsFile, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`)
  if (flags.quick) return
  const folder = join(ground.project, 'docs', 'plots')
  mkdirSync(folder, { recursive: true })
  for (const plot of plots) writeFileSync(join(folder, plot.file), drawPlot(plot))
  writeReport(
    join(ground.project, 'docs', 'performance.md'),
    inOrder.map(([, row]) => row),
  )
}
