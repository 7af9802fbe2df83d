import { UsageError } from '../../../contract/index.js'
import { type Archive, passwordError } from './zip-archive.js'

const asWorkbook = 'Open it in its program, and save the sheet as .xlsx, .ods, or CSV in UTF-8.'

/** The error for a file that is not what dlv reads, by its name. */
function refused(what: string, kind: string, hint = asWorkbook): UsageError {
  return new UsageError(`${what} is ${kind}.`, { hint })
}

/**
 * The error for a file of another program, by its first bytes; `undefined` for text that may be rows, and for archives.
 *
 * @param head as much of the beginning as is there: names in it tell kinds apart
 */
export function foreignFile(head: Uint8Array, what: string): UsageError | undefined {
  if (startsWith(head, 'd0cf11e0a1b11ae1')) {
    const names = Buffer.from(head).toString('utf16le') + Buffer.from(head.subarray(1)).toString('utf16le')
    return names.includes('EncryptedPackage') ? passwordError(what) : refused(what, 'a workbook of old Excel (.xls)')
  }
  if (/^09(?:00|02|04|08)(?:04|06|08|10)00/.test(hexOf(head, 4))) return refused(what, 'a workbook of old Excel (.xls)')
  if (startsWith(head, '25504446')) return refused(what, 'a PDF', 'Pass the sheet that it was made from.')
  if (startsWith(head, '1f8b')) return refused(what, 'compressed with gzip', `Unpack it first: gunzip ${what}`)
  if (startsWith(head, '53514c69746520666f726d6174'))
    return refused(what, 'an SQLite database', 'Export its rows as CSV.')
  const text = Buffer.from(head)
    .toString(startsWith(head, 'fffe') ? 'utf16le' : 'utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (symbolicLink.test(text)) return refused(what, 'a symbolic link file (.slk)')
  if (interchange.test(text)) return refused(what, 'a file of the data interchange format (.dif)')
  return text.startsWith('<') ? markupFile(text, what) : undefined
}

/** How the old exchange formats of spreadsheets begin. */
const symbolicLink = /^ID;P[^\r\n]*\r?\n[BCFOP];/
const interchange = /^TABLE\r?\n0,1\r?\n"/

function markupFile(text: string, what: string): UsageError {
  if (/office:document\b|opendocument:xmlns:office/.test(text)) return refused(what, 'a flat OpenDocument file (.fods)')
  if (/progid="Excel\.Sheet"|schemas-microsoft-com:office:spreadsheet/.test(text))
    return refused(what, 'a workbook in the XML of Excel 2003')
  if (/<(?:!doctype html|html|head|body|table|meta)\b/i.test(text))
    return refused(
      what,
      'a page of HTML, whatever its name says',
      'Download the sheet again, or open the page in a spreadsheet and save it as .xlsx or CSV.',
    )
  return refused(what, 'XML', 'Pass JSON, CSV, .xlsx or .ods.')
}

/**
 * The format of a workbook, by the parts of its archive.
 *
 * @throws UsageError for another kind of file
 */
export async function workbookFormat(archive: Archive): Promise<'xlsx' | 'ods'> {
  const { what, names } = archive
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name))
  if (archive.has('mimetype')) {
    const type = await partText(archive, 'mimetype')
    const isSheet = /opendocument\.spreadsheet(?:-template)?$/.test(type.trim())
    if (/opendocument/.test(type) && !isSheet)
      throw refused(what, 'an OpenDocument file without a sheet', 'Pass a spreadsheet (.ods).')
    if (isSheet) {
      if (has(/^encrypted-package$/i)) throw passwordError(what)
      if (
        archive.has('META-INF/manifest.xml') &&
        (await partText(archive, 'META-INF/manifest.xml')).includes('encryption-data')
      )
        throw passwordError(what)
      return 'ods'
    }
  }
  if (has(/\/workbook\.bin$/i)) throw refused(what, 'a binary workbook of Excel (.xlsb)')
  if (has(/\.iwa$|^Index\.zip$/i))
    throw refused(what, 'a sheet of Numbers (.numbers)', 'In Numbers: File, Export To, Excel or CSV.')
  if (has(/^word\//i)) throw refused(what, 'a document of Word', 'Pass the sheet, not a document.')
  if (has(/^ppt\//i)) throw refused(what, 'a presentation', 'Pass the sheet, not a presentation.')
  if (archive.has('content.xml') && has(/^META-INF\//i)) return 'ods'
  if (archive.has('_rels/.rels')) return 'xlsx'
  throw refused(what, 'a ZIP archive, not a workbook', 'Unpack it, and pass the file of rows in it.')
}

async function partText(archive: Archive, part: string): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of archive.bytes(part, 8 * 1_048_576)) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

function startsWith(head: Uint8Array, hex: string): boolean {
  return hexOf(head, hex.length / 2) === hex
}

function hexOf(head: Uint8Array, bytes: number): string {
  return Buffer.from(head.subarray(0, bytes)).toString('hex')
}
