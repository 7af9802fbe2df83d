#!/usr/bin/env bash
# addresser 1.1.22 (npm) takes the number of a highway for a unit: "1000 US Highway 401" is "1000 Us Hwy" with the second line "401". Of an address
# on a base that begins with its building, the house number is the name of the street: "Ardennes", and the street is "Street".
# parse-address 1.1.2 reads both rightly. Neither says so; on roads like these the driver stands at a highway without a number.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" addresser@1.1.22 parse-address@1.1.2
cat >"$folder/read.cjs" <<'JS'
const { parseAddress } = require('addresser')
const { parseLocation } = require('parse-address')
for (const address of ['1000 US Highway 401, Raeford, NC 28376', 'Building 4-2274, Ardennes Street, Fort Bragg, NC 28310']) {
  const { streetNumber, streetName, streetSuffix, addressLine2 } = parseAddress(address)
  const other = parseLocation(address)
  console.log('addresser', JSON.stringify({ streetNumber, streetName, streetSuffix, addressLine2 }))
  console.log('parse-address', other.number ?? '-', other.street, other.sec_unit_num ?? '-')
}
JS
seen=$(node "$folder/read.cjs")
echo "addresser 1.1.22, parse-address 1.1.2:"; echo "$seen"
[ "$seen" = 'addresser {"streetNumber":"1000","streetName":"Us","streetSuffix":"Hwy","addressLine2":"401"}
parse-address 1000 US Highway 401 -
addresser {"streetNumber":"Ardennes","streetName":"Street","addressLine2":"Building 4-2274"}
parse-address - Ardennes 4-2274' ]
