import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { inTurn, median, pairedRatio } from '../measure.ts'
import { type Outcome, round } from '../result.ts'

/** Reading the orders of a workbook, compared with the streaming reader of exceljs, which gives cells and no orders. */
export async function measureSheets(ground: Ground): Promise<Outcome> {
  const rows = ground.quick ? 30_000 : 100_000
  ground.install('exceljs@4.4.0')
  const app = join(ground.folder, 'app')
  const file = join(ground.newFolder('sheets'), 'orders.xlsx')
  await ground.load('sheet-exceljs.mjs', [app, 'write', file, String(rows)])
  const peaks: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
  const measured = async (whose: 'ours' | 'theirs', name: string, words: string[]) => {
    const read = (await ground.load(name, words)) as { rows: number; ms: number; peakBytes: number }
    if (read.rows !== rows) throw new Error(`${name} has read ${read.rows} rows of ${rows}`)
    peaks[whose].push(read.peakBytes)
    return rows / (read.ms / 1000)
  }
  const [our = [], their = []] = await inTurn(ground.quick ? 2 : 7, [
    () => measured('ours', 'sheet-ours.mjs', [app, file]),
    () => measured('theirs', 'sheet-exceljs.mjs', [app, 'read', file]),
  ])
  const paired = pairedRatio(our, their)
  const [ourPeak, theirPeak] = [median(peaks.ours), median(peaks.theirs)]
  const memory = ourPeak / theirPeak
  return {
    results: [
      {
        id: 'sheets',
        aim: `${rows.toLocaleString('en')} rows of .xlsx as orders vs. the cells of exceljs's streaming reader`,
        bar: '≥ 2 × the rows per second, ≤ 0.6 × the peak memory',
        measured: `${round(paired.ratio)} × (${round(median(our), 0).toLocaleString('en')} rows per second); ${round(memory)} × (${round(ourPeak / 1e6, 0)} MB)`,
        values: { ...paired, memory },
        faster: 'larger',
        met: paired.ratio >= 2 && memory <= 0.6,
      },
    ],
  }
}
