#!/usr/bin/env bash
# LibreOffice 7.4 of Debian 12 saves a number of 16 digits whole in .ods, and with 15 digits and a zero in .xlsx: the same sheet has two
# references, depending on the format that it was saved in. TRUE of an .xlsx becomes the number 1 with the formula TRUE() in .ods.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v soffice >/dev/null || { echo 'apt-get install libreoffice-calc-nogui'; exit 1; }
/usr/bin/python3 - "$folder/in.xlsx" <<'PY'
import sys, openpyxl
book = openpyxl.Workbook()
book.active.append([6012345678903461, True])
book.active['A1'].number_format = '0'
book.save(sys.argv[1])
PY
for format in ods xlsx; do
  HOME=$folder soffice --headless --convert-to "$format" --outdir "$folder/$format" "$folder/in.xlsx" >/dev/null 2>&1
done
seen=$(/usr/bin/python3 - "$folder" <<'PY'
import re, sys, zipfile
part = lambda file, name: zipfile.ZipFile(f'{sys.argv[1]}/{file}').read(name).decode()
ods = part('ods/in.ods', 'content.xml')
print('.ods', re.findall(r'office:value="(6\d+)"', ods)[0], re.findall(r'of:=TRUE\(\)" office:value-type="(\w+)"', ods)[0])
print('.xlsx', re.findall(r'<v>(6\d+)</v>', part('xlsx/in.xlsx', 'xl/worksheets/sheet1.xml'))[0])
PY
)
echo "$(dpkg-query -W -f 'LibreOffice ${Version}' libreoffice-calc-nogui), 6012345678903461 and TRUE saved as:"; echo "$seen"
[ "$seen" = '.ods 6012345678903461 float
.xlsx 6012345678903460' ]
