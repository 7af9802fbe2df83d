import { describe, expect, test } from 'vitest'
import { readRows } from '../../src/bulk/index.js'
import { DeliveryCreate } from '../../src/contract/index.js'
import { odsParts, xlsxParts, zipOf } from '../support/zip.js'

type Cell = string | undefined

/** A sheet by its rows, with ranges such as `A2:A4` that are merged. */
interface Sheet {
  rows: Cell[][]
  merged: string[]
}

const letters = 'ABCDEFGHIJ'

function xlsxOf({ rows, merged }: Sheet): Buffer {
  const cellsOf = (row: Cell[], line: number) =>
    row.map((text, at) =>
      text === undefined ? '' : `<c r="${letters[at]}${line}" t="inlineStr"><is><t>${text}</t></is></c>`,
    )
  const texts = rows.map((row, at) => `<row r="${at + 1}">${cellsOf(row, at + 1).join('')}</row>`).join('')
  const ranges = `<mergeCells count="${merged.length}">${merged.map((one) => `<mergeCell ref="${one}"/>`).join('')}</mergeCells>`
  return zipOf(
    xlsxParts({ rows: texts }).map((part) =>
      part.name.includes('worksheets/')
        ? { ...part, content: String(part.content).replace('</sheetData>', `</sheetData>${ranges}`) }
        : part,
    ),
  )
}

function odsOf({ rows, merged }: Sheet): Buffer {
  const ranges = merged.map((one) => {
    const [, left = '', top, right = '', bottom] = /^([A-J])(\d+):([A-J])(\d+)$/.exec(one) ?? []
    return { left: letters.indexOf(left), top: Number(top), right: letters.indexOf(right), bottom: Number(bottom) }
  })
  const cellOf = (text: Cell, at: number, line: number) => {
    const range = ranges.find(
      ({ left, top, right, bottom }) => at >= left && at <= right && line >= top && line <= bottom,
    )
    const isFirst = range?.left === at && range.top === line
    const spans = isFirst
      ? ` table:number-rows-spanned="${range.bottom - range.top + 1}" table:number-columns-spanned="${range.right - range.left + 1}"`
      : ''
    const name = `table:${range === undefined || isFirst ? '' : 'covered-'}table-cell`
    return text === undefined
      ? `<${name}${spans}/>`
      : `<${name}${spans} office:value-type="string"><text:p>${text}</text:p></${name}>`
  }
  return zipOf(
    odsParts({
      rows: rows
        .map(
          (row, line) =>
            `<table:table-row>${row.map((text, at) => cellOf(text, at, line + 1)).join('')}</table:table-row>`,
        )
        .join(''),
    }),
  )
}

const columns = new Map(
  Object.entries({
    Order: 'clientOrderReference',
    Name: 'dropoff.contactName',
    Notes: 'dropoff.instructions',
    Day: 'metadata.day',
    Tip: 'tipAmountCents',
    Item: 'package.description',
    Qty: 'package.itemsCount',
  }),
)

async function read(sheet: Sheet): Promise<unknown[][]> {
  const read: unknown[][] = []
  for (const bytes of [xlsxOf(sheet), odsOf(sheet)]) {
    const rows: unknown[] = []
    for await (const batch of readRows([bytes], { schema: DeliveryCreate, what: 'orders', columns, hasItemRows: true }))
      rows.push(...batch.map((row) => ('value' in row ? row.value : row.problem)))
    read.push(rows)
  }
  return read
}

const names = ['Order', 'Name', 'Notes', 'Day', 'Tip', 'Item', 'Qty']
const orderOf = (reference: string, contactName: string, instructions?: string, more = {}) => ({
  clientOrderReference: reference,
  dropoff: { contactName, ...(instructions === undefined ? {} : { instructions }) },
  ...more,
})

describe('Merged cells', () => {
  test('are the value of each row beside them; amounts stand once', async () => {
    const sheet = {
      rows: [
        names,
        ['A-1', 'Ana', 'Gate 4411', 'Monday', '500', 'Mug', '1'],
        ['A-2', 'Ben', undefined, undefined, undefined, 'Tea', '1'],
        ['A-3', 'Cy', undefined, 'Tuesday', undefined, 'Pan', '1'],
        // Below the range, and a row that has nothing of its own.
        ['A-4', 'Di', undefined, undefined, undefined, 'Pot', '1'],
        [undefined, undefined, undefined, undefined, undefined, undefined, undefined],
      ],
      merged: ['C2:C4', 'D2:D3', 'E2:E4', 'D5:D6'],
    }
    const item = (description: string) => ({ package: { description, itemsCount: 1 } })
    const meant = [
      orderOf('A-1', 'Ana', 'Gate 4411', { metadata: { day: 'Monday' }, tipAmountCents: 500, ...item('Mug') }),
      orderOf('A-2', 'Ben', 'Gate 4411', { metadata: { day: 'Monday' }, ...item('Tea') }),
      orderOf('A-3', 'Cy', 'Gate 4411', { metadata: { day: 'Tuesday' }, ...item('Pan') }),
      orderOf('A-4', 'Di', undefined, item('Pot')),
    ]
    expect(await read(sheet)).toEqual([meant, meant])
  })

  test('of a reference make the rows beside them the items of one order', async () => {
    const sheet = {
      rows: [
        names,
        ['A-1', 'Ana', undefined, undefined, '500', 'Mug', '2'],
        [undefined, undefined, undefined, undefined, undefined, 'Tea', '1'],
        ['A-2', 'Ben', undefined, undefined, undefined, 'Pan', '1'],
      ],
      merged: ['A2:A3', 'B2:B3', 'E2:E3'],
    }
    const meant = [
      orderOf('A-1', 'Ana', undefined, { tipAmountCents: 500, package: { description: 'Mug, Tea', itemsCount: 3 } }),
      orderOf('A-2', 'Ben', undefined, { package: { description: 'Pan', itemsCount: 1 } }),
    ]
    expect(await read(sheet)).toEqual([meant, meant])
  })

  test('hide what else is stored in them, and may stand above the columns of a header', async () => {
    const sheet = {
      rows: [
        ['Order', 'Name', 'Details', 'Day', 'Tip', 'Item', 'Qty'],
        [undefined, undefined, 'Notes', 'Old', undefined, undefined, undefined],
        ['A-1', 'Ana', 'Ring', 'Monday', undefined, 'Mug', '1'],
        ['A-2', 'Hidden', 'Knock', 'Friday', undefined, 'Tea', '1'],
        ['Old-2', 'Ana', undefined, 'Monday', undefined, 'Pan', '1'],
      ],
      merged: ['A1:A2', 'B1:B2', 'D1:D2', 'E1:E2', 'F1:F2', 'G1:G2', 'B3:B4', 'D3:D4', 'A4:A5'],
    }
    const meant = [
      orderOf('A-1', 'Ana', 'Ring', { metadata: { day: 'Monday' }, package: { description: 'Mug', itemsCount: 1 } }),
      orderOf('A-2', 'Ana', 'Knock', {
        metadata: { day: 'Monday' },
        package: { description: 'Tea, Pan', itemsCount: 2 },
      }),
    ]
    expect(await read(sheet)).toEqual([meant, meant])
  })
})
