#!/usr/bin/env bash
# exceljs 4.4.0 and xlsx 0.18.5 (npm) write one and the same Date as two times: a cell has no zone, exceljs stores the hour in UTC and
# SheetJS that of the machine. Both write the same file on a server in UTC, and differ by the offset at a desk in New York. A reader
# cannot tell which is meant; only times that lie in the night give a hint.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" exceljs@4.4.0 xlsx@0.18.5
cat >"$folder/write.cjs" <<'JS'
const ExcelJS = require('exceljs')
const XLSX = require('xlsx')
const at = new Date('2026-11-30T20:00:00Z')
const main = async () => {
  const book = new ExcelJS.Workbook()
  book.addWorksheet('A').addRow([at])
  await book.xlsx.writeFile(`${__dirname}/e.xlsx`)
  XLSX.writeFile({ SheetNames: ['A'], Sheets: { A: XLSX.utils.aoa_to_sheet([[at]]) } }, `${__dirname}/s.xlsx`)
  const raw = (name) => XLSX.readFile(`${__dirname}/${name}`).Sheets.A.A1.v
  console.log(`${process.env.TZ}: exceljs ${raw('e.xlsx').toFixed(4)}, SheetJS ${raw('s.xlsx').toFixed(4)}`)
}
main()
JS
seen=$(for zone in UTC America/New_York; do TZ=$zone node "$folder/write.cjs"; done)
echo "exceljs 4.4.0, xlsx 0.18.5, 2026-11-30T20:00:00Z in each zone:"; echo "$seen"
[ "$seen" = "UTC: exceljs 46356.8333, SheetJS 46356.8333
America/New_York: exceljs 46356.8333, SheetJS 46356.6250" ]
