import { MergedCells, type MergedRange } from './merged-cells.js'
import { columnIn, RowBuilder, type SheetLook, type SheetName, type Workbook } from './sheet.js'
import { decoded, SheetHandler } from './xlsx-cells.js'
import { type CellStyles, readStyles } from './xlsx-styles.js'
import { attributeOf, isTrue, partText, readPart, XmlReader } from './xml.js'
import { type Archive, beyond, bounds, damaged } from './zip-archive.js'

/** A relationship of a part: its type without the address before it, and the part that it names. */
interface Relationship {
  id: string
  type: string
  target: string
}

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
  const merged = new Map<string, MergedRange[]>()
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
      const { bytes, mayHideRows, ranges } = await look(archive, parts.get(sheet) ?? '')
      merged.set(sheet, ranges)
      return { bytes, mayHideRows: mayHideRows || (await stylesOf()).struck !== undefined }
    },
    hasRows: (sheet) => hasCells(archive, parts.get(sheet) ?? ''),
    async *rows(sheet, onRead) {
      texts ??= await readTexts(archive, partOf('sharedStrings'))
      const builder = new RowBuilder(what, sheet)
      const cells = new MergedCells()
      for (const range of merged.get(sheet) ?? []) cells.add(range)
      cells.sort()
      const reader = new XmlReader(new SheetHandler(builder, { texts, ...(await stylesOf()), ...known }), what)
      for await (const text of partText(archive.bytes(parts.get(sheet) ?? ''), what, onRead)) {
        reader.push(text)
        const records = cells.shown(builder.taken())
        if (records.length > 0) yield records
      }
      reader.end()
    },
  }
}

const hiddenRow = /<(?:[\w.-]+:)?row\s[^>]*\bhidden\s*=\s*["'](?:1|true|on)["']/

/** Reads all bytes of a sheet once, so that a damaged one is refused before any of its rows is used. */
async function look(archive: Archive, part: string): Promise<SheetLook & { ranges: MergedRange[] }> {
  let bytes = 0
  let mayHideRows = false
  let rest = ''
  const ranges = new RangeSearch()
  for await (const piece of archive.bytes(part)) {
    bytes += piece.length
    ranges.look(piece)
    if (mayHideRows) continue
    // The word is rare, and found in the bytes much faster than the row.
    const isNamed = piece.includes('hidden') || rest.includes('hidden')
    const edge = piece.toString('latin1', Math.max(0, piece.length - 1_000))
    const text = isNamed ? rest + piece.toString('latin1') : rest + piece.toString('latin1', 0, 1_000)
    mayHideRows = hiddenRow.test(text)
    rest = piece.length < 1_000 ? (rest + edge).slice(-1_000) : edge
  }
  return { bytes, mayHideRows, ranges: ranges.found }
}

const mergeCell = /<(?:[\w.-]+:)?mergeCell\s[^>]*\bref\s*=\s*["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']/g

/** Finds the ranges of merged cells, which stand behind the rows. */
class RangeSearch {
  readonly found: MergedRange[] = []
  #rest = ''

  look(piece: Buffer): void {
    // As above: the word is rare, and found in the bytes much faster.
    if (this.#rest.includes('mergeC') || piece.includes('mergeCell')) {
      const text = this.#rest + piece.toString('latin1')
      const end = text.lastIndexOf('>') + 1
      for (const [, left = '', top, right = '', bottom] of text.slice(0, end).matchAll(mergeCell))
        this.found.push({ left: columnIn(left), top: Number(top), right: columnIn(right), bottom: Number(bottom) })
      this.#rest = text.slice(end).slice(-1_000)
    } else this.#rest = piece.toString('latin1', Math.max(0, piece.length - 200))
  }
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
