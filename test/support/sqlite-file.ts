import { DatabaseSync } from 'node:sqlite'

/** Changes a SQLite file behind the back of the program that it belongs to. */
export function alterFile(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}
