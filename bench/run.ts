/**
 * `npm run bench`: every figure of docs/performance.md, measured in one run, both sides in turn.
 * `--quick` ends within a minute; `--only start-up,listener` measures some rows alone (and writes nothing).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareGround } from './ground.ts'
import { drawPlot } from './plot.ts'
import { writeReport } from './report.ts'
import type { Outcome, Plot, Result } from './result.ts'
import { measureBulk } from './rows/bulk.ts'
import { measureExport } from './rows/export.ts'
import { measureListener } from './rows/listener.ts'
import { measureSandbox } from './rows/sandbox.ts'
import { measureScale } from './rows/scale.ts'
import { measureStartUp } from './rows/start-up.ts'

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const rows = {
  'start-up': measureStartUp,
  bulk: measureBulk,
  export: measureExport,
  listener: measureListener,
  sandbox: measureSandbox,
  scale: measureScale,
}
const chosen = flags.only?.split(',') ?? Object.keys(rows)

const ground = await prepareGround(flags.quick)
const results: Result[] = []
const plots: Plot[] = []
try {
  for (const [name, measure] of Object.entries(rows)) {
    if (!chosen.includes(name)) continue
    process.stderr.write(`measuring ${name} …\n`)
    const outcome: Outcome = await measure(ground)
    results.push(...outcome.results)
    plots.push(...(outcome.plots ?? []))
    for (const result of outcome.results) {
      process.stdout.write(
        `${result.met ? 'met   ' : 'MISSED'}  ${result.aim}: ${result.measured} (bar: ${result.bar})\n`,
      )
    }
  }
} finally {
  await ground.end()
}

if (flags.only === undefined) {
  const machine = { cores: availableParallelism(), node: process.versions.node, quick: flags.quick }
  const file = flags.quick ? 'results.quick.json' : 'results.json'
  writeFileSync(join(ground.project, 'bench', file), `${JSON.stringify({ machine, results }, null, 2)}\n`)
  if (!flags.quick) {
    const folder = join(ground.project, 'docs', 'plots')
    mkdirSync(folder, { recursive: true })
    for (const plot of plots) writeFileSync(join(folder, plot.file), drawPlot(plot))
    writeReport(join(ground.project, 'docs', 'performance.md'), machine, results, plots)
  }
}
