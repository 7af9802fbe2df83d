import { readFileSync, writeFileSync } from 'node:fs'
import type { Plot, Result } from './result.ts'

const begin = '<!-- figures: begin -->'
const end = '<!-- figures: end -->'

/** Writes the table and the plots into the page, between its two marks, and leaves the rest of it alone. */
export function writeReport(
  file: string,
  machine: { cores: number; node: string },
  results: readonly Result[],
  plots: readonly Plot[],
): void {
  const page = readFileSync(file, 'utf8')
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} lacks the marks between which the figures go`)
  const table = [
    `Measured on ${machine.cores} cores with Node ${machine.node}, by \`npm run bench\`.`,
    '',
    '| Aim | Bar | Measured | |',
    '|---|---|---|---|',
    ...results.map(
      ({ aim, bar, measured, met }) => `| ${aim} | ${bar} | ${measured} | ${met ? 'met' : '**missed**'} |`,
    ),
    '',
    ...plots.flatMap((plot) => [`![${plot.title}](plots/${plot.file})`, '']),
  ].join('\n')
  writeFileSync(file, `${page.slice(0, from + begin.length)}\n${table}${page.slice(to)}`)
}
