import { UsageError } from '../../contract/index.js'
import { trimmed } from '../../shared/white-space.js'

/** Names of CSV columns, each with the field that it stands for. */
export type ColumnNames = ReadonlyMap<string, string>

/** A column of a header and its field: the field's path, or the column's own name if it was not mapped. */
interface MappedColumn {
  path: string
  isMapped: boolean
}

/**
 * Finds the mapped columns in a header. Names are compared exactly, then without regard to case.
 *
 * @throws UsageError for a mapped name that the header does not have
 */
export function mapHeader(header: readonly string[], names: ColumnNames): MappedColumn[] {
  const cells = header.map(plainName)
  const paths = cells.map((path) => ({ path, isMapped: false }))
  for (const [theirs, path] of names) {
    const name = plainName(theirs)
    const exact = cells.indexOf(name)
    const at = exact === -1 ? cells.findIndex((cell) => cell.toLowerCase() === name.toLowerCase()) : exact
    if (at === -1)
      throw new UsageError(`The header has no column "${theirs.slice(0, 80)}"`, {
        hint: `Its columns are ${cells
          .filter(Boolean)
          .slice(0, 40)
          .map((cell) => `"${cell}"`)
          .join(', ')}.`,
      })
    paths[at] = { path, isMapped: true }
  }
  return paths
}

/** A name without surrounding spaces, and with accents in their composed form. */
function plainName(name: string): string {
  return trimmed(name.normalize('NFC'))
}
