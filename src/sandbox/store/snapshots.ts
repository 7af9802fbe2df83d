import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../../contract/index.js'
import { makeFolder } from '../../shared/directory.js'
import { Database } from './database.js'
import { snapshotTables } from './schema.js'

export function clearTables(database: Database): void {
  for (const table of snapshotTables) database.execute(`DELETE FROM ${table}`)
}

/** Copies the state into a file of its own. The file appears under its name only when it is whole. */
export function writeSnapshot(database: Database, file: string): void {
  makeFolder(dirname(file))
  const unfinished = `${file}.${process.pid}.tmp`
  rmSync(unfinished, { force: true })
  database.execute(`VACUUM INTO ${quoted(unfinished)}`)
  renameSync(unfinished, file)
}

/**
 * Puts the state of a snapshot in the place of the present one, in one transaction: other processes on the file see
 * the one or the other.
 */
export function restoreSnapshot(database: Database, file: string): void {
  if (!existsSync(file)) throw new UsageError(`There is no snapshot ${file}.`)
  new Database(file).close() // brings a snapshot of an older format up to this one
  database.execute(`ATTACH ${quoted(file)} AS snapshot`)
  try {
    database.write(() => {
      clearTables(database)
      for (const table of snapshotTables) {
        database.execute(`INSERT INTO main.${table} SELECT * FROM snapshot.${table}`)
      }
    })
  } finally {
    database.execute('DETACH snapshot')
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
