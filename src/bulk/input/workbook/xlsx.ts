import { type Archive, beyond, bounds, damaged } from './archive.js'
import { builtInFormat, formatOf, isoText, type NumberFormat, numberText } from './number-format.js'
import {
  type CellReading,
  neverCalculated,
  notANumber,
  RowBuilder,
  type SheetLook,
  type SheetName,
  type Workbook,
} from './sheet.js'
import { attributeOf, partText, type XmlHandler, XmlReader } from './xml.js'

/** A relationship of a part: its type without the address before it, and the part that it names. */
interface Relationship {
  id: string
  type: string
  target: string
}

/** The largest of the small parts: workbook, relationships, styles. */
const smallPartBytes = 64 * 1_048_576

/** Opens a workbook of Excel's format. @throws UsageError if it has none. */
export async function openXlsx(archive: Archive): Promise<Workbook> {
  const { what } = archive
  const root = await relationshipsOf(archive, '')
  const main = root.find(({ type }) => type === 'officeDocument')?.target
  if (main === undefined) throw damaged(what, 'it names no workbook')
  const relationships = await relationshipsOf(archive, main)
  const book = await readBook(archive, main)
  const parts = new Map<string, string>()
  const sheets: SheetName[] = []
  for (const { id, name, isVisible } of book.sheets) {
    const relationship = relationships.find((one) => one.id === id)
    if (relationship?.type !== 'worksheet' || parts.has(name)) continue
    parts.set(name, relationship.target)
    sheets.push({ name, isVisible })
  }
  const partOf = (type: string) => relationships.find((one) => one.type === type && archive.has(one.target))?.target
  const known = { is1904: book.is1904, mustCalculate: book.mustCalculate }
  let styles: CellStyles | undefined
  const stylesOf = async () => {
    styles ??= await readStyles(archive, partOf('styles'))
    return styles
  }
  let texts: readonly string[] | undefined
  return {
    sheets,
    async look(sheet) {
      const { bytes, mayHideRows } = await look(archive, parts.get(sheet) ?? '')
      return { bytes, mayHideRows: mayHideRows || (await stylesOf()).struck !== undefined }
    },
    hasRows: (sheet) => hasCells(archive, parts.get(sheet) ?? ''),
    async *rows(sheet, onRead) {
      texts ??= await readTexts(archive, partOf('sharedStrings'))
      const builder = new RowBuilder(what, sheet)
      const reader = new XmlReader(new SheetHandler(builder, { texts, ...(await stylesOf()), ...known }), what)
      for await (const text of partText(archive.bytes(parts.get(sheet) ?? ''), what, onRead)) {
        reader.push(text)
        const records = builder.taken()
        if (records.length > 0) yield records
      }
      reader.end()
    },
  }
}

const hiddenRow = /<(?:[\w.-]+:)?row\s[^>]*\bhidden\s*=\s*["'](?:1|true|on)["']/

/** Reads all bytes of a sheet once, so that a damaged one is refused before any of its rows is used. */
async function look(archive: Archive, part: string): Promise<SheetLook> {
  let bytes = 0
  let mayHideRows = false
  let rest = ''
  for await (const piece of archive.bytes(part)) {
    bytes += piece.length
    if (mayHideRows) continue
    // The word is rare, and found in the bytes much faster than the row.
    const isNamed = piece.includes('hidden') || rest.includes('hidden')
    const edge = piece.toString('latin1', Math.max(0, piece.length - 1_000))
    const text = isNamed ? rest + piece.toString('latin1') : rest + piece.toString('latin1', 0, 1_000)
    mayHideRows = hiddenRow.test(text)
    rest = piece.length < 1_000 ? (rest + edge).slice(-1_000) : edge
  }
  return { bytes, mayHideRows }
}

/** Whether a sheet has a cell with a value; no more of it is unpacked than tells that. */
async function hasCells(archive: Archive, part: string): Promise<boolean> {
  let rest = ''
  for await (const piece of archive.bytes(part)) {
    const text = rest + piece.toString('latin1')
    if (/<(?:[\w.-]+:)?(?:v|t|f)[\s>]/.test(text)) return true
    rest = text.slice(-100)
  }
  return false
}

async function readPart(archive: Archive, name: string, handler: XmlHandler, maxBytes = smallPartBytes): Promise<void> {
  const reader = new XmlReader(handler, archive.what)
  for await (const text of partText(archive.bytes(name, maxBytes), archive.what)) reader.push(text)
  reader.end()
}

async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const slash = part.lastIndexOf('/') + 1
  const directory = part.slice(0, slash)
  const name = `${directory}_rels/${part.slice(slash)}.rels`
  const found: Relationship[] = []
  if (!archive.has(name)) return found
  await readPart(archive, name, {
    open(element, attributes) {
      // What is outside of the archive is never fetched.
      if (element !== 'Relationship' || attributeOf(attributes, 'TargetMode') === 'External') return
      const type = attributeOf(attributes, 'Type')?.split('/').at(-1) ?? ''
      const target = resolvedTarget(directory, attributeOf(attributes, 'Target') ?? '')
      if (target !== undefined) found.push({ id: attributeOf(attributes, 'Id') ?? '', type, target })
    },
    close: () => undefined,
  })
  return found
}

/** The part that a target names, from the directory of the part that names it; `undefined` outside of the archive. */
function resolvedTarget(directory: string, target: string): string | undefined {
  const path = target.replaceAll('\\', '/')
  if (/^[a-z][a-z\d+.-]*:/i.test(path)) return undefined
  const place: string[] = []
  for (const step of `${path.startsWith('/') ? '' : directory}${path}`.split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') place.push(step)
    else if (place.pop() === undefined) return undefined
  }
  return place.join('/')
}

async function readBook(archive: Archive, part: string) {
  const book = { is1904: false, mustCalculate: false, sheets: [] as { id: string; name: string; isVisible: boolean }[] }
  await readPart(archive, part, {
    open(element, attributes) {
      if (element === 'workbookPr') book.is1904 = isTrue(attributeOf(attributes, 'date1904'))
      else if (element === 'calcPr') book.mustCalculate = isTrue(attributeOf(attributes, 'fullCalcOnLoad'))
      else if (element === 'sheet')
        book.sheets.push({
          id: attributeOf(attributes, 'id') ?? '',
          name: attributeOf(attributes, 'name') ?? '',
          isVisible: (attributeOf(attributes, 'state') ?? 'visible') === 'visible',
        })
    },
    close: () => undefined,
  })
  return book
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|true|on)$/i.test(value)
}

/** The texts that cells name by their number. */
async function readTexts(archive: Archive, part: string | undefined): Promise<readonly string[]> {
  if (part === undefined) return []
  const texts: string[] = []
  let text = ''
  let length = 0
  let wanted = false
  let readings = 0
  await readPart(
    archive,
    part,
    {
      open(element) {
        if (element === 'si') text = ''
        else if (element === 't') wanted = readings === 0
        else if (element === 'rPh') readings++
      },
      close(element) {
        wanted = false
        if (element === 'rPh') readings--
        if (element !== 'si') return
        length += text.length
        if (length > bounds.sharedTextBytes) throw beyond(archive.what, 'its texts are longer than 256 MB')
        texts.push(decoded(text))
      },
      text(piece) {
        text += piece
      },
      wantsText: () => wanted,
    },
    bounds.partBytes,
  )
  return texts
}

/** Letters that XML cannot hold are written as `_x000D_`; line ends become LF. */
function decoded(text: string): string {
  const plain =
    text.includes('_') && /_x[\da-f]{4}_/i.test(text)
      ? text.replace(/_x([\da-f]{4})_/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      : text
  return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain
}

/** Styles of cells, by their number. */
interface CellStyles {
  formats: readonly NumberFormat[]
  /** The styles whose font is struck out; `undefined` if there are none. */
  struck: ReadonlySet<number> | undefined
}

async function readStyles(archive: Archive, part: string | undefined): Promise<CellStyles> {
  if (part === undefined) return { formats: [], struck: undefined }
  const own = new Map<string, string>()
  const ids: string[] = []
  const struckFonts = new Set<number>()
  const struck = new Set<number>()
  let fonts = 0
  let isInFonts = false
  let isInCells = false
  await readPart(archive, part, {
    open(element, attributes) {
      if (element === 'numFmt')
        own.set(attributeOf(attributes, 'numFmtId') ?? '', attributeOf(attributes, 'formatCode') ?? '')
      else if (element === 'cellXfs') isInCells = true
      else if (element === 'fonts') isInFonts = true
      else if (element === 'font' && isInFonts) fonts++
      else if (element === 'strike' && isInFonts) {
        if (isTrue(attributeOf(attributes, 'val') ?? '1')) struckFonts.add(fonts - 1)
      } else if (element === 'xf' && isInCells) {
        // Fonts stand before the styles that name them.
        if (struckFonts.has(Number(attributeOf(attributes, 'fontId') ?? 0))) struck.add(ids.length)
        ids.push(attributeOf(attributes, 'numFmtId') ?? '0')
      }
    },
    close(element) {
      if (element === 'cellXfs') isInCells = false
      else if (element === 'fonts') isInFonts = false
    },
  })
  return { formats: ids.map((id) => formatById(id, own)), struck: struck.size === 0 ? undefined : struck }
}

function formatById(id: string, own: ReadonlyMap<string, string>): NumberFormat {
  const code = own.get(id)
  if (code !== undefined) return formatOf(code)
  // Some programs write the code where its number belongs.
  return /^(?:0|[1-9]\d{0,5})$/.test(id) ? builtInFormat(Number(id)) : formatOf(id)
}

interface SheetTables extends CellStyles {
  texts: readonly string[]
  is1904: boolean
  mustCalculate: boolean
}

const general: NumberFormat = { kind: 'number' }

/** The types of cells that are read as a whole. */
const plainTypes = ['n', 's', 'b', 'e', 'str']
const quote = 0x22

/** Reads the cells of a sheet. */
class SheetHandler implements XmlHandler {
  #at = 0
  #type = ''
  #style: number | undefined
  #value: string | undefined
  #inline: string | undefined
  #hasFormula = false
  #collects: 'value' | 'inline' | undefined
  #readings = 0
  #isInCell = false
  #isInRow = false

  constructor(
    private readonly builder: RowBuilder,
    private readonly tables: SheetTables,
  ) {}

  /**
   * Takes a cell as most programs write it, `<c r="B7" s="1" t="s"><v>12</v></c>`, with nothing in it that stands for
   * another letter. Letter by letter: a pattern makes an array of parts for each cell.
   */
  take(text: string, at: number): number | undefined {
    if (this.#isInCell || !this.#isInRow || !text.startsWith('<c r="', at)) return undefined
    let column = 0
    let place = at + 6
    for (let code = text.charCodeAt(place); code > 64 && code < 91; code = text.charCodeAt(++place))
      column = column * 26 + code - 64
    place = afterDigits(text, place)
    if (column === 0 || text.charCodeAt(place) !== quote) return undefined
    place++
    let style: number | undefined
    if (text.startsWith(' s="', place)) {
      const end = afterDigits(text, place + 4)
      if (text.charCodeAt(end) !== quote) return undefined
      style = digitsAt(text, place + 4, end)
      place = end + 1
    }
    let type = 'n'
    if (text.startsWith(' t="', place)) {
      type = text.startsWith('s"', place + 4) ? 's' : text.slice(place + 4, text.indexOf('"', place + 4))
      if (!plainTypes.includes(type)) return undefined
      place += 5 + type.length
    }
    if (!text.startsWith('><v>', place)) return undefined
    const end = type === 's' ? afterDigits(text, place + 4) : text.indexOf('<', place + 4)
    if (end === -1 || !text.startsWith('</v></c>', end)) return undefined
    this.#at = column - 1
    this.#style = style
    const known = type === 's' && end > place + 4 ? this.tables.texts[digitsAt(text, place + 4, end)] : undefined
    if (known !== undefined) this.builder.add(this.#at, known, this.#isStruckOut)
    else {
      const value = text.slice(place + 4, end)
      if (value.includes('&') || value.includes('\r')) return undefined
      this.#takeValue(value, type)
    }
    return end + 8
  }

  #takeValue(value: string, type: string): void {
    this.#type = type
    this.#value = value
    this.#inline = undefined
    const isWhole = value.length > 0 && value.length < 16 && afterDigits(value, 0) === value.length
    if (type === 'n' && isWhole && this.#format.kind === 'number') {
      this.builder.add(this.#at, value, this.#isStruckOut)
      return
    }
    const cell = type === 'e' && value.trim() === '' ? { text: '', fault: neverCalculated } : this.#read(value)
    this.builder.add(this.#at, cell.text, this.#isStruckOut, cell.fault, cell.hiddenTime)
  }

  open(name: string, attributes: string): void {
    if (name === 'c') this.#begin(attributes)
    else if (name === 'row') {
      this.#isInRow = true
      const line = attributeOf(attributes, 'r')
      this.builder.begin(line === undefined ? undefined : Number(line), isTrue(attributeOf(attributes, 'hidden')))
    } else if (!this.#isInCell) return
    else if (name === 'v') {
      this.#value ??= ''
      this.#collects = 'value'
    } else if (name === 'f') this.#hasFormula = true
    else if (name === 'rPh') this.#readings++
    else if (name === 't' && this.#readings === 0) {
      this.#inline ??= ''
      this.#collects = 'inline'
    }
  }

  close(name: string): void {
    if (name === 'c') this.#end()
    else if (name === 'row') {
      this.#isInRow = false
      this.builder.end()
    } else if (name === 'v' || name === 't') this.#collects = undefined
    else if (name === 'rPh') this.#readings--
  }

  text(text: string): void {
    if (this.#collects === 'value') this.#value += text
    else if (this.#collects === 'inline') this.#inline += text
  }

  wantsText(): boolean {
    return this.#collects !== undefined
  }

  #begin(attributes: string): void {
    this.#isInCell = true
    this.#at = this.builder.place(attributeOf(attributes, 'r'))
    this.#type = attributeOf(attributes, 't') ?? 'n'
    const style = attributeOf(attributes, 's')
    this.#style = style === undefined ? undefined : Number(style)
    this.#value = undefined
    this.#inline = undefined
    this.#hasFormula = false
    this.#collects = undefined
    this.#readings = 0
  }

  #end(): void {
    this.#isInCell = false
    const { text, fault, hiddenTime }: CellReading = this.#isUncalculated()
      ? { text: '', fault: neverCalculated }
      : this.#read(this.#value ?? '')
    this.builder.add(this.#at, text, this.#isStruckOut, fault, hiddenTime)
  }

  #read(value: string): CellReading {
    const bare = value.trim()
    switch (this.#type) {
      case 's':
        return this.#shared(bare)
      case 'inlineStr':
        return { text: decoded(this.#inline ?? value) }
      case 'str':
        return { text: decoded(this.#value ?? this.#inline ?? '') }
      case 'n':
        return bare === '' ? { text: decoded(this.#inline ?? '') } : this.#number(value)
      case 'b':
        return truthOf(bare.toLowerCase())
      case 'e':
        return { text: bare === '' ? '#N/A' : bare }
      case 'd':
        return bare === '' ? { text: '' } : isoText(value, this.#format)
      default:
        return { text: value, fault: notANumber(value) }
    }
  }

  /** A formula without its value; the writers that ask for a calculation write 0 for every one. */
  #isUncalculated(): boolean {
    const value = this.#value
    if (this.#type === 'e' && (value === undefined || value.trim() === '')) return true
    if (!this.#hasFormula) return false
    if (value === undefined && this.#inline === undefined) return true
    if (value === '' && this.#type !== 'str') return true
    return value?.trim() === '0' && this.#type === 'n' && this.tables.mustCalculate
  }

  #shared(value: string): CellReading {
    if (value === '') return { text: '' }
    const text = /^\d+$/.test(value) ? this.tables.texts[Number(value)] : undefined
    if (text !== undefined) return { text }
    return {
      text: '',
      fault: {
        message: `names the text ${value.slice(0, 20)}, which the workbook does not have`,
        hint: 'Open the workbook in its program, enter the value again, and save it.',
      },
    }
  }

  #number(value: string): CellReading {
    return numberText(value, this.#format, this.tables.is1904)
  }

  get #isStruckOut(): boolean {
    return this.#style !== undefined && this.tables.struck?.has(this.#style) === true
  }

  get #format(): NumberFormat {
    return (this.#style === undefined ? undefined : this.tables.formats[this.#style]) ?? general
  }
}

/** The position behind the digits that begin here. */
function afterDigits(text: string, at: number): number {
  let end = at
  for (let code = text.charCodeAt(end); code > 47 && code < 58; code = text.charCodeAt(end)) end++
  return end
}

function digitsAt(text: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - 48
  return number
}

function truthOf(value: string): CellReading {
  if (value === '1' || value === 'true') return { text: 'TRUE' }
  if (value === '0' || value === 'false') return { text: 'FALSE' }
  return {
    text: '',
    fault: { message: 'is neither true nor false', hint: 'Enter TRUE or FALSE, or leave the cell empty.' },
  }
}
