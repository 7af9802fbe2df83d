#!/usr/bin/env bash
# parse-address 1.1.2 (npm) drops the half of a house number: "123 1/2 Main St" is 123 Main St, another house, with every other part right and no
# sign that something is missing. Of military mail it keeps the first letters only. addresser 1.1.22 keeps the half, in the name of the street.
# An address that is taken apart and put together again for a driver is to be compared with what came in.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" parse-address@1.1.2 addresser@1.1.22
cat >"$folder/read.cjs" <<'JS'
const { parseLocation } = require('parse-address')
const { parseAddress } = require('addresser')
for (const address of ['123 1/2 Main St, Fayetteville, NC 28301', 'PSC 1234 Box 5678, APO, AE 09204']) console.log(JSON.stringify(parseLocation(address)))
console.log(parseAddress('123 1/2 Main St, Fayetteville, NC 28301').addressLine1)
JS
seen=$(node "$folder/read.cjs")
echo "parse-address 1.1.2, addresser 1.1.22:"; echo "$seen"
[ "$seen" = '{"number":"123","street":"Main","type":"St","city":"Fayetteville","state":"NC","zip":"28301"}
{"street":"PSC"}
123 1/2 Main St' ]
