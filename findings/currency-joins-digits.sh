#!/usr/bin/env bash
# currency.js 2.0.4 and accounting 0.4.1 read money by leaving out what they do not know and joining the digits that remain: "2 x $5.00" is 25, "45,50"
# is 4550, "1e3" is 13, a refund with the minus sign of typography is a charge, and "Rs. 500" is half a rupee. No error; a value that is no
# amount at all is 0. Check the form of the text before either sees it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" currency.js@2.0.4 accounting@0.4.1
cat >"$folder/read.mjs" <<'JS'
import accounting from 'accounting'
import currency from 'currency.js'
for (const text of ['2 x $5.00', '45,50', '1e3', '\u22125.00', 'Rs. 500', 'free']) console.log(`${text}: ${currency(text).value} ${accounting.unformat(text)}`)
JS
seen=$(node "$folder/read.mjs")
echo "currency.js 2.0.4, accounting 0.4.1:"; echo "$seen"
# shellcheck disable=SC2016 # an amount, no variable
[ "$seen" = '2 x $5.00: 25 25
45,50: 4550 4550
1e3: 13 13
−5.00: 5 5
Rs. 500: 0.5 0.5
free: 0 0' ]
