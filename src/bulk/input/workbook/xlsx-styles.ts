import { builtInFormat, formatOf, type NumberFormat } from './number-format.js'
import { attributeOf, isTrue, readPart } from './xml.js'
import type { Archive } from './zip-archive.js'

/** Styles of cells, by their number. */
export interface CellStyles {
  formats: readonly NumberFormat[]
  /** The styles whose font is struck out; `undefined` if there are none. */
  struck: ReadonlySet<number> | undefined
}

export async function readStyles(archive: Archive, part: string | undefined): Promise<CellStyles> {
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
