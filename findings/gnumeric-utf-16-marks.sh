#!/usr/bin/env bash
# Gnumeric's ssconvert writes a byte order mark not only at the beginning of a UTF-16 text but again within it, with each piece
# that it converts: values such as "STORE-0<U+FEFF>02" have an invisible letter more, and compare unequal.
set -eu
command -v ssconvert >/dev/null || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends gnumeric >/dev/null; }
dpkg-query -W -f '${Package} ${Version}\n' gnumeric
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{ echo 'Order,Store'; seq -f 'A-%g,STORE-001' 2000; } >"$folder/in.csv"
ssconvert -T Gnumeric_stf:stf_assistant -O 'charset=UTF-16 format=raw' "$folder/in.csv" "$folder/out.csv" 2>/dev/null
python3 - "$folder/out.csv" <<'PY'
import sys
text = open(sys.argv[1], "rb").read().decode("utf-16")
marks = text.count("\ufeff")
print("rows:", text.count("\n"), "marks within the text:", marks)
at = text.find("\ufeff")
print("around the first:", ascii(text[max(0, at - 12):at + 12]))
sys.exit(0 if marks > 0 else 1)
PY
