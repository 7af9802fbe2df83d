#!/usr/bin/env bash
# chrono-node 2.10.3 reads windows as people write them, and gives an hour without AM or PM that of its neighbour, even if the window then lasts fourteen hours:
# "11-1pm", lunch, is from 11 PM until 1 PM of the next day, and "11am-1" ends at 1 AM. "5-7pm" and "12-2pm" are right, so that it is seen in the
# field. Of ISO 8601 with the end behind a hyphen, 17:00-19:00, it takes the end for an offset, and the window for noon of the day after.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" chrono-node@2.10.3
cat >"$folder/read.mjs" <<'JS'
import { parse } from 'chrono-node'
const now = { instant: new Date('2026-11-29T14:00:00Z'), timezone: 'UTC' }
const minute = (part) => part?.date().toISOString().slice(0, 16) ?? 'no end'
for (const text of ['11/30/2026 5-7pm', '11/30/2026 11-1pm', '11/30/2026 10:30-12:30pm', '11/30/2026 11am-1', '2026-11-30T17:00-19:00'])
  console.log(`${text}: ${parse(text, now).map(({ start, end }) => `${minute(start)} to ${minute(end)}`)}`)
JS
seen=$(TZ=UTC node "$folder/read.mjs")
echo "chrono-node 2.10.3:"; echo "$seen"
[ "$seen" = '11/30/2026 5-7pm: 2026-11-30T17:00 to 2026-11-30T19:00
11/30/2026 11-1pm: 2026-11-30T23:00 to 2026-12-01T13:00
11/30/2026 10:30-12:30pm: 2026-11-30T22:30 to 2026-12-01T12:30
11/30/2026 11am-1: 2026-11-30T11:00 to 2026-12-01T01:00
2026-11-30T17:00-19:00: 2026-12-01T12:00 to no end' ]
