#!/usr/bin/env bash
# zipcode-to-timezone 0.0.9 gives zones that are an hour off, by their state: Owensboro, KY 42301 and Chesterton, IN 46304 are in Central time and read as
# Eastern, Ontario, OR 97914 keeps Mountain time and is read as Pacific. For Puerto Rico, Guam and military mail it gives null. What tz-lookup
# 6.1.25 and geo-tz 8.1.9 find at the point that zipcodes 8.0.0 has for them is right. A window of "5 PM" is 4 PM or 6 PM there.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" zipcode-to-timezone@0.0.9 zipcodes@8.0.0 tz-lookup@6.1.25 geo-tz@8.1.9
cat >"$folder/read.cjs" <<'JS'
const { find } = require('geo-tz')
const zones = require('tz-lookup')
const byZip = require('zipcode-to-timezone')
const zipcodes = require('zipcodes')
for (const zip of ['42301', '46304', '97914', '00921', '42223']) {
  const { city, state, latitude, longitude } = zipcodes.lookup(zip)
  console.log(`${city}, ${state} ${zip}: ${byZip.lookup(zip)}; ${zones(latitude, longitude)}, ${find(latitude, longitude)}`)
}
JS
seen=$(node "$folder/read.cjs")
echo "zipcode-to-timezone 0.0.9; tz-lookup 6.1.25, geo-tz 8.1.9:"; echo "$seen"
[ "$seen" = 'Owensboro, KY 42301: America/Kentucky/Louisville; America/Chicago, America/Chicago
Chesterton, IN 46304: America/Indiana/Indianapolis; America/Chicago, America/Chicago
Ontario, OR 97914: America/Los_Angeles; America/Boise, America/Boise
San Juan, PR 00921: null; America/Puerto_Rico, America/Puerto_Rico
Fort Campbell, KY 42223: America/Chicago; America/Chicago, America/Chicago' ]
