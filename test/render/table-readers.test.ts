import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { csvRecords, withoutGuards } from '../../src/bulk/internal.js'
import { csvLine, headerLine, tsvLine } from '../../src/render/csv.js'
import { plainLines, plainText } from '../../src/render/plain-text.js'
import { fc, sampleCount } from '../support/samples.js'

const columns = ['first', 'second', 'third'].map((name) => ({ name }))
const cell = fc
  .array(
    fc.constantFrom(
      '"',
      "'",
      '=',
      '+',
      '-',
      '@',
      '＝',
      ' ',
      ';',
      ',',
      '\n',
      '\t',
      'x',
      '1',
      'A-1',
      '"=1+1"',
      '0',
      'E5',
      'MAR-4',
      '\\n',
      '\\',
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))
/** The same tables in each run, with the worst by hand. */
const tables = [
  ...fc.sample(fc.array(fc.record({ first: cell, second: cell, third: cell }), { minLength: 1, maxLength: 4 }), {
    numRuns: sampleCount(400),
  }),
  [
    { first: '"Big" pan 12" steel', second: 'Ann', third: '=1+1' },
    { first: '"=HYPERLINK(""x"")"', second: "'-Ana", third: '"' },
    { first: '', second: '', third: '' },
  ],
]
const textsOf = (rows: readonly Record<string, string>[], read: (text: string) => string) =>
  rows.map((row) => columns.map(({ name }) => read(row[name] ?? '')))
const written = (rows: readonly Record<string, string>[], isCsv: boolean) =>
  [headerLine(columns, isCsv, false), ...rows.map((row) => (isCsv ? csvLine : tsvLine)(columns, row))].join('\n')
const plainCsv = (text: string) => plainLines(text.replaceAll('\t', ' '))

/** A cell that a spreadsheet runs, once the quotation marks are off. */
const runs = /^[\s"]*[=+\-@＝＋－＠]/

describe.each([
  ['CSV', true],
  ['TSV', false],
])('A table in %s', (_, isCsv) => {
  const read = isCsv ? plainCsv : plainText

  it('is read back cell by cell by the reader of orders, with nothing that a spreadsheet would run', () => {
    for (const rows of tables) {
      // A record without any text is no row.
      const expected = textsOf(rows, read).filter((row) => row.some((text) => text.trim() !== ''))
      const [header, ...records] = csvRecords(written(rows, isCsv), 'The table')
      expect(header?.cells).toEqual(['first', 'second', 'third'])
      expect(records.map(({ cells }) => cells.map((text) => withoutGuards(text, !isCsv)))).toEqual(expected)
      for (const { cells } of records) expect(cells.filter((text) => runs.test(text))).toEqual([])
    }
  })

  it("is read by Python's csv with the same cells", () => {
    const program = `
import csv, io, json, sys
print(json.dumps([list(csv.reader(io.StringIO(text, newline=''), delimiter=sys.argv[1])) for text in json.load(sys.stdin)]))`
    const input = JSON.stringify(tables.map((rows) => written(rows, isCsv)))
    const { stdout, stderr } = spawnSync('python3', ['-I', '-c', program, isCsv ? ',' : '\t'], {
      input,
      encoding: 'utf8',
      maxBuffer: 16_000_000,
    })
    expect(stderr).toBe('')
    const found = (JSON.parse(stdout) as string[][][]).map(([, ...rows]) =>
      rows.map((row) => row.map((text) => withoutGuards(text, !isCsv))),
    )
    expect(found).toEqual(tables.map((rows) => textsOf(rows, read)))
  })
})
