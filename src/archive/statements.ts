/** The statements that write rows, made from the tables. */
import { type TableName, tables } from './tables.js'

const columnsOf = (table: TableName) => Object.keys(tables[table].columns)

const insertInto = (table: TableName, verb: string) =>
  `${verb} INTO ${table} (${columnsOf(table).join(', ')}) VALUES (${columnsOf(table)
    .map(() => '?')
    .join(', ')})`

/** An insert that replaces all other columns of a row that exists. */
const upsertInto = (table: TableName) => {
  const key: readonly string[] = tables[table].key
  const others = columnsOf(table).filter((column) => !key.includes(column))
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `${insertInto(table, 'INSERT')} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets}`
}

const ofAll = (statement: (table: TableName) => string) =>
  Object.fromEntries(Object.keys(tables).map((name) => [name, statement(name as TableName)])) as Record<
    TableName,
    string
  >

/** The statements that write one row of each table. */
export const sql = { insert: ofAll((table) => insertInto(table, 'INSERT OR IGNORE')), upsert: ofAll(upsertInto) }

export const eventColumns = columnsOf('events')
export const deliveryColumns = columnsOf('deliveries')
/** To write a column writes its indexes: those that change seldom are left out of an update that does not change them. */
export const indexedColumns = ['client_order_reference', 'created_at', 'status', 'store_reference']
export const updatedColumns = deliveryColumns.filter(
  (column) => column !== 'delivery_id' && !indexedColumns.includes(column),
)
export const updateDelivery = `UPDATE deliveries SET ${updatedColumns.map((column) => `${column} = ?`).join(', ')}
  WHERE delivery_id = ? AND ${indexedColumns.map((column) => `${column} IS ?`).join(' AND ')}`
