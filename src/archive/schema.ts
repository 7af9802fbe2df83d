import { didYouMean, suggestions } from '../shared/suggestions.js'
import { type ColumnType, type Table, tables } from './tables.js'
import { type ArchiveView, views } from './views.js'

/** A table or view of the archive, described. */
export interface Relation {
  name: string
  kind: 'table' | 'view'
  /** Personal data is in a file of its own, which a query reads only with `--people`. */
  file: Table['file']
  about: string
  columns: { name: string; type: ColumnType; about: string }[]
}

/** How the file holds values: what somebody who writes SQL needs besides the columns. */
export const valuesNote =
  "Times are text in UTC, such as 2026-11-23T14:05:09.123Z: compare them with strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day'), not with datetime(). Minutes between two are (julianday(b) - julianday(a)) * 1440. Flags are 0 or 1, amounts are cents, and json_each() reads arrays. median(x) and percentile(x, 90) are there."

/** All tables and views, those with personal data last. */
export function archiveSchema(): Relation[] {
  const columnsOf = ({ columns }: Pick<Table, 'columns'>) =>
    Object.entries(columns).map(([name, { type, about }]) => ({ name, type, about }))
  return [
    ...Object.entries<Table>(tables).map(([name, table]) => ({
      name,
      kind: 'table' as const,
      file: table.file,
      about: table.about,
      columns: columnsOf(table),
    })),
    ...Object.entries<ArchiveView>(views).map(([name, view]) => ({
      name,
      kind: 'view' as const,
      file: 'archive' as const,
      about: view.about,
      columns: columnsOf(view),
    })),
  ].sort((one, other) => Number(one.file === 'people') - Number(other.file === 'people'))
}

/** The hint for a table or column that the archive does not have, or that a query finds only with `--people`. */
export function schemaHint(what: 'table' | 'column', name: string): string {
  const schema = archiveSchema()
  if (what === 'table' && schema.some((relation) => relation.name === name && relation.file === 'people'))
    return 'Add --people, which attaches it.'
  const names = schema.flatMap(({ name: table, columns }) =>
    what === 'table' ? [table] : columns.map((column) => column.name),
  )
  const near = didYouMean(suggestions(name, [...new Set(names)], 1))
  return [near, 'dlv query --schema lists the tables and columns.'].filter(Boolean).join(' ')
}
