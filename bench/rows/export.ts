import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { flatness, inTurn, pairedRatio, timeCommand } from '../measure.ts'
import { type Outcome, type Plot, round } from '../result.ts'

/** `events list --all -o ndjson` compared with a bare loop, and its memory. */
export async function measureExport(ground: Ground): Promise<Outcome> {
  const events = ground.quick ? 40_000 : 1_000_000
  const { child, ready } = await ground.start('api-server.ts', ['--events', String(events)])
  const baseUrl = String(ready.baseUrl)
  const command = ground.dlv(['events', 'list', '--since', '29d', '--all', '-o', 'ndjson', '--timeout', '30m'], {
    DLV_BASE_URL: baseUrl,
    DLV_API_KEY: 'dlvk_bench',
    DLV_NO_INPUT: '1',
  })
  const bare = join(ground.project, 'bench/processes/bare-export.mjs')
  let peakBytes = 0
  let memorySamples: number[] = []
  const ours = async () => {
    const run = await timeCommand(command, { sampleMemory: true })
    peakBytes = Math.max(peakBytes, run.peakBytes)
    memorySamples = run.memorySamples
    return events / run.wallMs
  }
  const theirs = async () => events / (await timeCommand({ file: process.execPath, arguments: [bare, baseUrl] })).wallMs
  const [our = [], their = []] = await inTurn(ground.quick ? 1 : 2, [ours, theirs])
  await ground.stop(child)
  const paired = pairedRatio(our, their)
  const peakMb = peakBytes / 1e6
  const growth = flatness(memorySamples)
  const plot: Plot = {
    file: 'export-memory.svg',
    title: `Memory while exporting ${events.toLocaleString('en')} events`,
    xLabel: 'seconds',
    yLabel: 'resident MB',
    logarithmic: false,
    series: [
      {
        label: 'dlv events list --all',
        points: memorySamples.map((bytes, index) => ({ x: index / 20, y: bytes / 1e6 })),
      },
    ],
  }
  return {
    results: [
      {
        id: 'export',
        aim: `export of ${events.toLocaleString('en')} events vs. a bare undici + JSON.parse loop`,
        bar: '≥ 0.9 ×',
        measured: `${round(paired.ratio)} × (events per second)`,
        values: { ...paired },
        faster: 'larger',
        met: paired.ratio >= 0.9,
      },
      {
        id: 'export-memory',
        aim: 'memory of that export',
        bar: '< 150 MB, flat',
        measured: `peak ${round(peakMb, 0)} MB; last quarter ${round(growth)} × the second quarter`,
        values: { peakMb, growth },
        met: peakMb < 150 && growth < 1.25,
      },
    ],
    plots: ground.quick ? [] : [plot],
  }
}
