import { isResponseField, UsageError, zipOf } from '../../contract/index.js'
import { trimmed } from '../../shared/texts.js'

/** Names of CSV columns, each with the field that it stands for. `First name+Last name` are two columns of one field. */
export type ColumnNames = ReadonlyMap<string, string>

/** A column of a header, or several that are one field. */
export interface NamedColumn {
  /** The name in the header. */
  name: string
  /** The path of its field. */
  path: string
  /** Its places in a record: several if columns are joined, or have the same name. */
  indexes: readonly number[]
  isJoined: boolean
}

/**
 * Finds the mapped columns in a header. Names are compared exactly, then without regard to case.
 *
 * @returns the mapped columns, and the others by their own names
 * @throws UsageError for a mapped name that the header does not have
 */
export function mapHeader(
  header: readonly string[],
  names: ColumnNames,
): { columns: NamedColumn[]; others: NamedColumn[] } {
  const cells = header.map(plainName)
  const taken = new Set<number>()
  const columns = [...names].map(([theirs, path]) => {
    const found = columnsOf(cells, theirs) ?? joinedColumns(cells, theirs)
    if (!('indexes' in found)) throw noColumn(found.missing, cells)
    for (const index of found.indexes) taken.add(index)
    return { ...found, name: plainName(theirs), path }
  })
  const others = [...cells.entries()]
    .filter(([index, name]) => !taken.has(index) && (name === '' || cells.indexOf(name) === index))
    .map(([index, name]) => ({
      name,
      path: name,
      indexes: name === '' ? [index] : placesOf(cells, name),
      isJoined: false,
    }))
  return { columns, others }
}

/** The number of columns of a mapping that a header has. */
export function mappedColumns(header: readonly string[], names: ColumnNames): number {
  const cells = header.map(plainName)
  return [...names.keys()]
    .flatMap((theirs) => (columnsOf(cells, theirs) === undefined ? theirs.split('+') : [theirs]))
    .filter((theirs) => columnsOf(cells, theirs) !== undefined).length
}

/** Whether a header has every column of a mapping. */
export function hasColumns(header: readonly string[], names: ColumnNames): boolean {
  const cells = header.map(plainName)
  return [...names.keys()].every(
    (theirs) => columnsOf(cells, theirs) !== undefined || 'indexes' in joinedColumns(cells, theirs),
  )
}

/** The columns that a name means by itself. */
function columnsOf(cells: readonly string[], theirs: string): Pick<NamedColumn, 'indexes' | 'isJoined'> | undefined {
  const name = plainName(theirs)
  const exact = placesOf(cells, name)
  const indexes =
    exact.length > 0
      ? exact
      : placesOf(
          cells.map((cell) => cell.toLowerCase()),
          name.toLowerCase(),
        )
  if (indexes.length > 0) return { indexes, isJoined: false }
  const nth = nthColumn(cells, name)
  return nth === undefined ? undefined : { indexes: [nth], isJoined: false }
}

/** `Name (2)` is the second of the columns that are called Name. */
function nthColumn(cells: readonly string[], name: string): number | undefined {
  const [, base = '', number] = /^(.*\S)\s*\((\d{1,3})\)$/.exec(name) ?? []
  if (number === undefined) return undefined
  const folded = base.toLowerCase()
  const places = placesOf(
    cells.map((cell) => cell.toLowerCase()),
    folded,
  )
  return places.length < 2 ? undefined : places[Number(number) - 1]
}

/** The columns of `First name+Last name`, or the name that the header does not have. */
function joinedColumns(
  cells: readonly string[],
  theirs: string,
): Pick<NamedColumn, 'indexes' | 'isJoined'> | { missing: string } {
  const parts = theirs.split('+')
  const found = parts.map((part) => columnsOf(cells, part)?.indexes[0])
  const missing = found.indexOf(undefined)
  if (missing !== -1)
    return {
      missing: parts.length === 1 || found.every((at) => at === undefined) ? theirs : trimmed(parts[missing] ?? ''),
    }
  return { indexes: found.flatMap((index) => index ?? []), isJoined: true }
}

function placesOf(cells: readonly string[], name: string): number[] {
  return [...cells.entries()].flatMap(([index, cell]) => (cell === name ? [index] : []))
}

function noColumn(name: string, cells: readonly string[]): UsageError {
  return new UsageError(`The header has no column "${name.slice(0, 80)}"`, {
    hint: `Its columns are ${cells
      .filter(Boolean)
      .slice(0, 40)
      .map((cell) => `"${cell}"`)
      .join(', ')}.`,
  })
}

/** A name with single spaces, without those around it, and with accents in their composed form. */
export function plainName(name: string): string {
  return trimmed(name.normalize('NFC').replace(/\s+/g, ' '))
}

/** The cells of columns that are one field, joined: an address by commas, other texts by spaces. */
export function joinedCells(cells: readonly string[], path: string): string {
  const given = cells.map(trimmed).filter((cell) => cell !== '')
  if (!/(?:^|\.)(?:address|line[12])$/.test(path)) return given.join(' ')
  return unitsInPlace(withoutRepeats(given)).reduce((text, part, index) => {
    if (text === '') return part
    const zip = zipOf(part)
    // A state and its ZIP.
    if (/(?:^|, )[A-Za-z]{2}$/.test(text) && /^\d{5}(?:-\d{4})?$/.test(zip)) return `${text} ${zip}`
    return `${text}, ${index === 0 ? part : zip}`
  }, '')
}

/** The parts with units behind the street of a first one that is a whole address. */
function unitsInPlace(parts: readonly string[]): readonly string[] {
  const [whole = '', ...units] = parts
  const [, street, rest] = /^([^,\n]*\d[^,\n]*)[,\n]\s*(.*\S[\s,]+\d{5}(?:-\d{4})?)$/s.exec(whole) ?? []
  if (street === undefined || rest === undefined || units.length === 0 || units.some((unit) => /\b\d{5}\b/.test(unit)))
    return parts
  return [street.trimEnd(), ...units, rest]
}

const unitWords: readonly (readonly [name: RegExp, word: string])[] = [
  [/^(?:apt|apartment)$/, 'Apt'],
  [/^(?:suite|ste)$/, 'Ste'],
  [/^unit$/, 'Unit'],
  [/^(?:room|rm)$/, 'Rm'],
  [/^(?:floor|fl)$/, 'Floor'],
  [/^(?:building|bldg)$/, 'Bldg'],
  [/^lot$/, 'Lot'],
]

/** The word of a unit that a column's name is, such as `Apt` or `Ship Apt #`; of several, `Unit`. */
export function unitWordOf(name: string): string | undefined {
  const words = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/\([^)]*\)/g, ' ')
    .replace(/[^\p{L}#]+/gu, ' ')
    .trim()
    .split(' ')
    .filter(
      (word) =>
        !/^(?:shipping|ship|delivery|recipient|customer|drop|off|address|no|number|nr|num|etc|or|and|to|#|code)$/.test(
          word,
        ),
    )
  if (words.length === 0) return /#/.test(name) && !/\p{L}/u.test(name.replace(/apt/i, '')) ? 'Unit' : undefined
  const found = words.map((word) => unitWords.find(([form]) => form.test(word))?.[1])
  if (found.some((word) => word === undefined)) return undefined
  return new Set(found).size === 1 ? found[0] : 'Unit'
}

/** A unit without its word: `2`, `4B`, `B-3`; `#12` has one. */
const bareUnit = /^((?=[\w-]*\d)[A-Za-z]{0,2}-?\d{1,5}(?:-?[A-Za-z\d]{1,3})?|[A-Za-z])$/

/** The text of a cell in a column of units, with the word that a driver needs before a bare number. */
export function unitText(cell: string, word: string | undefined): string {
  const bare = word === undefined ? undefined : bareUnit.exec(trimmed(cell))?.[1]
  return bare === undefined ? cell : `${word} ${bare}`
}

/** The parts of an address without what its street says already, if that is the whole address with its ZIP code. */
function withoutRepeats(parts: readonly string[]): readonly string[] {
  const [street = '', ...others] = parts
  const zip = /\b(\d{5})(?:-\d{4})?\W*(?:US|USA|United States)?\W*$/i.exec(street)?.[1]
  if (zip === undefined || !others.some((part) => part.startsWith(zip))) return parts
  const words = ` ${street.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `
  const isSaid = (part: string) =>
    words.includes(
      ` ${part
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()} `,
    )
  return [street, ...others.filter((part) => !isSaid(part) && !(part.startsWith(zip) && /^\d{5}-?\d{4}$/.test(part)))]
}

/** Columns of what dlv prints that no field of a response has: of results, lists, quotes and the archive. */
const printedColumns = new Set(
  'row line outcome error error.code error.message problem obstacle eta eta.dropoff quotes late lateSeconds promisedBy promiseSource'.split(
    ' ',
  ),
)

/** Whether a column is of an answer or of a result, and says nothing that a request could take. */
export function isAnswerColumn(name: string): boolean {
  return printedColumns.has(name) || isResponseField(name)
}
