#!/usr/bin/env bash
# XlsxWriter of Debian 12 stores 0 as the value of every formula and asks the program that opens the file to calculate. A reader of
# values (here openpyxl with data_only=True) does not calculate: it gives 0 for =6*7, not "no value", and no error. The mark is
# fullCalcOnLoad="1" in xl/workbook.xml; with it, a formula with 0 says nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=/usr/bin/python3
"$python" -c 'import openpyxl, xlsxwriter' 2>/dev/null || { echo 'apt-get install python3-openpyxl python3-xlsxwriter'; exit 1; }
seen=$("$python" - "$folder/f.xlsx" <<'PY'
import sys, zipfile, openpyxl, xlsxwriter
book = xlsxwriter.Workbook(sys.argv[1])
book.add_worksheet().write_formula(0, 0, '=6*7')
book.close()
value = openpyxl.load_workbook(sys.argv[1], data_only=True).active['A1'].value
asks = 'fullCalcOnLoad="1"' in zipfile.ZipFile(sys.argv[1]).read('xl/workbook.xml').decode()
print(f'=6*7 is read as {value!r}, fullCalcOnLoad {asks}')
PY
)
echo "XlsxWriter $(dpkg-query -W -f '${Version}' python3-xlsxwriter), openpyxl $(dpkg-query -W -f '${Version}' python3-openpyxl): $seen"
[ "$seen" = '=6*7 is read as 0, fullCalcOnLoad True' ]
