import type { DatabaseSync } from 'node:sqlite'
import { loadSqlite } from '../shared/sqlite.js'
import { type ArchivePaths, attachForReading, openForReading } from './database.js'
import { archiveSchema } from './schema.js'

/** The archive of one of several accounts. */
export interface AccountArchive {
  profile: string
  paths: ArchivePaths
}

/** Files that one connection of SQLite may read; it is compiled into it. */
const filesMax = 10

/**
 * Opens the archives of several accounts as one database: its tables and views have the rows of all, and a first column
 * `profile`. A few files are read where they are; of more, what the statement names is copied into a temporary file, which
 * SQLite removes.
 *
 * @throws UsageError that names a file which cannot be read
 */
export function openTogether(accounts: readonly AccountArchive[], sql: string, withPeople: boolean): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  for (const { paths } of accounts) {
    openForReading('archive', paths.archive).close()
    if (withPeople) openForReading('people', paths.people).close()
  }
  const database = new DatabaseSync('', { timeout: 5_000 })
  const relations = archiveSchema().filter(({ file }) => withPeople || file !== 'people')
  if (accounts.length * (withPeople ? 2 : 1) > filesMax)
    copyAll(
      database,
      accounts,
      relations.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql)),
      withPeople,
    )
  else {
    for (const [at, account] of accounts.entries()) attach(database, account, at, withPeople)
    for (const { name, file } of relations) {
      const parts = accounts.map(({ profile }, at) => rowsOf(profile, `${file}_${at}.${name}`))
      database.exec(`CREATE TEMP VIEW ${name} AS ${parts.join(' UNION ALL ')}`)
    }
  }
  return database
}

function attach(database: DatabaseSync, { paths }: AccountArchive, at: number, withPeople: boolean): void {
  attachForReading(database, paths.archive, `archive_${at}`)
  if (withPeople) attachForReading(database, paths.people, `people_${at}`)
}

/** Copies relations of each account, one account after the other. */
function copyAll(
  database: DatabaseSync,
  accounts: readonly AccountArchive[],
  relations: ReturnType<typeof archiveSchema>,
  withPeople: boolean,
): void {
  for (const [at, account] of accounts.entries()) {
    attach(database, account, at, withPeople)
    for (const { name, file } of relations) {
      const rows = rowsOf(account.profile, `${file}_${at}.${name}`)
      database.exec(at === 0 ? `CREATE TABLE main.${name} AS ${rows}` : `INSERT INTO main.${name} ${rows}`)
    }
    database.exec(`DETACH archive_${at}`)
    if (withPeople) database.exec(`DETACH people_${at}`)
  }
}

function rowsOf(profile: string, relation: string): string {
  return `SELECT '${profile.replaceAll("'", "''")}' AS profile, * FROM ${relation}`
}
