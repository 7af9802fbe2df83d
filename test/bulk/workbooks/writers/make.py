"""Writes the same rows with Python's writers: make.py OUTPUT_DIRECTORY (python3-openpyxl, python3-xlsxwriter)."""
import datetime
import json
import os
import sys

import openpyxl
import xlsxwriter

here = os.path.dirname(os.path.abspath(__file__))
out = sys.argv[1]
meant = json.load(open(os.path.join(here, "rows.json"), encoding="utf-8"))
header = list(meant["columns"])
formats = ["0", None, "00000", "yyyy-mm-dd hh:mm", "yyyy-mm-dd", '"$"#,##0.00', None, None, None]


def cells(row):
    number, name, code, begin, day, cents, fragile, notes, items = row
    pattern = "%Y-%m-%d %H:%M:%S" if begin.count(":") == 2 else "%Y-%m-%d %H:%M"
    return [
        int(number), name, int(code), datetime.datetime.strptime(begin, pattern), datetime.date.fromisoformat(day),
        cents / 100, fragile == "TRUE", notes, items,
    ]


book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Orders"
sheet.append(header)
for row in meant["rows"]:
    sheet.append(cells(row))
    for cell, code in zip(sheet[sheet.max_row], formats):
        if code is not None:
            cell.number_format = code
book.save(os.path.join(out, "openpyxl.xlsx"))

stream = openpyxl.Workbook(write_only=True)
sheet = stream.create_sheet("Orders")
sheet.append(header)
for row in meant["rows"]:
    line = []
    for value, code in zip(cells(row), formats):
        cell = openpyxl.cell.WriteOnlyCell(sheet, value=value)
        if code is not None:
            cell.number_format = code
        line.append(cell)
    sheet.append(line)
stream.save(os.path.join(out, "openpyxl-stream.xlsx"))

for name, options in {
    "xlsxwriter": {},
    "xlsxwriter-constant-memory": {"constant_memory": True},
    "xlsxwriter-1904": {"date_1904": True},
}.items():
    book = xlsxwriter.Workbook(os.path.join(out, f"{name}.xlsx"), options)
    sheet = book.add_worksheet("Orders")
    styles = [None if code is None else book.add_format({"num_format": code}) for code in formats]
    sheet.write_row(0, 0, header)
    for at, row in enumerate(meant["rows"], 1):
        for column, (value, style) in enumerate(zip(cells(row), styles)):
            if value is None:
                continue
            if isinstance(value, (datetime.datetime, datetime.date)):
                sheet.write_datetime(at, column, value, style)
            elif isinstance(value, str):
                sheet.write_string(at, column, value)
            elif isinstance(value, bool):
                sheet.write_boolean(at, column, value)
            else:
                sheet.write_number(at, column, value, style)
    book.close()
