#!/usr/bin/env bash
# any-date-parser 2.2.4 reads "2026-11-30T17:00:00-05:00", "… 5:00 PM EST" and even a Z as they are only on a machine whose clock is UTC; elsewhere
# the offset of the machine is added to the one of the text. The tests pass in a container, and at a desk in New York a delivery for 5 PM is
# read as 10 PM. It reads "24:00", the end of a day, as its beginning.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" any-date-parser@2.2.4
cat >"$folder/read.mjs" <<'JS'
import parser from 'any-date-parser'
const texts = ['2026-11-30T17:00:00-05:00', '11/30/2026 5:00 PM EST', '2026-11-30T22:00:00Z']
const read = texts.map((text) => parser.fromString(text).toISOString())
const end = parser.fromString('2026-11-30 24:00')
console.log(`${process.env.TZ}: ${read.join(' ')}; 24:00 is ${end.getDate()} at ${end.getHours()}:00`)
JS
seen=$(for zone in UTC America/New_York; do TZ=$zone node "$folder/read.mjs"; done)
echo "any-date-parser 2.2.4, three ways to write 2026-11-30T22:00Z:"; echo "$seen"
[ "$seen" = "UTC: 2026-11-30T22:00:00.000Z 2026-11-30T22:00:00.000Z 2026-11-30T22:00:00.000Z; 24:00 is 30 at 0:00
America/New_York: 2026-12-01T03:00:00.000Z 2026-12-01T03:00:00.000Z 2026-12-01T03:00:00.000Z; 24:00 is 30 at 0:00" ]
