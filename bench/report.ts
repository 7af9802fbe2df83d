import { readFileSync, writeFileSync } from 'node:fs'
import { type MeasuredRow, type Result, verdict } from './result.ts'

const begin = '<!-- figures: begin -->'
const end = '<!-- figures: end -->'

/** Writes the table and the plots into the page, between its two marks. */
export function writeReport(file: string, rows: readonly MeasuredRow[]): void {
  const page = readFileSync(file, 'utf8')
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no marks for the figures`)
  const runs = [...new Set(rows.map(runOf))]
  const oneRun = runs.length === 1
  const table = [
    oneRun ? `All from one run: ${runs[0]}.` : 'Rows show the date of their own run.',
    '',
    `| Measure | Target | Result | |${oneRun ? '' : ' Run |'}`,
    `|---|---|---|---|${oneRun ? '' : '---|'}`,
    ...rows.flatMap((row) =>
      row.results.map(
        (result) =>
          `| ${result.aim} | ${result.bar} | ${result.measured} | ${shown(result)} |${oneRun ? '' : ` ${runOf(row)} |`}`,
      ),
    ),
    '',
    ...rows.flatMap((row) => row.plots).flatMap((plot) => [`![${plot.title}](plots/${plot.file})`, '']),
  ].join('\n')
  writeFileSync(file, `${page.slice(0, from + begin.length)}\n${table}${page.slice(to)}`)
}

function shown(result: Result): string {
  const said = verdict(result)
  return said === 'missed' ? `**${said}**` : said
}

function runOf({ measuredAt, machine }: MeasuredRow): string {
  return `${measuredAt}, ${machine.cores} cores, Node ${machine.node}`
}
