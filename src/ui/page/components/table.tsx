import { type ComponentChildren, Fragment } from 'preact'

/**
 * Where a column stands. On a narrow screen, `time`, `order` and `kind` are the first line of a row, `what` and `state`
 * the second, `more` the third.
 */
type ColumnPlace = 'time' | 'kind' | 'what' | 'state' | 'order' | 'more'

export interface TableColumn<Row> {
  name: string
  place: ColumnPlace
  cell(row: Row): ComponentChildren
}

interface TableProps<Row> {
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string | number
  /** More about a row, below it. */
  moreOf?(row: Row): ComponentChildren
  /** Rows are one line high and the columns do not move while rows come in; long texts are cut off. */
  isFixed?: boolean
}

/** A table with one line per entry: requests, events and attempts look the same on every screen. */
export function Table<Row>({ columns, rows, keyOf, moreOf, isFixed = false }: TableProps<Row>) {
  return (
    <table class={isFixed ? 'lines fixed' : 'lines'}>
      <thead>
        <tr>
          {columns.map(({ name, place }) => (
            <th key={name} scope="col" class={place}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const more = moreOf?.(row)
          return (
            <Fragment key={keyOf(row)}>
              <tr>
                {columns.map(({ name, place, cell }) => (
                  <td key={name} class={place}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
              {more !== undefined && (
                <tr class="below-row">
                  <td colSpan={columns.length}>{more}</td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
}
