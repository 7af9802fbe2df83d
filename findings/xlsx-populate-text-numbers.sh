#!/usr/bin/env bash
# xlsx-populate 1.21.0 reads a text cell that looks like a number as a number, unless that would change its digits: of one column of ZIP codes, all
# kept as text, 28301 becomes a number and 02134 stays a text. A look-up by === finds half of the rows; and if the workbook is only opened
# and saved again, it is so in the file for every other reader. exceljs 4.4.0 and xlsx 0.18.5 read texts.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" xlsx-populate@1.21.0 xlsx@0.18.5 exceljs@4.4.0
cat >"$folder/read.mjs" <<'JS'
import ExcelJS from 'exceljs'
import XLSX from 'xlsx'
import XlsxPopulate from 'xlsx-populate'
const bytes = XLSX.write({ SheetNames: ['A'], Sheets: { A: XLSX.utils.aoa_to_sheet([['28301'], ['02134'], ['6012345678901']]) } }, { type: 'buffer', bookType: 'xlsx' })
const types = (values) => values.map((value) => `${typeof value} ${value}`).join(', ')
const texts = (from) => XLSX.utils.sheet_to_json(XLSX.read(from).Sheets.A, { header: 1 }).flat()
const book = await XlsxPopulate.fromDataAsync(bytes)
const other = new ExcelJS.Workbook()
await other.xlsx.load(bytes)
console.log(`xlsx: ${types(texts(bytes))}`)
console.log(`exceljs: ${types([1, 2, 3].map((row) => other.worksheets[0].getCell(row, 1).value))}`)
console.log(`xlsx-populate: ${types(book.sheet(0).usedRange().value().flat())}`)
console.log(`xlsx, after xlsx-populate saved it: ${types(texts(await book.outputAsync()))}`)
JS
seen=$(node "$folder/read.mjs")
echo "$seen"
[ "$seen" = 'xlsx: string 28301, string 02134, string 6012345678901
exceljs: string 28301, string 02134, string 6012345678901
xlsx-populate: number 28301, string 02134, number 6012345678901
xlsx, after xlsx-populate saved it: number 28301, string 02134, number 6012345678901' ]
