import { MergedCells } from './merged-cells.js'
import { isoText, type NumberFormat, numberText } from './number-format.js'
import { OdsStyles } from './ods-styles.js'
import { type CellReading, neverCalculated, notANumber, RowBuilder, type SheetName, type Workbook } from './sheet.js'
import { attributeOf, partText, readPart, type XmlHandler, XmlReader } from './xml.js'
import { type Archive, beyond, bounds, damaged } from './zip-archive.js'

/** The most rows or cells with a value that one element may stand for. */
const mostRepeats = 1_000

/** Opens an OpenDocument spreadsheet. @throws UsageError if it is damaged */
export async function openOds(archive: Archive): Promise<Workbook> {
  const { what } = archive
  const { sheets, bytes, mayHideRows, filled } = await lookAtContent(archive)
  return {
    sheets,
    hasRows: (sheet) => Promise.resolve(filled.has(sheet)),
    async look() {
      if (mayHideRows) return { bytes, mayHideRows }
      const styles = new OdsStyles()
      if (archive.has('styles.xml')) await readStyles(archive, styles)
      return { bytes, mayHideRows: styles.hasStruckOut }
    },
    async *rows(sheet, onRead) {
      const styles = new OdsStyles()
      if (archive.has('styles.xml')) await readStyles(archive, styles)
      const builder = new RowBuilder(what, sheet)
      const merged = new MergedCells()
      const handler = new OdsHandler(builder, styles, merged, sheet, what)
      const reader = new XmlReader(handler, what)
      for await (const text of partText(archive.bytes('content.xml'), what, onRead)) {
        reader.push(text)
        const records = merged.shown(builder.taken())
        if (records.length > 0) yield records
        if (handler.isOver) return
      }
      reader.end()
    },
  }
}

async function readStyles(archive: Archive, styles: OdsStyles): Promise<void> {
  await readPart(archive, 'styles.xml', {
    open: (name, attributes) => styles.open(name, attributes),
    close: (name) => styles.close(name),
    text: (text) => styles.text(text),
    wantsText: () => styles.wantsText,
  })
}

const marks = /<(?:[\w.-]+:)?(table-row|table|style|table-properties|text-properties)\s([^>]*)>/g

/** Reads all bytes once: the names of the sheets, and whether rows may be hidden or struck out. */
async function lookAtContent(archive: Archive) {
  const sheets: SheetName[] = []
  /** The sheets with cells that have a value. */
  const filled = new Set<string>()
  const hiddenStyles = new Set<string>()
  let bytes = 0
  let mayHideRows = false
  let style = ''
  let rest = ''
  for await (const piece of archive.bytes('content.xml')) {
    bytes += piece.length
    const text = rest + piece.toString('latin1')
    const end = text.lastIndexOf('<')
    const whole = end === -1 ? text : text.slice(0, end)
    let from = 0
    const note = (to: number) => {
      const sheet = sheets.at(-1)?.name
      if (sheet !== undefined && !filled.has(sheet) && /value-type=|text:p/.test(whole.slice(from, to)))
        filled.add(sheet)
      from = to
    }
    for (const { 1: name, 2: latin = '', index } of whole.matchAll(marks)) {
      if (name === 'table-row') mayHideRows ||= /visibility\s*=\s*["'](?:collapse|filter)/.test(latin)
      else if (name === 'text-properties') mayHideRows ||= /text-line-through-style\s*=\s*["'](?!none)/.test(latin)
      else if (name === 'style') style = attributeOf(latin, 'name') ?? ''
      else if (name === 'table-properties') {
        if (attributeOf(latin, 'display') === 'false') hiddenStyles.add(style)
      } else {
        note(index)
        const attributes = Buffer.from(latin, 'latin1').toString('utf8')
        const sheet = attributeOf(attributes, 'name')
        if (sheet !== undefined && !sheets.some((one) => one.name === sheet))
          sheets.push({ name: sheet, isVisible: !hiddenStyles.has(attributeOf(attributes, 'style-name') ?? '') })
      }
    }
    note(whole.length)
    rest = end === -1 ? '' : text.slice(end)
    if (rest.length > bounds.tokenLength) throw beyond(archive.what, 'a text or tag in it is longer than 1 MB')
  }
  return { sheets, bytes, mayHideRows, filled }
}

interface OdsCell {
  type: string
  attributes: string
  repeated: number
}

/** Things in a cell whose text is not the cell's: comments, drawings, readings of names. */
const asides = new Set('annotation frame custom-shape rect ellipse line g control ruby-text'.split(' '))

/** Reads the cells of one table. */
class OdsHandler implements XmlHandler {
  isOver = false
  #isInTable = false
  #tables = 0
  #row: { repeated: number; isHidden: boolean; style: string | undefined } | undefined
  #columns: { until: number; style: string | undefined }[] = []
  #cell: OdsCell | undefined
  #paragraphs: string[] = []
  #isInText = false
  #asides = 0
  /** Cells with values of the row that is open. */
  #values: (CellReading & { at: number })[] = []
  #at = 0

  constructor(
    private readonly builder: RowBuilder,
    private readonly styles: OdsStyles,
    private readonly merged: MergedCells,
    private readonly sheet: string,
    private readonly what: string,
  ) {}

  open(name: string, attributes: string): void {
    if (name === 'table') {
      this.#tables++
      if (this.#tables === 1) this.#isInTable = !this.isOver && attributeOf(attributes, 'name') === this.sheet
    } else if (!this.#isInTable) {
      if (this.#tables === 0) this.styles.open(name, attributes)
    } else if (this.#tables > 1) return
    else if (this.#cell !== undefined) this.#content(name, attributes)
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#beginCell(attributes)
    else if (name === 'table-row') this.#beginRow(attributes)
    else if (name === 'table-column') {
      const until = (this.#columns.at(-1)?.until ?? 0) + repeatsOf(attributes, 'number-columns-repeated')
      this.#columns.push({ until, style: attributeOf(attributes, 'default-cell-style-name') })
    }
  }

  close(name: string): void {
    if (name === 'table') {
      this.#tables--
      if (this.#tables > 0 || !this.#isInTable) return
      this.#isInTable = false
      this.isOver = true
    } else if (!this.#isInTable) {
      if (this.#tables === 0) this.styles.close(name)
    } else if (this.#tables > 1) return
    else if (asides.has(name)) this.#asides--
    else if (name === 'p' || name === 'h') this.#isInText = false
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#endCell()
    else if (name === 'table-row') this.#endRow()
  }

  text(text: string): void {
    if (this.#isInTable) this.#add(text.replace(/[\t\n\r ]+/g, ' '))
    else this.styles.text(text)
  }

  wantsText(): boolean {
    if (!this.#isInTable) return this.styles.wantsText
    return this.#isInText && this.#asides === 0 && this.#tables === 1
  }

  #add(text: string): void {
    const last = this.#paragraphs.length - 1
    if (last < 0) return
    const whole = (this.#paragraphs[last] ?? '') + text
    if (whole.length > bounds.tokenLength) throw beyond(this.what, 'a cell in it is longer than 1 MB')
    this.#paragraphs[last] = whole
  }

  #content(name: string, attributes: string): void {
    if (asides.has(name)) this.#asides++
    else if (this.#asides > 0) return
    else if (name === 'p' || name === 'h') {
      this.#paragraphs.push('')
      this.#isInText = true
    } else if (name === 's') this.#add(' '.repeat(Math.min(Number(attributeOf(attributes, 'c') ?? 1) || 1, 32_767)))
    else if (name === 'line-break') this.#add('\n')
    else if (name === 'tab') this.#add('\t')
  }

  #beginRow(attributes: string): void {
    const isHidden = /^(?:collapse|filter)$/.test(attributeOf(attributes, 'visibility') ?? '')
    const style = attributeOf(attributes, 'default-cell-style-name')
    this.#row = { repeated: repeatsOf(attributes, 'number-rows-repeated'), isHidden, style }
    this.#values = []
    this.#at = 0
  }

  #endRow(): void {
    const { repeated, isHidden } = this.#row ?? { repeated: 1, isHidden: false }
    this.#row = undefined
    if (this.#values.length === 0) {
      this.builder.skip(repeated)
      return
    }
    if (repeated > mostRepeats) throw beyond(this.what, `a row with values is repeated ${repeated} times`)
    for (let count = 0; count < repeated; count++) {
      this.builder.begin(undefined, isHidden)
      for (const { at, text, isStruckOut = false, fault, hiddenTime } of this.#values)
        this.builder.add(at, text, isStruckOut, fault, hiddenTime)
      this.builder.end()
    }
  }

  #beginCell(attributes: string): void {
    const type = attributeOf(attributes, 'value-type') ?? ''
    this.#cell = { type, attributes, repeated: repeatsOf(attributes, 'number-columns-repeated') }
    this.#paragraphs = []
    this.#asides = 0
  }

  #endCell(): void {
    const cell = this.#cell
    if (cell === undefined) throw damaged(this.what, 'its XML is damaged')
    this.#cell = undefined
    this.#isInText = false
    const read = this.#read(cell)
    const isEmpty = read.text === '' && read.fault === undefined
    if (!isEmpty && cell.repeated > mostRepeats)
      throw beyond(this.what, `a cell with a value is repeated ${cell.repeated} times`)
    const style = isEmpty ? undefined : this.#styleAt(cell.attributes)
    const isStruckOut = style !== undefined && this.styles.isStruckOut(style)
    if (cell.attributes.includes('-spanned')) this.#merge(cell.attributes)
    for (let count = 0; !isEmpty && count < cell.repeated; count++)
      this.#values.push({ at: this.#at + count, isStruckOut, ...read })
    this.#at += cell.repeated
  }

  #merge(attributes: string): void {
    const [rows, columns] = ['number-rows-spanned', 'number-columns-spanned'].map((name) => repeatsOf(attributes, name))
    if (rows === undefined || columns === undefined || rows * columns === 1) return
    // The row begins once its cells are read.
    const top = this.builder.line + 1
    this.merged.add({ top, bottom: top + rows - 1, left: this.#at, right: this.#at + columns - 1 })
  }

  #read({ type, attributes }: OdsCell): CellReading {
    const shown = this.#paragraphs.join('\n')
    const value = attributeOf(attributes, 'value')
    if (
      type === '' &&
      attributes.includes('formula') &&
      attributeOf(attributes, 'formula') !== undefined &&
      shown === ''
    )
      return { text: '', fault: neverCalculated }
    switch (type) {
      case 'float':
      case 'currency':
      case 'percentage':
        return this.#number(type, value ?? shown, attributes)
      case 'date': {
        const date = attributeOf(attributes, 'date-value')
        return date === undefined ? { text: shown } : isoText(date, this.#formatAt(attributes))
      }
      case 'time': {
        const given = attributeOf(attributes, 'time-value')
        return given === undefined ? { text: shown } : timeOf(given)
      }
      case 'boolean':
        return { text: truthOf(attributeOf(attributes, 'boolean-value') ?? value ?? shown) ?? shown }
      default:
        return { text: shown === '' ? (attributeOf(attributes, 'string-value') ?? value ?? '') : shown }
    }
  }

  #styleAt(attributes: string): string | undefined {
    const own = attributeOf(attributes, 'style-name') ?? this.#row?.style
    return own ?? this.#columns.find(({ until }) => this.#at < until)?.style
  }

  #formatAt(attributes: string): NumberFormat {
    const style = this.#styleAt(attributes)
    return style === undefined ? { kind: 'number' } : this.styles.formatOf(style)
  }

  #number(type: string, value: string, attributes: string) {
    // LibreOffice makes such formulas of the truth values of other formats.
    const constant = /"of:=(TRUE|FALSE)\(\)"/.exec(attributes)?.[1]
    if (constant !== undefined) return { text: constant }
    const truth = truthOf(value)
    if (truth !== undefined && /[a-z]/i.test(value)) return { text: truth }
    const format = this.#formatAt(attributes)
    if (type !== 'currency') return numberText(value, format.kind === 'time' ? { kind: 'number' } : format, false)
    const named = attributeOf(attributes, 'currency')
    const sign =
      named === undefined ? (format.kind === 'money' ? format.sign : '$') : named === 'USD' ? '$' : `${named} `
    return numberText(value, { kind: 'money', sign }, false)
  }
}

function repeatsOf(attributes: string, name: string): number {
  const repeats = Number(attributeOf(attributes, name) ?? 1)
  return Number.isSafeInteger(repeats) && repeats > 0 ? repeats : 1
}

function truthOf(text: string): string | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'true' || word === '1') return 'TRUE'
  return word === 'false' || word === '0' ? 'FALSE' : undefined
}

function timeOf(given: string): CellReading {
  const [, hours, minutes, seconds = '0'] = /^P?T(\d+)H(\d+)M(?:(\d+)(?:[.,]\d+)?S)?$/.exec(given.trim()) ?? []
  if (hours === undefined || minutes === undefined) return { text: '', fault: notANumber(given) }
  const parts = [hours, minutes, seconds].map((part) => String(Number(part)).padStart(2, '0'))
  return { text: parts.slice(0, parts[2] === '00' ? 2 : 3).join(':') }
}
