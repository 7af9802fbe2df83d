#!/usr/bin/env bash
# dayjs 1.11.23 with its plugins utc and timezone: the next day at 5 PM in a zone keeps the offset of today across the night in which clocks
# change. "Saturday 17:00 in New York, plus one day" prints 17:00 and is the moment of 16:00 (in autumn) or 18:00 (in spring).
# luxon 3.7.2 gives the 17:00 that the clock of Sunday shows. Windows that recur daily or weekly are an hour off from then on.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" dayjs@1.11.23 luxon@3.7.2
cat >"$folder/read.mjs" <<'JS'
import dayjs from 'dayjs'
import timezone from 'dayjs/plugin/timezone.js'
import utc from 'dayjs/plugin/utc.js'
import { DateTime } from 'luxon'
dayjs.extend(utc)
dayjs.extend(timezone)
const zone = 'America/New_York'
for (const text of ['2026-10-31T17:00', '2026-03-07T17:00']) {
  const next = dayjs.tz(text, zone).add(1, 'day')
  const other = DateTime.fromISO(text, { zone }).plus({ days: 1 })
  console.log(`${text}: dayjs ${next.format('HH:mmZ')} ${next.toISOString()}, luxon ${other.toFormat('HH:mmZZ')} ${other.toUTC().toISO()}`)
}
JS
seen=$(TZ=UTC node "$folder/read.mjs")
echo "dayjs 1.11.23, luxon 3.7.2, plus one day:"; echo "$seen"
[ "$seen" = "2026-10-31T17:00: dayjs 17:00-04:00 2026-11-01T21:00:00.000Z, luxon 17:00-05:00 2026-11-01T22:00:00.000Z
2026-03-07T17:00: dayjs 17:00-05:00 2026-03-08T22:00:00.000Z, luxon 17:00-04:00 2026-03-08T21:00:00.000Z" ]
