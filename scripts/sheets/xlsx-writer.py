"""Writes the orders with XlsxWriter: xlsx-writer.py CELLS.json FILE.xlsx [OPTION…]"""

import datetime
import json
import sys

import xlsxwriter

source, target, *options = sys.argv[1:]
with open(source, encoding="utf-8") as text:
    sheet = json.load(text)
book = xlsxwriter.Workbook(target, {option: True for option in options})
page = book.add_worksheet("Orders")
styles = {name: book.add_format({"num_format": code}) for name, code in sheet["formats"].items()}
page.write_row(0, 0, sheet["columns"])
for row, cells in enumerate(sheet["rows"], 1):
    for column, name in enumerate(sheet["columns"]):
        value = cells[name]
        style = styles.get(name)
        if isinstance(value, dict) and "time" in value:
            page.write_datetime(row, column, datetime.datetime.fromisoformat(value["time"]), style)
        elif isinstance(value, dict):
            page.write_number(row, column, value["money"], style)
        elif isinstance(value, str):
            page.write_string(row, column, value, style)
        elif isinstance(value, bool):
            page.write_boolean(row, column, value, style)
        elif value is not None:
            page.write_number(row, column, value, style)
book.close()
