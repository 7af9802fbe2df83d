import {
  type Connection,
  type DatabaseFinding,
  examineDatabase,
  noTablesFinding,
  okFinding,
  parsePostgresAddress,
} from '../../postgres/index.js'
import { markOf, schemas } from './schema.js'

/** Looks at everything that a copy of the archive needs of its database. Ends with the first problem that hides the rest. */
export function examineCopy(to: string, env: NodeJS.ProcessEnv): AsyncGenerator<DatabaseFinding> {
  const address = parsePostgresAddress(to, env)
  const subject = `The archive ${address.shown}`
  return examineDatabase({
    address,
    name: 'archive',
    subject,
    needsOwnSession: false,
    async *further(connection) {
      const check = 'archive tables'
      const mark = await markOf(connection, subject)
      if (mark !== undefined) yield okFinding(check, await keptIn(connection))
      else yield noTablesFinding(check, 'The first dlv sync --to with the same address creates them.')
    },
  })
}

/** The number of accounts; a user of the database who may not read it learns so from a query. */
async function keptIn(connection: Connection): Promise<string> {
  const [row] = await connection.query(`SELECT count(*) AS accounts FROM ${schemas.archive}.accounts`)
  const accounts = Number(row?.accounts)
  return accounts === 1 ? 'the archive of 1 account' : `the archives of ${accounts} accounts`
}
