// The table of programs, formats and results in docs/guides/bulk.md: the check prints it, writes it, and fails if it differs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const page = join(import.meta.dirname, '../../docs/guides/bulk.md')
const [start, end] = ['<!-- Programs: written by .ci/sheets --write -->', '<!-- End of programs -->']

/** The names of programs as people write them. */
const names = {
  libreoffice: 'LibreOffice',
  gnumeric: 'Gnumeric',
  sheetjs: 'SheetJS',
  exceljs: 'exceljs',
  xlsxwriter: 'XlsxWriter',
  csvkit: 'csvkit',
  miller: 'Miller',
}

/** A message in a cell of the table, without what is said of one row alone. */
function shortened(message) {
  const [text] = message
    .replace(/^(?:row|line) \d+(?: \([^)]*\))?,?:? ?/, '')
    .replace(/^orders\.\w+ /, '')
    .replace(/^(?:column ([^:]+)|[\w.]+ \(column "([^"]+)"\)): /, (_, one, other) => `${one ?? other}: `)
    .replace(/: the sheet has lost.*|; a spreadsheet.*|: fill it in.*| \((?:\d+ below, )?column \d+\)$/s, '')
    .split('\n')
  return text.replaceAll('|', '\\|')
}

/** The rows of a program whose results are the same, in one. */
function rowsOf(results) {
  const rows = new Map()
  for (const { program, format, equal, refusals, whole } of results) {
    const all = [...Map.groupBy(refusals, shortened)].map(([text, { length }]) => `${length} × ${text}`)
    const kinds = all.length > 3 ? [...all.slice(0, 2), `${all.length - 2} more kinds`] : all
    const result = whole === undefined ? `${equal} | ${kinds.join('; ')}` : `0 | ${shortened(whole)}`
    const key = `${program} ${result}`
    const row = rows.get(key) ?? { program, formats: [], result }
    row.formats.push(format)
    rows.set(key, row)
  }
  return [...rows.values()].map(
    ({ program, formats, result }) =>
      `| ${names[program] ?? program} | ${formats.map((format) => format.replace(/^csv ([,;])$/, 'csv with `$1`')).join(' · ')} | ${result} |`,
  )
}

/**
 * Prints the table, and compares it with the one in the docs.
 *
 * @param versions `name version` of each program
 * @param mayWrite whether the docs are changed instead
 * @returns whether they are the same
 */
export function documented(results, versions, mayWrite) {
  const table = [
    `With ${versions.join(', ')}:`,
    '',
    '| Program | Format | Equal of 40 | Refused, with line, column and remedy |',
    '|---|---|---|---|',
    ...rowsOf(results),
  ].join('\n')
  console.log(`\n${table}\n`)
  const text = readFileSync(page, 'utf8')
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)]
  const made = `${text.slice(0, from)}\n${table}\n${text.slice(to)}`
  if (mayWrite) writeFileSync(page, made)
  return mayWrite || made === text
}
