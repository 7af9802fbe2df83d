#!/usr/bin/env bash
# roo 2.10.0 of Debian 12 (ruby-roo) takes the format h:mm AM/PM for that of a date, and gives the day of a cell without its time: a window that
# begins at 5:30 PM is midnight of 2026-11-30, and a cell with only the time is 1899-12-30. With h:mm, or a date in the format, the
# time is there. A number with letters in its format, "ORD-"0, is a Date of 1900. No error; Excel shows all of them rightly.
set -eu
for package in ruby-roo python3-openpyxl; do dpkg -s "$package" >/dev/null 2>&1 || { echo 'apt-get install ruby-roo python3-openpyxl'; exit 1; }; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 - "$folder/orders.xlsx" <<'PY'
import datetime, sys, openpyxl
book = openpyxl.Workbook()
at = datetime.datetime(2026, 11, 30, 17, 30)
for row, (format, value) in enumerate([('h:mm AM/PM', at), ('m/d/yyyy h:mm AM/PM', at), ('h:mm', at), ('h:mm AM/PM', at.time()), ('"ORD-"0', 42)], 1):
    book.active.append([value])
    book.active.cell(row, 1).number_format = format
book.save(sys.argv[1])
PY
seen=$(ruby - "$folder/orders.xlsx" <<'RUBY'
require 'roo'
sheet = Roo::Spreadsheet.open(ARGV[0])
(1..5).each { |row| puts "#{sheet.excelx_format(row, 1)}: #{sheet.cell(row, 1).class} #{sheet.cell(row, 1)}" }
RUBY
)
dpkg-query -W ruby-roo; echo "$seen"
[ "$seen" = 'h:mm AM/PM: Date 2026-11-30
m/d/yyyy h:mm AM/PM: DateTime 2026-11-30T17:30:00+00:00
h:mm: DateTime 2026-11-30T17:30:00+00:00
h:mm AM/PM: Date 1899-12-30
"ORD-"0: Date 1900-02-10' ]
