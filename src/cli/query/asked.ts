import {
  type ArchivePaths,
  ArchiveReader,
  archiveSchema,
  type QueryParameter,
  type Relation,
  schemaHint,
} from '../../archive/index.js'
import { UsageError } from '../../contract/index.js'
import { longestDelayMs } from '../../shared/durations.js'
import { readInputText } from '../input/read.js'
import { commandTimedOut } from '../session/global-flags.js'
import type { Session } from '../session/session.js'

/** The statement to run: an argument, a file, or standard input. Throws `UsageError` if there is none, or two. */
export async function statementOf(
  session: Session,
  given: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (given !== undefined && file !== undefined)
    throw new UsageError('Give the statement once: as an argument or with --file.')
  if (file !== undefined) return readInputText(session.context, file, '--file')
  if (given === '-') return readInputText(session.context, '-', 'SQL')
  if (given !== undefined && archiveSchema().some(({ name }) => name === given))
    throw new UsageError(`"${given}" is a table, not a statement.`, {
      hint: `Try dlv query 'select * from ${given}'; --schema ${given} lists its columns.`,
    })
  if (given !== undefined) return given
  throw new UsageError('A SQL statement is missing.', {
    hint: "Try dlv query 'select * from problems'; --schema lists tables, --examples prints queries.",
  })
}

/** The table or view of this name, or all of them. Throws `UsageError` for an unknown name. */
export function relationsNamed(name: string | undefined): Relation[] {
  const all = archiveSchema()
  if (name === undefined) return all
  const found = all.filter((relation) => relation.name === name.toLowerCase())
  if (found.length > 0) return found
  throw new UsageError(`The archive has no table "${name.slice(0, 40)}".`, { hint: schemaHint('table', name) })
}

/** A number as JSON writes it; `007` and `+1` are texts, such as references and phone numbers. */
const numberForm = /^-?(?:0|[1-9]\d*)(\.\d+(?:[eE][-+]?\d+)?)?$/

/** The values of `--param name=value`. Throws `UsageError` for one without a name or given twice. */
export function parametersOf(given: readonly string[]): Record<string, QueryParameter> {
  const parameters: Record<string, QueryParameter> = Object.create(null)
  for (const text of given) {
    const [, name, value = ''] = /^[:@$]?([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
    if (name === undefined)
      throw new UsageError(`--param ${text}: expected NAME=VALUE.`, { hint: 'Such as --param s=failed for :s.' })
    if (Object.hasOwn(parameters, name)) throw new UsageError(`--param ${name} was given twice.`)
    parameters[name] = parameterOf(value)
  }
  return parameters
}

function parameterOf(text: string): QueryParameter {
  const [isNumber, fraction] = numberForm.exec(text) ?? []
  if (isNumber === undefined) return text
  // SQLite gets a number of JavaScript as a real.
  if (fraction !== undefined) return Number(text)
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : text
}

/** The account as a database knows it, and what it is called here. */
export async function ownerOf(session: Session) {
  const { databaseAccount } = await import('../accounts/database-account.js')
  const identity = await session.account.identity()
  const { apiKey } = await session.account.settings()
  return { account: databaseAccount(identity, apiKey), name: identity.label }
}

/** Aborted by Ctrl-C and by `--timeout`. */
export function endingOf(session: Session): AbortSignal {
  const interruption = session.takeSignals()
  const { timeoutMs } = session.timeLimits()
  if (!timeoutMs) return interruption
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(commandTimedOut(timeoutMs)), Math.min(timeoutMs, longestDelayMs))
  session.onClose(() => clearTimeout(timer))
  return AbortSignal.any([interruption, over.signal])
}

/** @throws UsageError for an archive that is not there, or that nothing was ever fetched into */
export function refuseEmpty(paths: ArchivePaths): void {
  const archive = ArchiveReader.open(paths)
  const isEmpty = archive.coverage === undefined && archive.periods.length === 0
  archive.close()
  if (isEmpty) throw new UsageError(`The archive ${paths.archive} is empty.`, { hint: 'Run `dlv sync` first.' })
}
