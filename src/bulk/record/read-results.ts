import { UsageError } from '../../contract/index.js'
import {
  type Connection,
  connectPostgres,
  type DatabaseAccount,
  databaseError,
  isMigrated,
  markToRead,
  parsePostgresAddress,
} from '../../postgres/index.js'
import { readableFile } from '../../shared/directory.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { LineSplitter } from '../input/row-source.js'
import type { Outcome, RowResult } from '../outcome.js'
import type { IsSettled } from './file-record.js'
import { LatestResults } from './latest-results.js'
import { RowStates } from './row-states.js'
import { damaged, headerBegins } from './run-history.js'
import { earlierRun, latestOfRows, runId, type SharedHeader, settledRows, sharedTables } from './shared-tables.js'

const pageRows = 500

/**
 * The results of a run that several processes share, by row.
 *
 * @param input the name of the input, needed if the database holds the runs of several
 * @throws UsageError if there is no such run, or if several match
 */
export async function* readSharedResults(
  address: string,
  input: string | undefined,
  environment: NodeJS.ProcessEnv,
  own?: { account: DatabaseAccount; content?: string | undefined },
): AsyncGenerator<RowResult[], void, undefined> {
  const place = parsePostgresAddress(address, environment)
  const subject = `The results ${place.shown}`
  try {
    const connection = await connectPostgres(place, { applicationName: 'dlv bulk', acceptStandby: true })
    try {
      const known = await isMigrated(connection, { ...sharedTables, subject })
      const mark = own === undefined ? undefined : await markToRead(connection, own.account)
      const runs = (known
        ? await connection.query(
            'SELECT run, operation, account AS owner, input, round, complete FROM dlv.bulk_runs ORDER BY begun_at',
          )
        : []) as unknown as FoundRun[]
      const ours = mark === undefined ? runs : runs.filter(({ owner }) => owner === mark)
      const others = runs.length - ours.length
      const run = chosenRun(ours, { input, content: own?.content, others }, place.shown)
      for (let after = 0; ; ) {
        const rows = await connection.query(latestOfRows, [run.run, after, run.round, run.complete, pageRows])
        if (rows.length === 0) return
        yield rows.map(({ result }) => JSON.parse(String(result)) as RowResult)
        after = Number(rows.at(-1)?.row)
      }
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw databaseError(error, subject)
  }
}

/**
 * Checks that a run can share its results in this database, without writing to it.
 *
 * @returns which rows that run would skip
 * @throws UsageError or ConnectionError if the database cannot be used
 */
export async function checkSharedRecord(
  address: string,
  header: SharedHeader,
  environment: NodeJS.ProcessEnv,
): Promise<IsSettled> {
  const place = parsePostgresAddress(address, environment)
  const subject = `The results ${place.shown}`
  try {
    const connection = await connectPostgres(place, { applicationName: 'dlv bulk', isOwn: true })
    try {
      const states = new RowStates()
      const known = await isMigrated(connection, { ...sharedTables, subject })
      const own =
        header.account === undefined ? header : { ...header, owner: await markToRead(connection, header.account) }
      const run = known ? await runToResume(connection, own) : ''
      for (let after: [number, string] | undefined = known ? [0, ''] : undefined; after !== undefined; ) {
        const rows = await connection.query(settledRows, [run, ...after, pageRows])
        for (const { row, body_hash, outcome } of rows) {
          states.intend(Number(row), String(body_hash), undefined, null)
          states.conclude(Number(row), outcome as Outcome)
        }
        const last = rows.at(-1)
        after = last === undefined ? undefined : [Number(last.row), String(last.body_hash)]
      }
      return ({ row, bodyHash }) => states.stateOf(row, bodyHash)?.outcome !== undefined
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw databaseError(error, subject)
  }
}

/** The run of a header, or the one before that it would take rows of. */
async function runToResume(connection: Connection, header: SharedHeader): Promise<string> {
  const run = runId(header)
  const [known] = await connection.query('SELECT 1 FROM dlv.bulk_runs WHERE run = $1', [run])
  if (known !== undefined) return run
  const { operation, owner, input } = header
  const [earlier] = await connection.query(earlierRun, [operation, owner, input, run])
  return earlier === undefined ? run : String(earlier.run)
}

interface FoundRun {
  run: string
  operation: string
  owner: string
  input: string
  round: number
  complete: boolean
}

function chosenRun(
  runs: readonly FoundRun[],
  { input, content, others: ofOthers }: { input: string | undefined; content: string | undefined; others: number },
  shown: string,
): FoundRun {
  const ofContent = content === undefined ? [] : runs.filter((run) => run.run === runId({ ...run, content }))
  const named = input === undefined ? runs : runs.filter((run) => run.input === input)
  // The newest of an input that was repaired and sent again.
  const newest = new Map(named.map((run) => [`${run.operation} ${run.input}`, run]))
  const matching = ofContent.length > 0 ? ofContent : [...newest.values()]
  const [only, ...others] = matching
  if (only !== undefined && others.length === 0) return only
  const names = [...new Set(runs.map((run) => run.input))].join(', ')
  if (only !== undefined)
    throw new UsageError(`${shown} holds several runs${input === undefined ? `: ${names}` : ` of ${input}`}`, {
      hint: input === undefined ? 'Name the input with { input }.' : 'Name the input as it was sent with { input }.',
    })
  const hidden = ofOthers === 0 ? '' : `; ${ofOthers} ${ofOthers === 1 ? 'run is' : 'runs are'} of other accounts`
  throw new UsageError(
    input === undefined
      ? `${shown} holds no run yet${hidden}`
      : `${shown} holds no run of ${input}${names === '' ? '' : `: ${names}`}${hidden}`,
    { hint: 'A bulk run that keeps its results there begins one.' },
  )
}

/**
 * The results in a file by row, of each order the newest. Its last line may be cut short.
 *
 * @throws UsageError if another line is damaged
 */
export async function readFileResults(path: string): Promise<RowResult[]> {
  return (await latestResults(path)).all()
}

/**
 * The orders in a results file that are or may be deliveries and that its newest run no longer had.
 *
 * @throws UsageError if a line is damaged
 */
export async function readGoneResults(path: string): Promise<{ kept: number; gone: RowResult[] }> {
  const latest = await latestResults(path)
  return { kept: latest.all().length, gone: latest.gone() }
}

async function latestResults(path: string): Promise<LatestResults> {
  const latest = new LatestResults()
  const lines = new LineSplitter((before) => `Line ${before + 1} of ${path}`)
  let line = 0
  let torn = 0
  const read = (texts: readonly string[]) => {
    for (const text of texts) {
      line++
      if (text === '') continue
      if (torn > 0) throw damaged(path, torn)
      const entry = tryParseJson(text)?.value
      if (!isRecord(entry)) {
        if (line === 1 && !headerBegins(text)) throw damaged(path, line)
        torn = line
      } else noteEntry(latest, entry)
    }
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const piece of readableFile(path)) read(lines.push(decoder.decode(piece, { stream: true })))
  read(lines.end())
  return latest
}

function noteEntry(latest: LatestResults, entry: Readonly<Record<string, unknown>>): void {
  const { run, intent, row, outcome } = entry
  if (isRecord(run)) {
    if (run.complete === true) latest.complete(typeof run.rows === 'number' ? run.rows : undefined)
    else if (run.accepted !== true) latest.begin()
  } else if (isRecord(intent) && typeof intent.row === 'number') {
    const { clientOrderReference: reference } = intent
    latest.intend(intent.row, typeof reference === 'string' ? reference : null)
  } else if (typeof row === 'number' && typeof outcome === 'string') {
    // The seal is for resuming only.
    const { seal: _, ...result } = entry
    latest.conclude(result as unknown as RowResult)
  }
}
