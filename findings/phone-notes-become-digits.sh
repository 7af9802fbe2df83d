#!/usr/bin/env bash
# google-libphonenumber 3.2.47 dials the words behind a phone: "910-555-0147 gate 5" is +1 910 555 0147 4283 5, and parse() raises nothing; "(home)" is
# 4663. libphonenumber-js 1.13.16 drops "(home)", gives nothing for "gate 5", and adds the 2 of "2nd floor". Both take ", 12" and "#12" for an
# extension, which E.164 has no place for. isValidNumber tells the first ones, nothing tells the extension: format it or keep it as a note.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" google-libphonenumber@3.2.47 libphonenumber-js@1.13.16
cat >"$folder/read.mjs" <<'JS'
import google from 'google-libphonenumber'
import parse from 'libphonenumber-js'
const { PhoneNumberFormat, PhoneNumberUtil } = google
const library = PhoneNumberUtil.getInstance()
for (const text of ['910-555-0147 gate 5', '910-555-0147 (home)', '910-555-0147 2nd floor', '910-555-0147, 12', '910-555-0147 #12']) {
  let first
  try {
    const number = library.parse(text, 'US')
    first = `${library.format(number, PhoneNumberFormat.E164)} ext ${number.getExtension() ?? '-'} valid ${library.isValidNumber(number)}`
  } catch (error) {
    first = error.message
  }
  const other = parse(text, 'US')
  console.log(`${text}: ${first}; ${other ? `${other.number} ext ${other.ext ?? '-'} valid ${other.isValid()}` : 'nothing'}`)
}
JS
seen=$(node "$folder/read.mjs")
echo "google-libphonenumber 3.2.47; libphonenumber-js 1.13.16:"; echo "$seen"
[ "$seen" = '910-555-0147 gate 5: +1910555014742835 ext - valid false; nothing
910-555-0147 (home): +191055501474663 ext - valid false; +19105550147 ext - valid true
910-555-0147 2nd floor: The string supplied is too long to be a phone number; +191055501472 ext - valid false
910-555-0147, 12: +19105550147 ext 12 valid true; +19105550147 ext 12 valid true
910-555-0147 #12: +19105550147 ext 12 valid true; +19105550147 ext 12 valid true' ]
