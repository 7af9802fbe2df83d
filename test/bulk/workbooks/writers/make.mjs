// Writes the same rows with writers of npm: node make.mjs OUTPUT_DIRECTORY, with xlsx@0.18.5 and exceljs@4.4.0 installed
// where it is started.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
const XLSX = require('xlsx')
const ExcelJS = require('exceljs')
const [, , out] = process.argv
const { columns, rows } = JSON.parse(readFileSync(new URL('rows.json', import.meta.url), 'utf8'))
const formats = ['0', undefined, '00000', 'yyyy-mm-dd hh:mm:ss', 'yyyy-mm-dd', '"$"#,##0.00']

// Neither writer has a time without a zone: exceljs writes the UTC hour of a date, SheetJS the hour of this machine.
const cellsOf = ([order, name, zip, from, day, cents, fragile, notes, items], dateOf) => [
  Number(order),
  name,
  Number(zip),
  dateOf(from),
  dateOf(day),
  cents / 100,
  fragile === 'TRUE',
  notes,
  items,
]
const utc = (text) => new Date(`${text.replace(' ', 'T')}${text.includes(' ') ? 'Z' : 'T00:00:00Z'}`)
const serial = (text) => utc(text).getTime() / 86_400_000 + 25_569

const book = new ExcelJS.Workbook()
const sheet = book.addWorksheet('Orders')
sheet.addRow(Object.keys(columns))
for (const row of rows) {
  const added = sheet.addRow(cellsOf(row, utc))
  formats.forEach((format, at) => {
    if (format !== undefined) added.getCell(at + 1).numFmt = format
  })
}
await book.xlsx.writeFile(join(out, 'exceljs.xlsx'))

for (const useSharedStrings of [true, false]) {
  const filename = join(out, useSharedStrings ? 'exceljs-stream.xlsx' : 'exceljs-stream-inline.xlsx')
  const stream = new ExcelJS.stream.xlsx.WorkbookWriter({ filename, useSharedStrings, useStyles: true })
  const streamed = stream.addWorksheet('Orders')
  streamed.addRow(Object.keys(columns)).commit()
  for (const row of rows) {
    const added = streamed.addRow(cellsOf(row, utc))
    formats.forEach((format, at) => {
      if (format !== undefined) added.getCell(at + 1).numFmt = format
    })
    added.commit()
  }
  await stream.commit()
}

for (const [name, options] of [
  ['sheetjs', {}],
  ['sheetjs-shared', { bookSST: true, compression: true }],
]) {
  const written = XLSX.utils.aoa_to_sheet([Object.keys(columns), ...rows.map((row) => cellsOf(row, serial))])
  rows.forEach((_, row) => {
    formats.forEach((format, at) => {
      if (format !== undefined) written[XLSX.utils.encode_cell({ r: row + 1, c: at })].z = format
    })
  })
  const made = XLSX.utils.book_new()
  XLSX.utils.book_append_sheet(made, written, 'Orders')
  XLSX.writeFile(made, join(out, `${name}.xlsx`), options)
}

// Dates as SheetJS writes them with `cellDates`: texts with a Z that mean wall time.
const dated = XLSX.utils.aoa_to_sheet([Object.keys(columns)])
rows.forEach((row, at) => {
  cellsOf(row, (text) => text).forEach((value, column) => {
    if (value === null) return
    const isDate = column === 3 || column === 4
    const type = isDate ? 'd' : typeof value === 'string' ? 's' : typeof value === 'boolean' ? 'b' : 'n'
    const cell = { t: type, v: isDate ? utc(value) : value }
    if (formats[column] !== undefined) cell.z = formats[column]
    dated[XLSX.utils.encode_cell({ r: at + 1, c: column })] = cell
  })
})
dated['!ref'] = `A1:I${rows.length + 1}`
const book2 = XLSX.utils.book_new()
XLSX.utils.book_append_sheet(book2, dated, 'Orders')
XLSX.writeFile(book2, join(out, 'sheetjs-dates.xlsx'), { cellDates: true, compression: true })
