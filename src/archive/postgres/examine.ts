import { type DatabaseFinding, examineDatabase, okFinding, parsePostgresAddress } from '../../postgres/index.js'
import { markOf } from './schema.js'

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
      if (mark !== undefined) yield okFinding(check, `the archive of ${mark.service}`)
      else
        yield {
          check,
          verdict: 'warning',
          finding: 'There are no tables yet.',
          hint: 'The first dlv sync --to with the same address creates them.',
        }
    },
  })
}
