import type { ArchivePaths } from '../../../archive/index.js'
import { tryParseJson } from '../../../shared/json.js'
import { reportOf } from '../../errors/report.js'
import { parametersOf, refuseEmpty } from '../../query/asked.js'
import { limited, type RunningQuery, startQuery } from '../../query/run-query.js'
import { jsonRow } from '../../query/views.js'
import type { NamedContext, ToolAnswer } from '../tool.js'
import { asList } from './shared.js'

/** Bounds of a query: as much as a model can use, and as long as a person would wait. */
export const queryLimits = { rows: 1_000, characters: 100_000, ms: 5_000 }

/** Said with the tables, where several accounts are served. */
export const profileNote =
  'Each table and view has the rows of all accounts, or of the one in account, and a first column profile that says whose they are.'

type Asked = { sql: string; params?: Readonly<Record<string, string | number>> | undefined }

/** Values as `--param` takes them. */
export function paramsOf(params: Asked['params'] = {}): string[] {
  return Object.entries(params).map(([name, value]) => `${name}=${value}`)
}

/** The rows of an answer within the bounds, and whether there are more. */
export function boundedRows(found: readonly unknown[]): { rows: unknown[]; more: boolean } {
  const rows = found.slice(0, queryLimits.rows)
  const isCut = JSON.stringify(rows).length > queryLimits.characters
  return { rows: isCut ? rows.slice(0, -1) : rows, more: isCut || found.length > rows.length }
}

export function queryTimedOut(): { code: string; message: string } {
  const message = `The query took longer than ${queryLimits.ms / 1_000} s. Ask for less, or of a shorter time.`
  return { code: 'QUERY_TIMEOUT', message }
}

/** One statement over the archives of the accounts, as `dlv query -P a,b` runs it. One without an archive hides nothing of the others. */
export async function queryTogether(
  { sql, params }: Asked,
  accounts: readonly NamedContext[],
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const opened: { profile: string; paths: ArchivePaths }[] = []
  const failed: ReturnType<typeof failureOf>[] = []
  for (const { account, context } of accounts)
    try {
      const paths = context.archive()
      refuseEmpty(paths)
      opened.push({ profile: account, paths })
    } catch (error) {
      failed.push(failureOf(account, error))
    }
  const [first] = opened
  const [failure] = failed
  if (first === undefined)
    return {
      error: { code: failure?.code ?? 'USAGE', message: `${failure?.account}: ${failure?.message}`, failed },
    }
  const timeout = AbortSignal.timeout(queryLimits.ms)
  try {
    const asked = { sql, parameters: parametersOf(paramsOf(params)), withPeople: false }
    const query = { paths: first.paths, accounts: opened, ...asked }
    const rows = await rowsOf(await startQuery(query, AbortSignal.any([signal, timeout])))
    return { data: { ...boundedRows(rows), ...(failed.length === 0 ? {} : { failed }) } }
  } catch (error) {
    if (timeout.aborted) return { error: queryTimedOut() }
    const { account: _, ...said } = failureOf('', error)
    return { error: said }
  }
}

/** The rows as JSON has them, one more than is shown. */
async function rowsOf({ columns, pages }: RunningQuery): Promise<unknown[]> {
  const shown = limited(pages, queryLimits.rows + 1, queryLimits.characters)
  const rows = (await Array.fromAsync(shown)).flat()
  return asList(tryParseJson(JSON.stringify(rows.map((values) => jsonRow(columns, values))), 'answer')?.value)
}

function failureOf(account: string, error: unknown) {
  const { code, message, hint } = reportOf(error)
  return { account, code, message, ...(hint === null ? {} : { hint }) }
}
