import { createReadStream, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type InputRow, type RowOptions, readRows } from '../../src/bulk/index.js'
import { DeliveryCreate, UsageError } from '../../src/contract/index.js'
import { odsParts, type XlsxContent, xlsxParts, zipOf } from '../support/zip.js'

const folder = 'test/bulk/workbooks'
const { columns: pairs, rows: meant } = JSON.parse(readFileSync(`${folder}/writers/rows.json`, 'utf8')) as {
  columns: Record<string, string>
  rows: [string, string, string, string, string, number, string, string | null, number][]
}
const columns = new Map(Object.entries(pairs).map(([name, field]) => [name, field.replace(/:.*/, '')]))
const units = new Map([['package.valueCents', 'dollars' as const]])

const orderOf = ([reference, name, zip, from, day, cents, fragile, notes, items]: (typeof meant)[number]) => ({
  clientOrderReference: reference,
  dropoff: {
    contactName: name,
    address: { postalCode: zip },
    ...(notes === null ? {} : { instructions: notes.trim() }),
  },
  timeWindows: { dropoff: { start: from } },
  metadata: { day, fragile },
  package: { valueCents: cents, itemsCount: items },
})

async function read(
  source: AsyncIterable<Uint8Array> | Buffer,
  options: Partial<RowOptions> = {},
): Promise<InputRow[]> {
  const rows: InputRow[] = []
  const bytes = Buffer.isBuffer(source) ? [source] : source
  for await (const batch of readRows(bytes, { schema: DeliveryCreate, what: 'orders.xlsx', ...options }))
    rows.push(...batch)
  return rows
}

const valuesOf = (rows: readonly InputRow[]) => rows.map((row) => ('value' in row ? row.value : row.problem))
const refusalOf = async (bytes: Buffer, options: Partial<RowOptions> = {}) => {
  const error: unknown = await read(bytes, options).catch((refusal: unknown) => refusal)
  expect(error).toBeInstanceOf(UsageError)
  const { message, hint } = error as UsageError
  return `${message} ${hint}`
}

const header = (...names: string[]) =>
  `<row r="1">${names.map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join('')}</row>`

/** The cell that a sheet with this one in a column of `metadata.x` has: its text, or why it has none. */
async function cellOf(cell: string, more: Partial<XlsxContent> = {}, field = 'metadata.x'): Promise<unknown> {
  const rows = `${header('clientOrderReference', field)}<row><c t="str"><v>A-1</v></c>${cell}</row>`
  const [row] = await read(zipOf(xlsxParts({ rows, ...more })))
  if (row === undefined || !('value' in row)) return row?.problem
  return field
    .split('.')
    .reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], row.value as unknown)
}

describe('Workbooks', () => {
  test('of each writer hold the rows that were meant, in every zone of the machine', async () => {
    const files = globSync(`${folder}/*.{xlsx,ods}`).sort()
    expect(files.length).toBeGreaterThan(14)
    const zone = process.env.TZ
    onTestFinished(() => {
      process.env.TZ = zone
    })
    for (const [zoneName, offset] of [
      ['America/New_York', 300],
      ['Asia/Kolkata', -330],
      ['UTC', 0],
    ] as const) {
      process.env.TZ = zoneName
      expect(new Date('2026-11-30T12:00:00Z').getTimezoneOffset()).toBe(offset)
      for (const file of files) {
        const rows = await read(createReadStream(file), { columns, units, what: basename(file) })
        expect({ file, rows: valuesOf(rows) }).toEqual({ file, rows: meant.map(orderOf) })
      }
    }
  })

  test('have cells whose type and format say what they mean', async () => {
    const formats = [
      '00000',
      '00000-0000',
      '"ORD-"0000',
      'yyyy-mm-dd hh:mm',
      'mm/dd/yyyy',
      'h:mm AM/PM',
      '"$"#,##0.00',
      '[$€-407]#,##0.00',
      '0.00%',
      '[$-409]d\\-mmm\\-yy;@',
      14,
      22,
      'General;"h"',
    ]
    const cases: [cell: string, text: unknown][] = [
      ['<c s="1"><v>501</v></c>', '00501'],
      ['<c s="1"><v>501.0</v></c>', '00501'],
      ['<c s="2"><v>283010001</v></c>', '28301-0001'],
      ['<c s="2"><v>21340001</v></c>', '02134-0001'],
      ['<c s="3"><v>12</v></c>', 'ORD-0012'],
      ['<c s="4"><v>46356.625</v></c>', '2026-11-30 15:00'],
      ['<c s="4"><v>46356.624999999996</v></c>', '2026-11-30 15:00'],
      ['<c s="4"><v>46356</v></c>', '2026-11-30 00:00'],
      ['<c s="5"><v>46356</v></c>', '2026-11-30'],
      ['<c s="5"><v>46356.2083333</v></c>', '2026-11-30 05:00'],
      ['<c s="6"><v>0.625</v></c>', '15:00'],
      ['<c s="7"><v>45.5</v></c>', '$45.50'],
      ['<c s="7"><v>45.499999999999996</v></c>', '$45.50'],
      ['<c s="8"><v>45.5</v></c>', '€45.50'],
      ['<c s="9"><v>0.2</v></c>', '0.2'],
      ['<c s="10"><v>46356</v></c>', '2026-11-30'],
      ['<c s="11"><v>59</v></c>', '1900-02-28'],
      ['<c s="12"><v>61.5</v></c>', '1900-03-01 12:00'],
      ['<c s="13"><v>7</v></c>', '7'],
      ['<c><v>2134.0</v></c>', '2134'],
      ['<c><v>02134</v></c>', '02134'],
      ['<c><v>6.012345678901E12</v></c>', '6012345678901'],
      ['<c><v>0.300000000000000000011</v></c>', '0.3'],
      ['<c><v>0.30000000000000004</v></c>', '0.3'],
      ['<c t="b"><v>1</v></c>', 'TRUE'],
      ['<c t="b"><v>false</v></c>', 'FALSE'],
      ['<c t="d"><v>2026-11-30T15:00:00.000Z</v></c>', '2026-11-30 15:00'],
      ['<c t="d"><v>2026-11-30T14:59:59.999Z</v></c>', '2026-11-30 15:00'],
      ['<c t="d" s="5"><v>2026-11-30T00:00:00</v></c>', '2026-11-30'],
      ['<c t="s"><v>0</v></c>', 'Maya Reyes'],
      ['<c t="s"><v>1</v></c>', '山田'],
      ['<c t="s"><v></v></c>', undefined],
      ['<c t="inlineStr"></c>', undefined],
      ['<c t="inlineStr"><is><r><t>Gate</t></r>\n <r><t xml:space="preserve"> B</t></r></is></c>', 'Gate B'],
      ['<c t="inlineStr"><is><t>山田</t><rPh sb="0" eb="2"><t>ヤマダ</t></rPh></is></c>', '山田'],
      ['<c t="inlineStr"><is><t>a_x000D_\nb_x005f_x000D_</t></is></c>', 'a\nb_x000D_'],
      ['<c t="inlineStr"><is><t>&#128666; &#x1F69A; &amp;lt;</t></is></c>', '🚚 🚚 &lt;'],
      ['<c t="inlineStr"><is><t><![CDATA[a < b]]><!-- <t>no</t> --></t></is></c>', 'a < b'],
      ['<c t="str"><f>A1</f><v>x</v></c>', 'x'],
      ['<c t="str"><f>IF(1,"")</f><v></v></c>', undefined],
      ['<c><f>1+1</f><v>2</v></c>', '2'],
      ['<c><f>1-1</f><v>0</v></c>', '0'],
      ["<c t = 'n' s = '1'><v>501</v></c>", '00501'],
    ]
    const texts = '<si><r><t>Maya </t></r><r><t>Reyes</t></r></si><si><t>山田</t><rPh><t>ヤマダ</t></rPh></si>'
    for (const [cell, text] of cases) expect([cell, await cellOf(cell, { formats, texts })]).toEqual([cell, text])
    expect(await cellOf('<c s="1"><v>44894.625</v></c>', { formats: [22], book: '<workbookPr date1904="1"/>' })).toBe(
      '2026-11-30 15:00',
    )
  })

  test('have numbers whose units are no dates, amounts that are no dollars, and the letters before a reference', async () => {
    const cases: [format: string, text: string][] = [
      ['0\\h', '12'],
      ['0\\d', '12'],
      ['0.0 \\l\\b\\s', '12'],
      ['"$"#,##0.00', '$12.00'],
      ['"US$"#,##0.00', '$12.00'],
      ['0.00" USD"', '$12.00'],
      ['"CA$"#,##0.00', 'CA$12.00'],
      ['"R$" #,##0.00', 'R$12.00'],
      ['\\R\\$0.00', 'R$12.00'],
      ['[$CA$]#,##0.00', 'CA$12.00'],
      ['"₹"#,##0', '₹12.00'],
      ['#,##0.00\\ "zł"', 'zł12.00'],
      ['0.00" CAD"', 'CAD12.00'],
      ['"Rs." 0', 'Rs12.00'],
      ['"CAD-"0000', 'CAD-0012'],
      ['"CAD-"0', 'CAD-12'],
      ['"ORD-"0', 'ORD-12'],
      ['"ORD"-###0', 'ORD-12'],
      ['\\A\\-#', 'A-12'],
      ['"B10-"General', 'B10-12'],
      ['\\#0', '#12'],
      ['"+"0', '+12'],
      ['"Total "0', '12'],
      ['-0', '12'],
      ['"Total $"0.00', '$12.00'],
      ['0" kroner of beer"', '12'],
    ]
    const formats = cases.map(([format]) => format)
    for (const [index, [format, text]] of cases.entries())
      expect([format, await cellOf(`<c s="${index + 1}"><v>12</v></c>`, { formats })]).toEqual([format, text])
  })

  test('refuse a cell that has no value, by its place, and only where its column is read', async () => {
    const calculates = { book: '<calcPr fullCalcOnLoad="1"/>' }
    const cases: [cell: string, problem: RegExp, more?: Partial<XlsxContent>, field?: string][] = [
      ['<c><f>1+1</f><v></v></c>', /never calculated/],
      ['<c t="str"><f>A1</f></c>', /never calculated/],
      ['<c><f>1+1</f><v>0</v></c>', /never calculated/, calculates],
      ['<c t="e"/>', /never calculated/],
      ['<c t="e"><v>#N/A</v></c>', /"#N\/A" is an error of the sheet's formula/],
      ['<c><v>null</v></c>', /"null" stands in a cell of numbers/],
      ['<c><v>Mon Nov 30 2026</v></c>', /"Mon Nov 30 2026" stands in a cell of numbers/],
      ['<c t="b"><v></v></c>', /neither true nor false/],
      ['<c t="s"><v>7</v></c>', /names the text 7/],
      ['<c><v>6012345678903460</v></c>', /"6012345678903460" is a number of more than 15 digits/],
      ['<c><v>6.0123456789034601E18</v></c>', /more than 15 digits/],
      ['<c t="inlineStr"><is><t>[object Object]</t></is></c>', /does not have/],
      ['<c><v>46356.625</v></c>', /a date without its format/, {}, 'timeWindows.dropoff.start'],
    ]
    for (const [cell, problem, more, field = 'metadata.x'] of cases) {
      const found = await cellOf(cell, more, field)
      expect([cell, found]).toEqual([cell, expect.stringMatching(problem)])
      expect(found).toMatch(new RegExp(`^row 1 \\(Orders!B2\\), column ${field}: `))
    }
    const rows = `${header('clientOrderReference', 'Profit')}<row><c t="str"><v>A-1</v></c><c><f>1</f></c></row>`
    const read1 = await read(zipOf(xlsxParts({ rows })), {
      columns: new Map([['clientOrderReference', 'clientOrderReference']]),
    })
    expect(valuesOf(read1)).toEqual([{ clientOrderReference: 'A-1' }])
  })

  test('are found by their relationships, whatever the parts are called', async () => {
    const office = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
    const rels = (...all: [string, string, string][]) =>
      `<p:Relationships xmlns:p="x">${all.map(([id, type, target]) => `<p:Relationship Target='${target}' Type='${office}/${type}' Id='${id}'/>`).join('')}</p:Relationships>`
    const sheet = (text: string) =>
      `\ufeff<?xml version="1.0"?><x:worksheet><x:dimension ref="A1"/><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>clientOrderReference</x:t></x:is></x:c></x:row><x:row r="7"><x:c t="inlineStr"><x:is><x:t>${text}</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`
    const bytes = zipOf([
      { name: 'other/late.xml', content: sheet('LATE-1') },
      { name: '/book/pages/one.xml', content: sheet('FIRST-1'), isStored: true },
      { name: 'book/pages/hidden.xml', content: sheet('HIDDEN-1') },
      {
        name: 'book/main.xml',
        content: `<x:workbook><x:sheets><x:sheet name="Away" state="veryHidden" r:id="h"/><x:sheet name="July 4" r:id="a"/><x:sheet name="Late" r:id="b"/></x:sheets></x:workbook>`,
      },
      {
        name: 'book/_rels/main.xml.rels',
        content: rels(
          ['b', 'worksheet', '../other/late.xml'],
          ['a', 'worksheet', '/book/pages/one.xml'],
          ['h', 'worksheet', 'pages/hidden.xml'],
          ['x', 'worksheet', '../../../etc/passwd'],
        ),
      },
      { name: '_rels/.rels', content: rels(['m', 'officeDocument', 'book/main.xml']) },
    ])
    const said: string[] = []
    const [row] = await read(bytes, { onSheet: (text) => said.push(text) })
    expect(row).toEqual({ row: 1, line: 7, sheet: 'July 4', value: { clientOrderReference: 'FIRST-1' } })
    expect(said).toEqual(['Read the sheet "July 4" of orders.xlsx; { sheet } names another: "Late".'])
    expect(valuesOf(await read(bytes, { sheet: 'late' }))).toEqual([{ clientOrderReference: 'LATE-1' }])
    expect(valuesOf(await read(bytes, { sheet: 'Away' }))).toEqual([{ clientOrderReference: 'HIDDEN-1' }])
    expect(await refusalOf(bytes, { sheet: 'Lates' })).toBe('orders.xlsx has no sheet "Lates". Did you mean "Late"?')
  })

  test('with hidden rows are refused until somebody says what they are', async () => {
    const row = (line: number, more = '') =>
      `<row r="${line}"${more}><c t="inlineStr"><is><t>A-${line}</t></is></c></row>`
    const rows = `${header('clientOrderReference')}${row(2, ' hidden="false"')}${row(3, ' hidden="1"')}${row(4, " hidden = 'true'")}<row r="5" hidden="1"/>${row(9, ' ht="1" hidden="1"')}${row(10)}`
    const bytes = zipOf(xlsxParts({ rows }))
    expect(await refusalOf(bytes)).toMatch(
      /"Orders" of orders.xlsx has 3 rows that it does not show.*: rows 3-4, 9\. .*hiddenRows/,
    )
    const references = async (hiddenRows: 'read' | 'skip') =>
      valuesOf(await read(bytes, { hiddenRows })).map(
        (value) => (value as { clientOrderReference: string }).clientOrderReference,
      )
    expect(await references('skip')).toEqual(['A-2', 'A-10'])
    expect(await references('read')).toEqual(['A-2', 'A-3', 'A-4', 'A-9', 'A-10'])
    expect(await refusalOf(Buffer.from('clientOrderReference\nA-1'), { hiddenRows: 'skip' })).toMatch(/not a workbook/)
  })

  test('with rows that are struck out are refused like those', async () => {
    const fonts =
      '<fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts><dxfs><dxf><font><strike/></font></dxf></dxfs>'
    const xfs = [0, 1, 2].map((font) => `<xf numFmtId="0" fontId="${font}"/>`).join('')
    const styles = { name: 'xl/styles.xml', content: `<styleSheet>${fonts}<cellXfs>${xfs}</cellXfs></styleSheet>` }
    const texts = ['A', 'B', 'C', 'D'].map((name) => `<si><t>${name}-1</t></si>`).join('')
    const row = (line: number, cells: string, more = '') => `<row r="${line}"${more}>${cells}</row>`
    const shared = (at: string, text: number, style: number) => `<c r="${at}" s="${style}" t="s"><v>${text}</v></c>`
    const xlsx = xlsxParts({
      texts,
      rows: [
        header('clientOrderReference', 'metadata.x'),
        // The empty cell of a struck-out row has no say.
        row(2, `${shared('A2', 0, 1)}<c r="B2" s="1"><v>7</v></c><c r="C2" s="0"/>`),
        row(3, `${shared('A3', 1, 1)}<c r="B3" s="0"><v>8</v></c>`),
        row(4, `${shared('A4', 2, 2)}<c r="B4" s="2"><v>9</v></c>`),
        row(5, `<c r="A5" s="1" t="inlineStr"><is><t>E-1</t></is></c>`),
        row(6, shared('A6', 3, 0), ' hidden="1"'),
      ].join(''),
    }).map((part) => (part.name === styles.name ? styles : part))
    const cell = (text: string, style: string) =>
      `<table:table-cell office:value-type="string" table:style-name="${style}"><text:p>${text}</text:p></table:table-cell>`
    const odsRow = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
    const ods = odsParts({
      styles:
        '<style:style style:name="off" style:family="table-cell"><style:text-properties style:text-line-through-style="solid"/></style:style><style:style style:name="of" style:family="table-cell" style:parent-style-name="off"/><style:style style:name="on" style:family="table-cell" style:parent-style-name="off"><style:text-properties style:text-line-through-style="none"/></style:style>',
      rows: [
        odsRow(cell('clientOrderReference', 'on'), cell('metadata.x', 'on')),
        odsRow(cell('A-1', 'off'), cell('7', 'of')),
        odsRow(cell('B-1', 'off'), cell('8', 'on')),
        odsRow(cell('C-1', 'on'), cell('9', 'on')),
        odsRow(cell('E-1', 'of')),
      ].join(''),
    })
    const whole =
      '"Orders" of orders.xlsx has 1 row that it does not show, hidden or filtered out: row 6; and 2 rows whose cells are all struck out: rows 2, 5.'
    expect(await refusalOf(zipOf(xlsx))).toContain(whole)
    expect(await refusalOf(zipOf(ods))).toContain('has 2 rows whose cells are all struck out: rows 2, 5.')
    for (const bytes of [zipOf(xlsx), zipOf(ods)]) {
      const said: string[] = []
      const references = async (hiddenRows: 'read' | 'skip') =>
        valuesOf(await read(bytes, { hiddenRows, onSheet: (text) => said.push(text) })).map(
          (value) => (value as { clientOrderReference: string }).clientOrderReference,
        )
      expect(await references('skip')).toEqual(['B-1', 'C-1'])
      expect(said).toContain('2 rows of "Orders" struck out are left out: rows 2, 5.')
      expect((await references('read')).filter((name) => name !== 'D-1')).toEqual(['A-1', 'B-1', 'C-1', 'E-1'])
    }
  })

  test('of OpenDocument have values in attributes, and repeats that are never built', async () => {
    const cell = (attributes: string, text = '') => `<table:table-cell ${attributes}>${text}</table:table-cell>`
    const number = '<number:number number:decimal-places="2"/>'
    const reference = '<number:text>ORD-</number:text><number:number number:min-integer-digits="1"/>'
    const shown = [
      ...[' CAD', ' kr', '₹', 'Total $'].map((text) => `${number}<number:text>${text}</number:text>`),
      reference,
    ]
      .map(
        (content, index) =>
          `<number:number-style style:name="M${index}">${content}</number:number-style><style:style style:name="shown${index}" style:family="table-cell" style:data-style-name="M${index}"/>`,
      )
      .join('')
    const styles =
      '<number:number-style style:name="N1"><number:number number:min-integer-digits="5"/></number:number-style><style:style style:name="zip" style:family="table-cell" style:data-style-name="N1"/><number:date-style style:name="N2"><number:year/></number:date-style><style:style style:name="day" style:family="table-cell" style:data-style-name="N2"/>'
    const cases: [cell: string, text: unknown][] = [
      [
        cell('office:value-type="float" office:value="2134.0" table:style-name="zip"', '<text:p>2134</text:p>'),
        '02134',
      ],
      [cell('office:value-type="float" office:value="6.012345678901E12"'), '6012345678901'],
      [cell('office:value-type="float" office:value="42" table:style-name="shown4"'), 'ORD-42'],
      [
        cell('office:value-type="date" office:date-value="2026-11-30T15:00:00"', '<text:p>11/30/26</text:p>'),
        '2026-11-30 15:00',
      ],
      [cell('office:value-type="date" office:date-value="2026-11-30T00:00:00" table:style-name="day"'), '2026-11-30'],
      [cell('office:value-type="time" office:time-value="PT015H00M00S"'), '15:00'],
      [cell('office:value-type="boolean" office:value="true"'), 'TRUE'],
      [cell('office:value-type="float" office:value="True"'), 'TRUE'],
      [cell('office:value-type="currency" office:value="45.5"'), '$45.50'],
      ...['CAD45.50', 'kr45.50', '₹45.50', '$45.50'].map((text, index): [string, string] => [
        cell(`office:value-type="float" office:value="45.5" table:style-name="shown${index}"`),
        text,
      ]),
      [
        cell('office:value-type="string"', '<text:p>Ring<text:s text:c="2"/>twice</text:p><text:p>Gate B</text:p>'),
        'Ring  twice\nGate B',
      ],
      [
        cell('office:value-type="string"', '<text:p>A<text:line-break/><text:a xlink:href="x">link</text:a></text:p>'),
        'A\nlink',
      ],
      [
        cell(
          'office:value-type="string"',
          '<office:annotation><text:p>Not this</text:p></office:annotation><text:p>This</text:p>',
        ),
        'This',
      ],
      [
        cell('table:formula="of:=NA()" office:value-type="string" office:string-value=""', '<text:p>#N/A</text:p>'),
        expect.stringMatching(/Orders!B3.*#N\/A/),
      ],
      [cell('table:formula="of:=1+1"'), expect.stringMatching(/Orders!B3.*never calculated/)],
    ]
    const named = ['clientOrderReference', 'metadata.x'].map((name) =>
      cell('office:value-type="string"', `<text:p>${name}</text:p>`),
    )
    for (const [given, text] of cases) {
      const rows = `<table:table-row>${named.join('')}<table:table-cell table:number-columns-repeated="16381"/></table:table-row><table:table-row/><table:table-row>${cell('office:value-type="string"', '<text:p>A-1</text:p>')}${given}</table:table-row><table:table-row table:number-rows-repeated="1048546"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`
      const [row] = await read(zipOf(odsParts({ rows, styles: styles + shown })))
      const found =
        row !== undefined && 'value' in row ? (row.value as { metadata?: { x?: string } }).metadata?.x : row?.problem
      expect([given, found]).toEqual([given, text])
    }
  })

  test('are read as lists of ids where commands take them', async () => {
    const rows = ['del_1', 'ORDER 2', 'id:x'].map((id) => `<row><c t="inlineStr"><is><t>${id}</t></is></c></row>`)
    const list = zipOf(xlsxParts({ rows: rows.join('') }))
    expect(await read(list, { allowIds: true })).toMatchObject([
      { line: 1, value: { deliveryId: 'del_1' } },
      { line: 2, value: { deliveryId: 'ORDER 2' }, isWord: true },
      { line: 3, value: { deliveryId: 'x' } },
    ])
  })

  test('warn of times that a writer has moved', async () => {
    const row = (line: number, serial: number) =>
      `<row r="${line}"><c t="str"><v>A-${line}</v></c><c s="1"><v>${serial}</v></c></row>`
    const warned = async (serial: number, format: number) => {
      const said: string[] = []
      const rows = `${header('clientOrderReference', 'timeWindows.dropoff.start')}${[2, 3, 4].map((line) => row(line, serial)).join('')}`
      await read(zipOf(xlsxParts({ rows, formats: [format] })), {
        onSheet: (text, isWarning) => said.push(`${isWarning} ${text}`),
      })
      return said.join()
    }
    expect(await warned(46356.625, 22)).toBe('')
    expect(await warned(46356.0417, 22)).toMatch(/^true 3 of 3 times in Orders.*UTC/)
    expect(await warned(46356.208333333336, 14)).toMatch(/^true Orders!B2 shows a day and holds 05:00/)
  })

  test('that are none, or of other programs, are named for what they are', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
    const secret = Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le'), Buffer.alloc(100)])
    const cases: [bytes: Buffer | string, text: RegExp][] = [
      [old, /old Excel \(\.xls\)/],
      [secret, /has a password/],
      [zipOf([{ name: 'xl/workbook.bin', content: '' }]), /\.xlsb/],
      [zipOf([{ name: 'Index/Document.iwa', content: '' }]), /\.numbers/],
      [zipOf([{ name: 'word/document.xml', content: '' }]), /a document of Word/],
      [zipOf([{ name: 'orders.csv', content: '' }]), /a ZIP archive, not a workbook/],
      [zipOf([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' }]), /without a sheet/],
      [
        zipOf(
          odsParts({ rows: '', more: [{ name: 'META-INF/manifest.xml', content: '<manifest:encryption-data/>' }] }),
        ),
        /has a password/,
      ],
      [zipOf([{ name: '_rels/.rels', content: '', flags: 1 }]), /has a password/],
      ['<?xml version="1.0"?>\n<office:document xmlns:office="urn:oasis">', /\.fods/],
      ['\ufeff <html><table><tr><td>Order', /a page of HTML/],
      ['<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook>', /Excel 2003/],
      ['%PDF-1.7\n', /a PDF/],
      [Buffer.from('1f8b0800000000000003', 'hex'), /gzip/],
    ]
    for (const [bytes, text] of cases) {
      for (const allowIds of [false, true]) expect(await refusalOf(Buffer.from(bytes), { allowIds })).toMatch(text)
    }
  })

  test('are bounded, whatever a file says of itself', async () => {
    const sheet = (content: string) =>
      xlsxParts({ rows: '' }).map((part) => (part.name.endsWith('sheet1.xml') ? { ...part, content } : part))
    const many = Array.from({ length: 2_001 }, (_, at) => ({ name: `p${at}`, content: '' }))
    const cases: [parts: Parameters<typeof zipOf>[0], text: RegExp][] = [
      [many, /2001 parts/],
      [[...xlsxParts({ rows: '' }), { name: 'XL/Workbook.xml', content: '' }], /twice/],
      [[{ name: '_rels/.rels', content: '', method: 12 }], /packed in a way \(12\)/],
      [[{ name: '_rels/.rels', content: 'x', packedBytes: 1e9 }], /cut off/],
      [sheet('<!DOCTYPE x [<!ENTITY a "b">]><worksheet><v>1</v></worksheet>'), /document type/],
      [sheet(`<worksheet>${'<a>'.repeat(70)}<v>1</v>`), /deeper than 64/],
      [sheet('<worksheet><row><c r="XFE1"><v>1</v></c></row></worksheet>'), /16384 columns/],
      [sheet('<worksheet><row r="1048577"><c><v>1</v></c></row></worksheet>'), /1048576 rows/],
      [
        sheet('<worksheet><row r="2"><c><v>1</v></c></row><row r="2"><c><v>1</v></c></row></worksheet>'),
        /row 2 of Orders stands behind/,
      ],
      [
        sheet('<worksheet><row><c r="B1"><v>1</v></c><c r="B1"><v>1</v></c></row></worksheet>'),
        /Orders!B1 stands behind/,
      ],
      [sheet('<worksheet><v>&nbsp;</v><row><c><v>&nbsp;</v></c></row></worksheet>'), /unknown reference &nbsp;/],
      [sheet('<worksheet><row><c><v>1</v></row></worksheet>'), /XML is damaged/],
      [sheet('<worksheet><row><c><v>1</v></c></row>'), /cut off/],
      [sheet(`<worksheet><row><c t="str"><v>${'x'.repeat(1_100_000)}</v></c></row></worksheet>`), /longer than 1 MB/],
      [
        odsParts({
          rows: '<table:table-row table:number-rows-repeated="100000"><table:table-cell office:value-type="float" office:value="1"/></table:table-row>',
        }),
        /repeated 100000 times/,
      ],
    ]
    for (const [parts, text] of cases) expect(await refusalOf(zipOf(parts))).toMatch(text)
  })

  test('that are damaged anywhere are refused before a row is given', async () => {
    const whole = readFileSync(`${folder}/libreoffice.xlsx`)
    for (let length = 8; length < whole.length; length += 97)
      expect(await refusalOf(whole.subarray(0, length), { columns })).toMatch(
        /cannot be read as a workbook|ZIP archive/,
      )
    const expected = meant.map(orderOf)
    for (let at = 30; at < whole.length; at += 61) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x20
      const result = await read(changed, { columns, units }).then(valuesOf, (error: unknown) => error)
      if (!(result instanceof UsageError)) expect([at, result]).toEqual([at, expected])
    }
  })

  test('come through a pipe in any pieces', async () => {
    const whole = readFileSync(`${folder}/libreoffice.ods`)
    const pieces = Array.from({ length: Math.ceil(whole.length / 7) }, (_, at) => whole.subarray(at * 7, at * 7 + 7))
    const rows: InputRow[] = []
    for await (const batch of readRows(pieces, { schema: DeliveryCreate, columns, units })) rows.push(...batch)
    expect(valuesOf(rows)).toEqual(meant.map(orderOf))
  })
})
