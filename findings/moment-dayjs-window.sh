#!/usr/bin/env bash
# moment 2.31.0 and dayjs 1.11.23 (customParseFormat), asked for one time with the format MM/DD/YYYY h:mm A and given a window as people write
# it: "11/30/2026 5-7 PM" is valid and means 5:07 PM. The end of the window has become minutes, and isValid() says true. So is
# the end of "5:00 PM - 7:00 PM" lost without a word. Their strict mode (true as the last argument) refuses both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" moment@2.31.0 dayjs@1.11.23
cat >"$folder/read.mjs" <<'JS'
import dayjs from 'dayjs'
import customParseFormat from 'dayjs/plugin/customParseFormat.js'
import moment from 'moment'
dayjs.extend(customParseFormat)
const format = 'MM/DD/YYYY h:mm A'
for (const [name, read] of Object.entries({ moment, dayjs }))
  for (const text of ['11/30/2026 5-7 PM', '11/30/2026 5:00 PM - 7:00 PM']) {
    const lenient = read(text, format)
    console.log(`${name} ${text}: ${lenient.isValid()} ${lenient.format('HH:mm')}, strict ${read(text, format, true).isValid()}`)
  }
JS
seen=$(TZ=America/New_York node "$folder/read.mjs")
echo "moment 2.31.0, dayjs 1.11.23:"; echo "$seen"
[ "$seen" = "moment 11/30/2026 5-7 PM: true 17:07, strict false
moment 11/30/2026 5:00 PM - 7:00 PM: true 17:00, strict false
dayjs 11/30/2026 5-7 PM: true 17:07, strict false
dayjs 11/30/2026 5:00 PM - 7:00 PM: true 17:00, strict false" ]
