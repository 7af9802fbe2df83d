import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type RowOptions, readRows } from '../../src/bulk/index.js'
import { DeliveryCreate } from '../../src/contract/index.js'
import { createCli } from '../support/cli/program.js'

/** The forty orders of `.ci/sheets`, as programs have written them, and the bodies that are meant; `--keep FOLDER` writes them again. */
const folder = 'test/bulk/sheets'
const meant = JSON.parse(readFileSync(join(folder, 'orders.json'), 'utf8')) as { clientOrderReference: string }[]

async function valuesOf(bytes: Uint8Array | readonly Uint8Array[], options: RowOptions): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const batch of readRows(bytes instanceof Uint8Array ? [bytes] : bytes, options))
    for (const row of batch) values.push('value' in row ? row.value : row.problem)
  return values
}

interface Checked {
  line: number
  outcome: string
  body: Record<string, unknown>
  error: { message: string; hint?: string } | null
}

const instants = (body: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(body), (_, value: unknown) =>
    typeof value === 'string' && /^2036-\d\d-\d\dT/.test(value) ? Date.parse(value) : value,
  ) as Record<string, unknown>

const short = ['the ZIP code "2840" has too few digits.*02840', 'the ZIP code "8204" has too few digits.*08204']

/** What is refused of each file, by a text of each message, and how many of its rows that is. */
const refusals: Record<string, [rows: number, messages: string[]]> = {
  'csvkit-guessed.json': [12, [...short, 'column "Customer".*is required.*the cell is empty']],
  'exceljs-semicolon.csv': [10, short],
  'gnumeric-comma.csv': [10, short],
  'gnumeric-mac.csv': [12, ['column Order no: "6.\\d+E.12"', 'column "Mobile".*"9.11E.09" is a rounded number']],
  'gnumeric-strict.xlsx': [0, []],
  'gnumeric-utf-16.csv': [12, ['column Order no: "6.\\d+E.12"', '"9.11E.09"']],
  'libreoffice-tabs.tsv': [0, []],
  'libreoffice-utf-16.csv': [0, []],
  'miller-orders.ndjson': [1, ['row 17 .line 17.: is not JSON .column']],
  'miller-tabs.tsv': [0, []],
  'sheetjs-orders.txt': [1, ['column Order no: "6.01235E.12"']],
  'sheetjs-shown.json': [1, ['column Order no: "6.01235E.12"']],
}

describe('The same orders from sheets of other programs', () => {
  test('are the ones that were meant, or are refused with line, column and remedy', async () => {
    const cli = createCli()
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(Object.keys(refusals)))
    for (const [file, [count, messages]] of Object.entries(refusals)) {
      const words = ['deliveries', 'create', '--file', join(folder, file), '--map-file', join(folder, 'map.json')]
      const { stdout } = await cli.run([...words, '--dry-run', '-o', 'json'])
      const rows = JSON.parse(stdout) as Checked[]
      const refused = rows.filter(({ outcome }) => outcome === 'failed')
      expect([file, rows.length, refused.length]).toEqual([file, 40, count])
      const sent = rows.filter(({ outcome }) => outcome === 'ready').map(({ body }) => instants(body))
      const wanted = meant.filter((order) =>
        sent.some((body) => body.clientOrderReference === order.clientOrderReference),
      )
      expect({ file, sent }).toEqual({ file, sent: wanted.map((order) => instants({ ...order })) })
      const said = refused.map(({ line, error }) => `${line}: ${error?.message} ${error?.hint ?? ''}`)
      for (const message of messages)
        expect(said).toEqual(expect.arrayContaining([expect.stringMatching(new RegExp(`^\\d+: .*${message}`, 's'))]))
    }
  })

  test('are refused by the names of formats that are not read', async () => {
    const cli = createCli()
    for (const [file, name] of [
      ['sheetjs-orders.slk', 'a symbolic link file (.slk)'],
      ['libreoffice-orders.dif', 'a file of the data interchange format (.dif)'],
    ] as const)
      expect(await cli.run(['deliveries', 'create', '--file', join(folder, file), '--dry-run'])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(`${name}.\nhint: Open it in its program`),
      })
  })

  test('are equal after LibreOffice has opened and saved what dlv wrote', async () => {
    for (const [written, saved] of [
      ['get.csv', 'saved-get.csv'],
      ['get.tsv', 'saved-get.tsv'],
      ['get.xlsx', 'saved-get.xlsx'],
      ['get.xlsx', 'saved-get.ods'],
    ] as const) {
      const rows = await valuesOf(readFileSync(join(folder, saved)), { schema: z.record(z.string(), z.unknown()) })
      expect(rows).toHaveLength(39)
      expect(rows).toEqual(
        await valuesOf(readFileSync(join(folder, written)), { schema: z.record(z.string(), z.unknown()) }),
      )
    }
  })

  test('may be objects of JSON, whose names are columns, and every mapped one is among them', async () => {
    const text =
      '{"Order no": 6012345678901234567}\n{"Order no": 28301.0, "Notes": "a"}\n{"Order no": "3", "Notes": {"a": 1}}\n'
    const few = new Map([
      ['order no', 'clientOrderReference'],
      ['Notes', 'dropoff.instructions'],
    ])
    const read = (given: string) => valuesOf(Buffer.from(given), { schema: DeliveryCreate, columns: few })
    const rows = [
      { clientOrderReference: '6012345678901234567' },
      { clientOrderReference: '28301', dropoff: { instructions: 'a' } },
      { clientOrderReference: '3', dropoff: { instructions: '{"a":1}' } },
    ]
    expect(await read(text)).toEqual(rows)
    expect(await read(`[${text.trim().split('\n').join(',')}]`)).toEqual(rows)
    expect(await read('{"Order no": 28301.0, "Notes": "a"}')).toEqual(rows.slice(1, 2))
    await expect(read('[{"Order no": 1}]')).rejects.toThrow('The header has no column "Notes"')
    const late = ['{"Order no": 1, "Notes": "a"}\n'.repeat(500), '{"Order no": 2, "Apt": "4"}\nno\n'].map((text) =>
      Buffer.from(text),
    )
    expect((await valuesOf(late, { schema: DeliveryCreate, columns: few })).slice(500)).toEqual([
      expect.stringMatching(/^row 501 \(line 501\): "Apt" is a name that no row before has/),
      expect.stringMatching(/^row 502 \(line 502\): is not JSON \(column 1\)/),
    ])
  })
})
