import { Flags } from '@oclif/core'
import { z } from 'zod'
import type { RowResult } from '../../bulk/index.js'
import { type Rejection, readFileResults, readSharedResults, rejectedLines } from '../../bulk/internal.js'
import { UsageError } from '../../contract/index.js'
import { shellWord } from '../../shared/command-words.js'
import { rowErrorInFlags } from '../errors/flag-words.js'
import { checkOutput, type OutputFile, outputKinds, overwriteFlag, writeOutput } from '../input/output-file.js'
import { pathOf, unreadable } from '../input/read.js'
import { inputSource } from '../input/source.js'
import type { Notices } from '../output/notices.js'
import type { ProcessContext } from '../process/context.js'
import { areShared, withoutPassword } from './results-place.js'

/** A row of any fields. */
const anyRow = z.record(z.string(), z.unknown())

export const rejectsFlag = {
  rejects: Flags.string({
    summary: 'Write the rejected rows here, to repair and send',
    description:
      'The rows that failed or conflict, with their own columns, their line and the reason, in the form of the input: CSV, or one JSON object a line. When the file is sent, its columns for line and reason are left out.',
    helpValue: 'FILE',
  }),
  ...overwriteFlag,
}

/** Whose results are read of a database; without it, everybody's. */
type ResultsOwner = Parameters<typeof readSharedResults>[3]

/** The results of a run, by row: of a file, or of a database that several machines share. */
export async function* resultsOf(
  context: ProcessContext,
  results: string,
  input: string | undefined,
  owner?: ResultsOwner,
): AsyncGenerator<RowResult[], void, undefined> {
  const place = withoutPassword(results)
  if (areShared(place)) {
    for await (const page of readSharedResults(place, input?.split(/[\\/]/).at(-1), context.env, owner))
      yield page.map(inOurWords)
    return
  }
  const rows = await readFileResults(pathOf(context, place)).catch((cause: unknown) => {
    throw cause instanceof UsageError ? cause : unreadable(context, place, '--results', cause)
  })
  yield rows.map(inOurWords)
}

function inOurWords(result: RowResult): RowResult {
  return result.error === null ? result : { ...result, error: rowErrorInFlags(result.error) }
}

/** Whether a row was refused for good and can be repaired; an unknown outcome cannot. */
function isRejected({ outcome }: Pick<RowResult, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'conflict'
}

/** The files of a run with rejected rows. */
export interface RejectsPlace {
  source: string
  results: string
  rejects: string
  overwrite?: boolean | undefined
  /** Other files that the run reads. */
  others?: readonly (string | undefined)[]
}

/**
 * Checks before anything is sent that the rejected rows can be read a second time and written.
 *
 * @throws UsageError for standard input, and for a file that must not be written over
 */
export function assertRejectable(context: ProcessContext, place: RejectsPlace): void {
  if (place.source === '-')
    throw new UsageError('--rejects reads the rows twice, which standard input and pipes do not allow.', {
      hint: 'Save them to a file, and pass it with --file.',
    })
  checkOutput(context, outputOf(place))
}

/** @throws UsageError for the name of a workbook, which no text may have */
function outputOf({ source, results, rejects, overwrite, others = [] }: RejectsPlace): OutputFile {
  if (/\.(?:xl[a-z]{1,2}|f?ods|numbers|pdf|gz|zip)$/i.test(rejects))
    throw new UsageError(`--rejects writes text, CSV or NDJSON, and ${rejects} is the name of another kind of file.`, {
      hint: 'Name it .csv, which spreadsheets open, or .ndjson for an input of JSON.',
    })
  const inputs = [source, ...(areShared(results) ? [] : [results]), ...others]
  return { name: rejects, flag: '--rejects', kind: outputKinds.rejects, overwrite, inputs }
}

/** Writes the rejected rows of an input to a file of their own, and says how to send them. */
export async function writeRejects(
  { context, notices }: { context: ProcessContext; notices: Notices },
  {
    encoding,
    sheet,
    hidden,
    owner,
    again,
    ...place
  }: RejectsPlace & {
    encoding?: string | undefined
    /** The sheet of a workbook, and whether its hidden rows were read. */
    sheet?: string | undefined
    hidden?: 'read' | 'skip' | undefined
    owner?: ResultsOwner
    /** The command that sends the repaired rows, if it is known. */
    again?: string | undefined
  },
): Promise<void> {
  const { source, results, rejects } = place
  const output = outputOf(place)
  const rejections = new Map<number, Rejection>()
  const lines = new Set<number>()
  let firstRecord: number | undefined
  for await (const page of resultsOf(context, results, source, owner))
    for (const result of page) {
      const { row, line, clientOrderReference: reference } = result
      if (line !== undefined) lines.add(line)
      if (row === 1) firstRecord = line
      if (isRejected(result)) rejections.set(row, { line, reason: reasonOf(result), reference })
    }
  if (rejections.size === 0) {
    notices.notice('No row was rejected.')
    return
  }
  const { what } = inputSource(context, source)
  const open = () => inputSource(context, source).bytes
  let written = 0
  const options = { schema: anyRow, allowIds: true, what, encoding, sheet, hiddenRows: hidden, lines, firstRecord }
  const rejected = async function* () {
    for await (const line of rejectedLines(open, rejections, options)) {
      written++
      yield `${line}\n`
    }
  }
  await writeOutput(context, output, rejected())
  const rows = rejections.size.toLocaleString('en-US')
  const lost = written === 0 ? ' None of them can be written again, because they are not JSON.' : ''
  notices.notice(`${rows} rejected in ${rejects}.${lost}`)
  if (written === 0) return
  const own = encoding === undefined ? '' : ', without --encoding'
  notices.notice(
    again === undefined
      ? `Repair them, and send them with the command of the run and --file ${shellWord(rejects)}${own}.`
      : `Repair them, and send them: ${again}`,
  )
}

/** Flags that belong to the input of a run, or to its first time; each takes a value. */
const ofInput = [
  '--file',
  '-f',
  '--results',
  '--rejects',
  '--encoding',
  '--skip',
  '--sheet',
  '--hidden',
  '--concurrency',
]
const ofFirstTime = ['--yes', '-y', '--dry-run']

/** The command of a run with another input, which is UTF-8. */
export function commandAgain(typed: readonly string[], file: string): string {
  const words: string[] = []
  for (let at = 0; at < typed.length; at++) {
    const word = typed[at] ?? ''
    if (ofInput.includes(word)) at++
    else if (
      !ofFirstTime.includes(word) &&
      !ofInput.some((flag) => word.startsWith(flag.startsWith('--') ? `${flag}=` : flag))
    )
      words.push(word)
  }
  return ['dlv', ...words, '--file', file].map(shellWord).join(' ')
}

function reasonOf({ error }: RowResult): string {
  return error === null ? '' : `${error.code}: ${error.message}`
}
