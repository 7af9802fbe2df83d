// Writes the orders with programs that people have: each file is what the program itself makes of the sheet.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { columns, formats, orders } from './orders.js'

/** Writers into a folder; `packages` holds node_modules with xlsx and exceljs. */
export function writersInto(folder, packages) {
  const require = createRequire(join(packages, 'package.json'))
  const place = (program, name) => {
    mkdirSync(join(folder, program), { recursive: true })
    return join(folder, program, name)
  }
  const run = (words, options = {}) => {
    const [program, ...rest] = words
    return execFileSync(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64_000_000, ...options })
  }
  const all = []
  return { libreOffice, gnumeric, sheetJs, excelJs, xlsxWriter, csvkit, miller, convert, keepIn }

  /** Opens a file with LibreOffice and saves it in another format. */
  function convert(source, filter, target, input) {
    const own = join(dirname(target), 'made')
    mkdirSync(own, { recursive: true })
    const from = input === undefined ? [] : [`--infilter=${input}`]
    const user = `-env:UserInstallation=file://${folder}/office`
    run(['soffice', user, '--headless', ...from, '--convert-to', filter, '--outdir', own, source])
    const made = join(own, `${basename(source, extname(source))}.${filter.split(':')[0]}`)
    if (!existsSync(made)) throw new Error(`LibreOffice did not write ${target}`)
    renameSync(made, target)
    return target
  }

  function libreOffice() {
    // What an office opens is a workbook that somebody sent.
    const sheet = join(folder, 'exceljs', 'orders.xlsx')
    const text = (tokens) => `csv:Text - txt - csv (StarCalc):${tokens}`
    const made = {
      'csv ,': ['comma.csv', text('44,34,76,1,,0,false,true,true')],
      'csv ;': ['semicolon.csv', text('59,34,76,1,,0,false,true,true')],
      'csv quoted': ['quoted.csv', text('44,34,76,1,,0,true,true,true')],
      'csv values': ['values.csv', text('44,34,76,1,,0,false,true,false')],
      'csv UTF-16': ['utf-16.csv', text('44,34,65535,1,,0,false,true,true')],
      tsv: ['tabs.tsv', text('9,34,76,1,,0,false,true,true')],
      xlsx: ['orders.xlsx', 'xlsx'],
      ods: ['orders.ods', 'ods'],
      fods: ['orders.fods', 'fods'],
      xls: ['orders.xls', 'xls'],
      html: ['orders.html', 'html'],
      slk: ['orders.slk', 'slk'],
      dif: ['orders.dif', 'dif'],
    }
    return files('libreoffice', made, (filter, target) => convert(sheet, filter, target))
  }

  function gnumeric() {
    const sheet = join(folder, 'libreoffice', 'orders.ods')
    const stf = (options) => ['-T', 'Gnumeric_stf:stf_assistant', '-O', options]
    const made = {
      'csv ,': ['comma.csv', ['-T', 'Gnumeric_stf:stf_csv']],
      'csv ;': ['semicolon.csv', stf('separator=; format=preserve')],
      'csv quoted': ['quoted.csv', stf('quoting-mode=always format=preserve')],
      'csv values': ['values.csv', stf('format=raw')],
      'csv CRLF': ['windows.csv', stf('eol=windows format=preserve')],
      'csv CR': ['mac.csv', stf('eol=mac format=preserve')],
      'csv UTF-16': ['utf-16.csv', stf('charset=UTF-16 format=preserve')],
      tsv: ['tabs.tsv', stf("separator='\t' format=preserve")],
      xlsx: ['orders.xlsx', ['-T', 'Gnumeric_Excel:xlsx']],
      'xlsx strict': ['strict.xlsx', ['-T', 'Gnumeric_Excel:xlsx2']],
      ods: ['orders.ods', ['-T', 'Gnumeric_OpenCalc:odf']],
      xls: ['orders.xls', ['-T', 'Gnumeric_Excel:excel_biff8']],
      gnumeric: ['orders.gnumeric', ['-T', 'Gnumeric_XmlIO:sax']],
      html: ['orders.html', ['-T', 'Gnumeric_html:html40']],
      slk: ['orders.slk', ['-T', 'Gnumeric_sylk:sylk']],
    }
    return files('gnumeric', made, (options, target) => run(['ssconvert', ...options, sheet, target]))
  }

  function sheetJs() {
    const XLSX = require('xlsx')
    const serial = (wall) => Date.parse(`${wall.replace(' ', 'T')}:00Z`) / 86_400_000 + 25_569
    const cell = (name, value) => {
      if (value === null) return null
      if (typeof value === 'object')
        return 'money' in value
          ? { t: 'n', v: value.money, z: '"$"0.00' }
          : { t: 'n', v: serial(value.time), z: formats[name] }
      return typeof value === 'number' && name in formats ? { t: 'n', v: value, z: formats[name] } : value
    }
    const rows = orders.map(({ cells }) => columns.map((name) => cell(name, cells[name])))
    const sheet = XLSX.utils.aoa_to_sheet([columns, ...rows])
    const book = XLSX.utils.book_new()
    XLSX.utils.book_append_sheet(book, sheet, 'Orders')
    const type =
      (bookType, more = {}) =>
      (target) =>
        XLSX.writeFile(book, target, { bookType, ...more })
    const text = (content) => (target) => writeFileSync(target, content())
    const objects = (more) => XLSX.utils.sheet_to_json(sheet, more)
    const made = {
      xlsx: ['orders.xlsx', type('xlsx')],
      'xlsx shared': ['shared.xlsx', type('xlsx', { bookSST: true, compression: true })],
      xlsm: ['orders.xlsm', type('xlsm')],
      ods: ['orders.ods', type('ods')],
      'csv ,': ['comma.csv', type('csv')],
      'csv ;': ['semicolon.csv', text(() => XLSX.utils.sheet_to_csv(sheet, { FS: ';' }))],
      'csv quoted': ['quoted.csv', text(() => XLSX.utils.sheet_to_csv(sheet, { forceQuotes: true }))],
      'csv CRLF': ['windows.csv', text(() => XLSX.utils.sheet_to_csv(sheet, { RS: '\r\n' }))],
      'txt UTF-16': ['orders.txt', type('txt')],
      'json shown': ['shown.json', text(() => JSON.stringify(objects({ raw: false })))],
      'json values': ['values.json', text(() => JSON.stringify(objects({})))],
      ndjson: [
        'orders.ndjson',
        text(() =>
          objects({ raw: false })
            .map((row) => `${JSON.stringify(row)}\n`)
            .join(''),
        ),
      ],
      fods: ['orders.fods', type('fods')],
      xls: ['orders.xls', type('biff8')],
      xlsb: ['orders.xlsb', type('xlsb')],
      xml: ['orders.xml', type('xlml')],
      html: ['orders.html', type('html')],
      slk: ['orders.slk', type('slk')],
      dif: ['orders.dif', type('dif')],
    }
    return files('sheetjs', made, (write, target) => write(target))
  }

  async function excelJs() {
    const ExcelJS = require('exceljs')
    // The writer takes the UTC hour of a time for the one of the cell.
    const value = (one) =>
      one === null || typeof one !== 'object'
        ? one
        : 'money' in one
          ? one.money
          : new Date(`${one.time.replace(' ', 'T')}:00Z`)
    const fill = (sheet) => {
      sheet.addRow(columns)
      for (const { cells } of orders) {
        const row = sheet.addRow(columns.map((name) => value(cells[name])))
        for (const [at, name] of columns.entries())
          if (name in formats) row.getCell(at + 1).numFmt = formats[name].replace('$', '"$"')
      }
    }
    const book = new ExcelJS.Workbook()
    fill(book.addWorksheet('Orders'))
    const stream = (more) => async (filename) => {
      const writer = new ExcelJS.stream.xlsx.WorkbookWriter({ filename, useStyles: true, ...more })
      fill(writer.addWorksheet('Orders'))
      await writer.commit()
    }
    const csv = (formatterOptions) => (target) =>
      book.csv.writeFile(target, { dateUTC: true, dateFormat: 'YYYY-MM-DD HH:mm', formatterOptions })
    const made = {
      xlsx: ['orders.xlsx', (target) => book.xlsx.writeFile(target)],
      'xlsx stream': ['stream.xlsx', stream({ useSharedStrings: true })],
      'xlsx inline': ['inline.xlsx', stream({ useSharedStrings: false })],
      'csv ,': ['comma.csv', csv({})],
      'csv ;': ['semicolon.csv', csv({ delimiter: ';' })],
      'csv quoted': ['quoted.csv', csv({ quoteColumns: true, quoteHeaders: true })],
      'csv CRLF': ['windows.csv', csv({ rowDelimiter: '\r\n', writeBOM: true })],
      tsv: ['tabs.tsv', csv({ delimiter: '\t' })],
    }
    return files('exceljs', made, (write, target) => write(target))
  }

  function xlsxWriter() {
    const cells = join(folder, 'cells.json')
    writeFileSync(cells, JSON.stringify({ columns, formats, rows: orders.map((order) => order.cells) }))
    const script = join(import.meta.dirname, 'xlsx-writer.py')
    const made = {
      xlsx: ['orders.xlsx', []],
      'xlsx constant memory': ['constant.xlsx', ['constant_memory']],
      'xlsx 1904': ['mac.xlsx', ['date_1904']],
    }
    return files('xlsxwriter', made, (options, target) => run(['/usr/bin/python3', script, cells, target, ...options]))
  }

  function csvkit() {
    const sheet = join(folder, 'libreoffice', 'comma.csv')
    const book = join(folder, 'libreoffice', 'orders.xlsx')
    const text = (words) => (target) => writeFileSync(target, run(words))
    const made = {
      'csv ,': ['comma.csv', text(['csvformat', sheet])],
      'csv ;': ['semicolon.csv', text(['csvformat', '-D', ';', sheet])],
      'csv quoted': ['quoted.csv', text(['csvformat', '-U', '1', sheet])],
      'csv CRLF': ['windows.csv', text(['csvformat', '-M', '\r\n', sheet])],
      tsv: ['tabs.tsv', text(['csvformat', '-T', sheet])],
      'csv of xlsx': ['of-xlsx.csv', text(['in2csv', '-I', book])],
      'csv guessed': ['guessed.csv', text(['in2csv', book])],
      json: ['orders.json', text(['csvjson', '-y', '0', '-I', sheet])],
      ndjson: ['orders.ndjson', text(['csvjson', '-y', '0', '-I', '--stream', sheet])],
      'json guessed': ['guessed.json', text(['csvjson', '-y', '0', sheet])],
    }
    return files('csvkit', made, (write, target) => write(target))
  }

  function miller() {
    const sheet = join(folder, 'libreoffice', 'comma.csv')
    const text =
      (...words) =>
      (target) =>
        writeFileSync(target, run(['mlr', ...words, 'cat', sheet]))
    const made = {
      'csv ,': ['comma.csv', text('--icsv', '--ocsv')],
      'csv ;': ['semicolon.csv', text('--icsv', '--ocsv', '--ofs', ';')],
      'csv quoted': ['quoted.csv', text('--icsv', '--ocsv', '--quote-all')],
      tsv: ['tabs.tsv', text('--icsv', '--otsv')],
      json: ['orders.json', text('--icsv', '--ojson')],
      'json texts': ['texts.json', text('--icsv', '--ojson', '-S')],
      ndjson: ['orders.ndjson', text('--icsv', '--ojsonl')],
      xtab: ['orders.xtab', text('--icsv', '--oxtab')],
      pprint: ['orders.pprint', text('--icsv', '--opprint')],
      markdown: ['orders.md', text('--icsv', '--omd')],
    }
    return files('miller', made, (write, target) => write(target))
  }

  /** Copies the files under names that tell their writer. */
  function keepIn(target) {
    for (const { program, file } of all) copyFileSync(file, join(target, `${program}-${basename(file)}`))
  }

  async function files(program, made, write) {
    const written = []
    for (const [format, [name, how]] of Object.entries(made)) {
      const file = place(program, name)
      await write(how, file)
      written.push({ program, format, file })
      all.push({ program, file })
    }
    return written
  }
}
