import type { ComponentChildren } from 'preact'
import { areSeveral } from '../state/accounts.js'
import { OfAccount, useAccount } from './account.js'
import { AccountBadge } from './account-fields.js'

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
  /** The account of a row, where rows of several are shown: it has a column, and is whose everything in the row is. */
  accountOf?(row: Row): string | undefined
  /** More about a row, below it. */
  moreOf?(row: Row): ComponentChildren
  /** Rows are one line high and the columns do not move while rows come in; long texts are cut off. */
  isFixed?: boolean
}

/** A table with one line per entry: requests, events and attempts look the same on every screen. */
export function Table<Row>({ columns: own, rows, keyOf, accountOf, moreOf, isFixed = false }: TableProps<Row>) {
  const around = useAccount().name
  const columns = accountOf === undefined || !areSeveral.value ? own : withAccount(own, accountOf)
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
            <OfAccount key={keyOf(row)} name={accountOf === undefined ? around : accountOf(row)}>
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
            </OfAccount>
          )
        })}
      </tbody>
    </table>
  )
}

function withAccount<Row>(
  columns: readonly TableColumn<Row>[],
  accountOf: (row: Row) => string | undefined,
): readonly TableColumn<Row>[] {
  const [first, ...others] = columns
  const account: TableColumn<Row> = {
    name: 'Account',
    place: 'kind',
    cell: (row) => <AccountBadge name={accountOf(row)} />,
  }
  return first === undefined ? [account] : [first, account, ...others]
}
