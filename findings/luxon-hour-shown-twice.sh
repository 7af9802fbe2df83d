#!/usr/bin/env bash
# luxon 3.7.2: the hour that clocks show twice in autumn is the earlier or the later one depending on the season in which the program runs. The
# same text, zone and code give 01:30 EDT if it is summer today, and 01:30 EST, an hour later, if it is winter. A test that is green in
# July is red in January; a window that was planned in August moves when it is read again in December. Date takes the earlier, always.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" luxon@3.7.2
cat >"$folder/read.mjs" <<'JS'
import { DateTime, Settings } from 'luxon'
for (const today of ['2026-07-15', '2027-01-15']) {
  Settings.now = () => Date.parse(today)
  console.log(`read on ${today}: ${DateTime.fromISO('2026-11-01T01:30', { zone: 'America/New_York' }).toUTC().toISO()}`)
}
console.log(`Date: ${new Date('2026-11-01T01:30').toISOString()}`)
JS
seen=$(TZ=America/New_York node "$folder/read.mjs")
echo "luxon 3.7.2, 2026-11-01T01:30 in America/New_York:"; echo "$seen"
[ "$seen" = "read on 2026-07-15: 2026-11-01T05:30:00.000Z
read on 2027-01-15: 2026-11-01T06:30:00.000Z
Date: 2026-11-01T05:30:00.000Z" ]
