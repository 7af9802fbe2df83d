/**
 * `write FILE ROWS` writes orders with the streaming writer of exceljs; `read FILE` reads them with its streaming reader, and
 * says how many rows, how long it took and the peak memory.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , app, task, file, count] = process.argv
const ExcelJS = createRequire(join(app, 'package.json'))('exceljs')
const columns = [
  ...['clientOrderReference', 'pickup.storeReference', 'dropoff.contactName', 'dropoff.contactPhone'],
  ...['dropoff.address.line1', 'dropoff.address.city', 'dropoff.address.state', 'dropoff.address.postalCode'],
  ...['package.itemsCount', 'package.valueCents', 'tipAmountCents', 'dropoff.instructions'],
]
const cellsOf = (at) => [
  ...[`ORD-${at}`, 'STORE-001', `Ana Cole ${at % 5_000}`, `+1910555${String(at % 10_000).padStart(4, '0')}`],
  ...[`${at % 900} Hay St`, 'Fayetteville', 'NC', 28_301, 1 + (at % 9), 1_000 + (at % 9_000), at % 500],
  `Ring twice ${at % 100}`,
]

if (task === 'write') {
  const writer = new ExcelJS.stream.xlsx.WorkbookWriter({ filename: file, useSharedStrings: true, useStyles: true })
  const sheet = writer.addWorksheet('Orders')
  sheet.addRow(columns).commit()
  for (let at = 0; at < Number(count); at++) {
    const row = sheet.addRow(cellsOf(at))
    row.getCell(8).numFmt = '00000'
    row.commit()
  }
  await writer.commit()
  console.log('{}')
} else {
  const started = performance.now()
  const reader = new ExcelJS.stream.xlsx.WorkbookReader(file, {
    sharedStrings: 'cache',
    styles: 'cache',
    worksheets: 'emit',
  })
  let rows = 0
  for await (const sheet of reader) for await (const row of sheet) if (row.values.length > 1) rows++
  const ms = performance.now() - started
  console.log(JSON.stringify({ rows: rows - 1, ms, peakBytes: process.resourceUsage().maxRSS * 1024 }))
}
