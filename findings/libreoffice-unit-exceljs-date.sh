#!/usr/bin/env bash
# A number with a unit of one letter in its format, such as 0"h", 0"s" or 0"d", is a number. LibreOffice 7.4 of Debian 12 saves that format as 0\h,
# which means the same; exceljs 4.4.0 drops the backslash as it reads, takes what is left (0h) for the format of a date, and 12 hours, days or
# seconds are a Date in January 1900. The same sheet before LibreOffice saved it is read as 12. xlsx 0.18.5 and read-excel-file 9.3.17 read 12 in both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v soffice >/dev/null || { echo 'apt-get install libreoffice-calc-nogui'; exit 1; }
npm install --silent --no-audit --no-fund --prefix "$folder" exceljs@4.4.0 xlsx@0.18.5 read-excel-file@9.3.17
/usr/bin/python3 - "$folder/in.xlsx" <<'PY'
import sys, openpyxl
book = openpyxl.Workbook()
book.active['A1'] = 12
book.active['A1'].number_format = '0"h"'
book.save(sys.argv[1])
PY
HOME=$folder soffice --headless --convert-to xlsx --outdir "$folder/saved" "$folder/in.xlsx" >/dev/null 2>&1
cat >"$folder/read.mjs" <<'JS'
import { fileURLToPath } from 'node:url'
import ExcelJS from 'exceljs'
import { readSheet } from 'read-excel-file/node'
import XLSX from 'xlsx'
const said = (value) => (value instanceof Date ? value.toISOString() : JSON.stringify(value))
for (const name of ['in.xlsx', 'saved/in.xlsx']) {
  const path = fileURLToPath(new URL(name, import.meta.url))
  const book = new ExcelJS.Workbook()
  await book.xlsx.readFile(path)
  const cell = book.worksheets[0].getCell('A1')
  const sheet = Object.values(XLSX.readFile(path, { cellDates: true }).Sheets)[0]
  console.log(`${cell.numFmt}: exceljs ${said(cell.value)}, xlsx ${said(sheet.A1.v)}, read-excel-file ${said((await readSheet(path))[0][0])}`)
}
JS
seen=$(node "$folder/read.mjs")
dpkg-query -W -f 'LibreOffice ${Version}\n' libreoffice-calc-nogui; echo "$seen"
[ "$seen" = '0"h": exceljs 12, xlsx 12, read-excel-file 12
0h: exceljs 1900-01-11T00:00:00.000Z, xlsx 12, read-excel-file 12' ]
