#!/usr/bin/env bash
# xlsx2csv 0.7.8 of Debian 12 prints hours of a format without AM/PM as those of a clock face, where the month stands before: m/d/yy h:mm, what Excel
# gives a date with a time, is 05:29 for half past five in the morning and in the afternoon, and a minute early. "ORD-"0, a number with its
# letters in the format, is taken for a date: ORD-42 is "or10-"0. With -f '%Y-%m-%d %H:%M' the hours are right, and the minute is still early.
set -eu
for package in xlsx2csv python3-openpyxl; do dpkg -s "$package" >/dev/null 2>&1 || { echo 'apt-get install xlsx2csv python3-openpyxl'; exit 1; }; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 - "$folder/orders.xlsx" <<'PY'
import datetime, sys, openpyxl
book = openpyxl.Workbook()
for row, hour in enumerate([5, 17], 1):
    book.active.append([42, datetime.datetime(2026, 11, 30, hour, 30)])
    book.active.cell(row, 1).number_format = '"ORD-"0'
    book.active.cell(row, 2).number_format = 'm/d/yy h:mm'
book.save(sys.argv[1])
again = openpyxl.load_workbook(sys.argv[1]).active
print('openpyxl:', ', '.join(str(row[1].value) for row in again.iter_rows()))
PY
seen=$(xlsx2csv "$folder/orders.xlsx" && xlsx2csv -f '%Y-%m-%d %H:%M' "$folder/orders.xlsx")
dpkg-query -W xlsx2csv; echo "$seen"
[ "$seen" = '"""or10-""0",11/30/26 05:29
"""or10-""0",11/30/26 05:29
1900-02-10 00:00,2026-11-30 05:29
1900-02-10 00:00,2026-11-30 17:29' ]
