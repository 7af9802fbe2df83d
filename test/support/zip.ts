import { crc32, deflateRawSync } from 'node:zlib'

/** A part of an archive; what it says of itself may be wrong. */
export interface ZipPart {
  name: string
  content: string | Buffer
  /** Stored, not packed. */
  isStored?: boolean
  method?: number
  flags?: number
  checksum?: number
  packedBytes?: number
}

/** A ZIP archive of the given parts, for workbooks that no program writes. */
export function zipOf(parts: readonly ZipPart[], { count = parts.length }: { count?: number } = {}): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const { name, content, isStored = false, method = isStored ? 0 : 8, flags = 0, ...claimed } of parts) {
    const bytes = Buffer.from(content)
    const packed = isStored ? bytes : deflateRawSync(bytes)
    const { checksum = crc32(bytes), packedBytes = packed.length } = claimed
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(checksum, 10)
    fields.writeUInt32LE(packedBytes, 14)
    fields.writeUInt32LE(bytes.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    entries.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), fields, place, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** What a workbook of Excel's format consists of, beside what every one has. */
export interface XlsxContent {
  /** The content of `sheetData`. */
  rows: string
  /** The shared texts, as XML of `si`. */
  texts?: string
  /** Number formats of the styles 1, 2, …: an id, or a code of its own. */
  formats?: readonly (number | string)[]
  /** Elements of the workbook beside its sheets. */
  book?: string
  more?: readonly ZipPart[]
}

/** The parts of a workbook with one sheet, `Orders`. */
export function xlsxParts({ rows, texts = '', formats = [], book = '', more = [] }: XlsxContent): ZipPart[] {
  const own = formats.map((format, index) =>
    typeof format === 'number' ? '' : `<numFmt numFmtId="${200 + index}" formatCode="${escaped(format)}"/>`,
  )
  const xfs = formats.map((format, index) => `<xf numFmtId="${typeof format === 'number' ? format : 200 + index}"/>`)
  const relationship = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  return [
    {
      name: '_rels/.rels',
      content: `<Relationships>${relationship('a', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="${office}">${book}<sheets><sheet name="Orders" sheetId="1" r:id="s1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships>${relationship('s1', 'worksheet', 'worksheets/sheet1.xml')}${relationship('t', 'sharedStrings', 'sharedStrings.xml')}${relationship('f', 'styles', 'styles.xml')}</Relationships>`,
    },
    { name: 'xl/sharedStrings.xml', content: `<sst>${texts}</sst>` },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${xfs.join('')}</cellXfs></styleSheet>`,
    },
    { name: 'xl/worksheets/sheet1.xml', content: `<worksheet><sheetData>${rows}</sheetData></worksheet>` },
    ...more,
  ]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

/** An OpenDocument spreadsheet with one table, `Orders`. */
export function odsParts({
  rows,
  styles = '',
  more = [],
}: {
  rows: string
  styles?: string
  more?: ZipPart[]
}): ZipPart[] {
  return [
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet', isStored: true },
    {
      name: 'content.xml',
      content: `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Orders">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
    ...more,
  ]
}
