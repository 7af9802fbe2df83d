#!/usr/bin/env bash
# xlsx 0.18.5 (SheetJS of npm), a workbook that counts days from 1904, as old Excel for the Mac made it and copies of it still do: with cellDates the
# value is four years and a day early, while the text that the same cell shows (w, or raw: false) is right. exceljs 4.4.0 and
# read-excel-file 9.3.17 give the right date; xlsx-populate 1.21.0 gives the bare number and a numberToDate that knows 1900 only.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 -c 'import xlsxwriter' 2>/dev/null || { echo 'apt-get install python3-xlsxwriter'; exit 1; }
npm install --silent --no-audit --no-fund --prefix "$folder" xlsx@0.18.5 exceljs@4.4.0 read-excel-file@9.3.17 xlsx-populate@1.21.0
/usr/bin/python3 - "$folder/mac.xlsx" <<'PY'
import datetime, sys, xlsxwriter
book = xlsxwriter.Workbook(sys.argv[1], {'date_1904': True})
book.add_worksheet().write_datetime(0, 0, datetime.datetime(2026, 11, 30, 17, 0), book.add_format({'num_format': 'yyyy-mm-dd hh:mm'}))
book.close()
PY
cat >"$folder/read.mjs" <<'JS'
import { fileURLToPath } from 'node:url'
import ExcelJS from 'exceljs'
import { readSheet } from 'read-excel-file/node'
import XLSX from 'xlsx'
import XlsxPopulate from 'xlsx-populate'
const path = fileURLToPath(new URL('mac.xlsx', import.meta.url))
const { A1 } = XLSX.readFile(path, { cellDates: true }).Sheets.Sheet1
console.log(`xlsx ${A1.v.toISOString().slice(0, 16)}, shown as ${XLSX.readFile(path).Sheets.Sheet1.A1.w}`)
const book = new ExcelJS.Workbook()
await book.xlsx.readFile(path)
console.log(`exceljs ${book.worksheets[0].getCell('A1').value.toISOString().slice(0, 16)}`)
console.log(`read-excel-file ${(await readSheet(path))[0][0].toISOString().slice(0, 16)}`)
const value = (await XlsxPopulate.fromFileAsync(path)).sheet(0).cell('A1').value()
console.log(`xlsx-populate ${value.toFixed(3)}, ${XlsxPopulate.numberToDate(value).toISOString().slice(0, 16)}`)
JS
seen=$(TZ=UTC node "$folder/read.mjs")
echo "$seen"
[ "$seen" = 'xlsx 2022-11-29T17:00, shown as 2026-11-30 17:00
exceljs 2026-11-30T17:00
read-excel-file 2026-11-30T17:00
xlsx-populate 44894.708, 2022-11-29T17:00' ]
