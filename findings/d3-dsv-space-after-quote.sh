#!/usr/bin/env bash
# d3-dsv 3.0.2 takes whatever follows a closing quote for the end of the cell and begins another one: a space before the comma, as exports padded
# to columns have it, is an empty cell more. Everything behind it moves by one column, and the last one is lost: the ZIP code is the
# city. No error; other rows of the file are right. papaparse 5.7.1 and fast-csv 5.0.8 skip the space, csv-parse 7.0.3 refuses the file by line.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" d3-dsv@3.0.2 papaparse@5.7.1 csv-parse@7.0.3 fast-csv@5.0.8
cat >"$folder/read.mjs" <<'JS'
import { parse } from 'csv-parse/sync'
import { csvParse } from 'd3-dsv'
import { parseString } from 'fast-csv'
import Papa from 'papaparse'
const text = 'order,street,city,zip\nA-1,"5 Hay Street" ,Fayetteville,28301\nA-2,"6 Hay Street",Fayetteville,28301\n'
const show = (name, rows) => console.log(`${name}: ${rows.map(({ city, zip }) => `city "${city}", zip "${zip}"`).join('; ')}`)
show('d3-dsv', csvParse(text))
show('papaparse', Papa.parse(text, { header: true, skipEmptyLines: true }).data)
try {
  show('csv-parse', parse(text, { columns: true }))
} catch (error) {
  console.log(`csv-parse: ${error.code}`)
}
const rows = []
parseString(text, { headers: true }).on('data', (row) => rows.push(row)).on('end', () => show('fast-csv', rows))
JS
seen=$(node "$folder/read.mjs")
echo "$seen"
[ "$seen" = 'd3-dsv: city "", zip "Fayetteville"; city "Fayetteville", zip "28301"
papaparse: city "Fayetteville", zip "28301"; city "Fayetteville", zip "28301"
csv-parse: CSV_INVALID_CLOSING_QUOTE
fast-csv: city "Fayetteville", zip "28301"; city "Fayetteville", zip "28301"' ]
