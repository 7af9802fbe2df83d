import { crc32, createDeflateRaw, type Deflate, deflateRawSync } from 'node:zlib'

/** The number of bytes of zeros whose checksum is computed at a time. */
const zeros = Buffer.alloc(65_536)

/**
 * A part of an archive whose beginning is known last: what follows it is packed as it comes, so that a sheet's rows need
 * no more memory than they do packed.
 */
class LatePart {
  readonly #pieces: Buffer[] = []
  readonly #deflate: Deflate
  readonly #done: Promise<void>
  #checksum = 0
  #bytes = 0

  constructor() {
    this.#deflate = createDeflateRaw({ level: 6 }) as unknown as Deflate
    this.#deflate.on('data', (piece: Buffer) => this.#pieces.push(piece))
    this.#done = new Promise((resolve, reject) => {
      this.#deflate.on('end', resolve)
      this.#deflate.on('error', reject)
    })
  }

  async add(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    this.#bytes += bytes.length
    this.#checksum = crc32(bytes, this.#checksum)
    if (!this.#deflate.write(bytes)) await new Promise((resolve) => this.#deflate.once('drain', resolve))
  }

  /** The packed content with its beginning. */
  async end(beginning: string): Promise<PackedPart> {
    this.#deflate.end()
    await this.#done
    const head = Buffer.from(beginning)
    // A full flush ends on a byte and keeps the stream open: what was packed apart follows it.
    const packedHead = deflateRawSync(head, { finishFlush: 3 })
    const packed = Buffer.concat([packedHead, ...this.#pieces])
    const checksum = (afterZeros(crc32(head), this.#bytes) ^ afterZeros(0, this.#bytes) ^ this.#checksum) >>> 0
    return { packed, bytes: head.length + this.#bytes, checksum }
  }
}

function afterZeros(checksum: number, count: number): number {
  let found = checksum
  for (let left = count; left > 0; left -= zeros.length)
    found = crc32(zeros.subarray(0, Math.min(left, zeros.length)), found)
  return found
}

interface PackedPart {
  packed: Buffer
  bytes: number
  checksum: number
}

function packed(text: string): PackedPart {
  const content = Buffer.from(text)
  return { packed: deflateRawSync(content), bytes: content.length, checksum: crc32(content) }
}

function archive(parts: readonly [name: string, part: PackedPart][]): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [name, { packed: content, bytes, checksum }] of parts) {
    // Version 2.0, names in UTF-8, deflate, the first day that archives know.
    const fields = Buffer.from('1400000808000000210000000000000000000000000000000000', 'hex')
    fields.writeUInt32LE(checksum, 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(bytes, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    entries.push(Buffer.from('504b01021400', 'hex'), fields, place, Buffer.from(name))
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, Buffer.from(name), content])
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The styles of cells, by their places in `cellXfs`. */
export const cellStyles = { plain: 0, header: 1, time: 2, money: 3, text: 4 } as const

const styles = `${xml}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="165" formatCode="&quot;$&quot;#,##0.00"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

/** A sheet that is written as a workbook of Excel's format. */
export class WorkbookFile {
  readonly #rows = new LatePart()

  /** @param xmlText rows of `sheetData` */
  add(xmlText: string): Promise<void> {
    return this.#rows.add(xmlText)
  }

  /** The file. `dimension` is the range of its cells, such as `A1:F12`. */
  async end(sheet: { dimension: string; widths: readonly number[]; hasHeader: boolean }): Promise<Buffer> {
    await this.#rows.add('</sheetData></worksheet>')
    const pane = sheet.hasHeader
      ? '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/>'
      : ''
    const cols = sheet.widths.map(
      (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
    )
    const beginning = `${xml}<worksheet xmlns="${main}"><dimension ref="${sheet.dimension}"/><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${cols.length === 0 ? '' : `<cols>${cols.join('')}</cols>`}<sheetData>`
    return archive([
      [
        '[Content_Types].xml',
        packed(
          `${xml}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
        ),
      ],
      [
        '_rels/.rels',
        packed(
          `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
        ),
      ],
      [
        'xl/workbook.xml',
        packed(
          `${xml}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="dlv" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        ),
      ],
      [
        'xl/_rels/workbook.xml.rels',
        packed(
          `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
        ),
      ],
      ['xl/styles.xml', packed(styles)],
      ['xl/worksheets/sheet1.xml', await this.#rows.end(beginning)],
    ])
  }
}
