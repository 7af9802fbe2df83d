#!/usr/bin/env bash
# papaparse 5.7.1 and csv-parse 7.0.3 decide by the first line how lines end, and hold all others to it. Two exports put together, one of Windows
# and one of a server: with CRLF first, the rows that end in LF run together, and a list of ids is one id with a line break, without an error
# of csv-parse; with LF first, every last cell of the others has an invisible CR, and compares unequal. d3-dsv 3.0.2 and fast-csv 5.0.8 take each line as it ends.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" papaparse@5.7.1 csv-parse@7.0.3 d3-dsv@3.0.2 fast-csv@5.0.8
cat >"$folder/read.mjs" <<'JS'
import { parse } from 'csv-parse/sync'
import { csvParse } from 'd3-dsv'
import { parseString } from 'fast-csv'
import Papa from 'papaparse'
const fast = (text) =>
  new Promise((done) => {
    const rows = []
    parseString(text, { headers: true }).on('data', (row) => rows.push(row)).on('end', () => done(rows))
  })
for (const text of ['order\r\nA-1\nA-2\nA-3\r\n', 'order\nA-1\r\nA-2\n']) {
  const read = {
    papaparse: Papa.parse(text, { header: true, skipEmptyLines: true }).data,
    'csv-parse': parse(text, { columns: true }),
    'd3-dsv': csvParse(text),
    'fast-csv': await fast(text),
  }
  for (const [name, rows] of Object.entries(read)) console.log(`${name}: ${JSON.stringify(rows.map(({ order }) => order))}`)
}
JS
seen=$(node "$folder/read.mjs")
echo "$seen"
[ "$seen" = 'papaparse: ["A-1\nA-2\nA-3"]
csv-parse: ["A-1\nA-2\nA-3"]
d3-dsv: ["A-1","A-2","A-3"]
fast-csv: ["A-1","A-2","A-3"]
papaparse: ["A-1\r","A-2"]
csv-parse: ["A-1\r","A-2"]
d3-dsv: ["A-1","A-2"]
fast-csv: ["A-1","A-2"]' ]
