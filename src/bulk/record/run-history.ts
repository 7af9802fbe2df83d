import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { UsageError } from '../../contract/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { LineSplitter } from '../input/row-source.js'
import { isSuccess, type Outcome, outcomes } from '../outcome.js'
import { OrderReferences, RowStates } from './row-states.js'
import { acceptanceSeal, isSealed, type RowIdentity, type RunHeader } from './run-record.js'

/** The earlier runs in a results file. */
export interface RunHistory {
  isEmpty: boolean
  wasComplete: boolean
  states: RowStates
  references: OrderReferences
  /** Whose record it is, as its last header says. */
  header: RecordedHeader | undefined
  /** Rows whose last outcome is no success. */
  failed: Set<number>
  /** The bodies of rows that were begun and have no outcome that is known. */
  begun: Map<number, string>
  /** Whether a line says what nobody here wrote, and nobody has accepted since. */
  isForeign: boolean
  /** A hash of all lines, for a header that accepts them. */
  digest: Hash
}

/** The header of a record as it is in the file. */
interface RecordedHeader {
  operation?: string
  owner?: string
  seal?: string
  /** Whether each delivery of the lines before was looked up at the service. */
  accepted?: boolean
  /** Authenticates that, with the lines before. */
  acceptance?: string
}

/** Notes which row asks for a reference. */
export function noteReference(
  references: OrderReferences,
  { row, clientOrderReference, bodyHash }: Omit<RowIdentity, 'idempotencyKey'>,
): void {
  if (clientOrderReference !== null) references.note(row, clientOrderReference, bodyHash)
}

/** Whether a row with this outcome is a delivery, or may be one. */
export function leavesDelivery(outcome: Outcome): boolean {
  return outcome !== 'failed' && outcome !== 'conflict'
}

/** Rows are begun in their order, a few at a time: a row further ahead of its line is not part of a run's record. */
const farthestAhead = 100_000

/**
 * Reads a results file. Its last line may be cut short.
 *
 * @param isOwned whether it has to be a record of the header's owner
 * @throws UsageError if it is the record of something else, or damaged before its last line
 */
export async function readHistory(path: string, header: RunHeader, isOwned = true): Promise<RunHistory> {
  const history: RunHistory = {
    isEmpty: true,
    wasComplete: false,
    states: new RowStates(),
    references: new OrderReferences(),
    header: undefined,
    failed: new Set(),
    begun: new Map(),
    isForeign: false,
    digest: createHash('sha256'),
  }
  const lines = new LineSplitter((before) => `Line ${before + 1} of ${path}`)
  let line = 0
  let torn: number | undefined
  const read = (texts: readonly string[]) => {
    for (const text of texts) {
      line++
      const entry = parseEntry(text, line)
      if (torn !== undefined && text !== '') throw damaged(path, torn)
      if (entry === undefined) {
        if (history.isEmpty && !headerBegins(text)) throw notARecord(path)
        if (text !== '') torn = line
      } else note(history, entry, path, header)
      if (entry !== undefined && isResult(entry)) noteSeal(history, entry, text, header)
      if (text !== '') history.digest.update(`${text}\n`)
    }
  }
  for await (const text of createReadStream(path, { encoding: 'utf8' })) read(lines.push(String(text), line))
  read(lines.end())
  if (history.header !== undefined && isOwned) checkOwner(path, history, header)
  return history
}

function note(history: RunHistory, { run, intent, row, outcome }: Entry, path: string, header: RunHeader): void {
  if (history.isEmpty) checkOperation(path, run, header)
  history.isEmpty = false
  if (run?.operation !== undefined) takeHeader(history, run, header)
  if (run !== undefined) history.wasComplete = run.complete === true
  else if (intent !== undefined) {
    const sentAtMs = typeof intent.serviceAt === 'string' ? Date.parse(intent.serviceAt) : Number.NaN
    const key = typeof intent.idempotencyKey === 'string' ? intent.idempotencyKey : null
    history.states.intend(intent.row, intent.bodyHash, Number.isNaN(sentAtMs) ? undefined : sentAtMs, key)
    noteReference(history.references, intent)
    history.begun.set(intent.row, intent.bodyHash)
  } else if (row !== undefined && isOutcome(outcome)) {
    history.states.conclude(row, outcome)
    if (isSuccess(outcome)) history.failed.delete(row)
    else history.failed.add(row)
    if (!leavesDelivery(outcome)) history.references.forget(row)
  }
}

/** Whether a line says what became of a row. */
function isResult({ row, outcome }: Entry): boolean {
  return row !== undefined && isOutcome(outcome)
}

/** A record in which one line was written by somebody else counts for nothing. */
function noteSeal(history: RunHistory, { row = 0, outcome }: Entry, text: string, header: RunHeader): void {
  const { owner = '' } = history.header ?? {}
  if (!isSealed(text, history.begun.get(row), { ...header, owner })) history.isForeign = true
  if (outcome !== 'unknown') history.begun.delete(row)
}

interface Entry {
  run?: RecordedHeader & { complete?: boolean }
  intent?: RowIdentity & { serviceAt?: string | null }
  row?: number
  outcome?: unknown
}

/** A line of the record; `undefined` for one that a crash cut short, which is as good as not written. */
function parseEntry(text: string, line: number): Entry | undefined {
  const entry = tryParseJson(text)?.value
  if (!isRecord(entry)) return undefined
  const { run, intent, row } = entry
  if (run !== undefined) return isRecord(run) ? { run } : undefined
  if (intent !== undefined) return isRecord(intent) && isIntent(intent, line) ? { intent } : undefined
  return row === undefined || isRow(row, line) ? entry : undefined
}

function isIntent(
  intent: Readonly<Record<string, unknown>>,
  line: number,
): intent is Readonly<Record<string, unknown>> & RowIdentity {
  const { row, bodyHash, clientOrderReference } = intent
  const isReference = clientOrderReference === null || typeof clientOrderReference === 'string'
  return isRow(row, line) && typeof bodyHash === 'string' && isReference
}

function isRow(row: unknown, line: number): row is number {
  return Number.isSafeInteger(row) && Number(row) > 0 && Number(row) < line + farthestAhead
}

/** Whether a line that is not JSON is a header cut off while it was written, or a line that only ends another. */
export function headerBegins(line: string): boolean {
  return line === '' || line.startsWith('{"run":{') || '{"run":{'.startsWith(line)
}

function isOutcome(value: unknown): value is Outcome {
  return (outcomes as readonly unknown[]).includes(value)
}

/** What a record that was accepted says of deliveries was looked up; its other rows are open. */
function takeHeader(history: RunHistory, recorded: RecordedHeader, header: RunHeader): void {
  history.header = recorded
  if (recorded.accepted !== true) return
  history.isForeign = acceptanceSeal(history.digest.copy().digest('hex'), header) !== recorded.acceptance
  for (const row of history.failed) history.states.conclude(row, 'unknown')
  history.failed.clear()
}

function checkOperation(path: string, run: Entry['run'], header: RunHeader): void {
  if (run?.operation === undefined) throw notARecord(path)
  if (run.operation === header.operation) return
  throw new UsageError(`${path} is the record of ${run.operation}, not of ${header.operation}`, {
    hint: 'Name another file for the results of this run.',
  })
}

function checkOwner(path: string, history: RunHistory, header: RunHeader): void {
  const { owner = '', seal } = history.header ?? {}
  const isAuthentic = header.seal === undefined || (header.seal(owner) === seal && !history.isForeign)
  if (owner === header.owner && isAuthentic) return
  throw new ForeignResultsError(
    isAuthentic
      ? `${path} holds the results of another account${header.seal === undefined ? ` ("${owner}", not "${header.owner}")` : ''}`
      : `${path} holds results that were not written by this user of this machine`,
    { hint: 'Name another file for the results of this run.' },
  )
}

/** A results file of another account, or without what authenticates it. */
export class ForeignResultsError extends UsageError {}

/** The error for a results file with a line that nothing wrote. */
export function damaged(path: string, line: number): UsageError {
  return new UsageError(`${path} is damaged at line ${line}: it is not a line of a run's record`, {
    hint: `Restore it from a copy, or remove line ${line} or name another file for the results: each order keeps its key, so that none is created twice within a day.`,
  })
}

function notARecord(path: string): UsageError {
  return new UsageError(`${path} is not the results file of a run, and is not overwritten`, {
    hint: 'Name another file for the results.',
  })
}
