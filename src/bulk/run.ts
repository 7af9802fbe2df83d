import { basename } from 'node:path'
import { UsageError } from '../contract/index.js'
import { assertKnownOptions, type OptionNames } from '../shared/word-match.js'
import { RunEngine } from './engine.js'
import type { RunOptions } from './options.js'
import type { RunSummary } from './outcome.js'
import { openFileRecord } from './record/file-record.js'
import type { RunRecord } from './record/run-record.js'
/**
 * Executes an action for each row, many at a time, at the rate that the service allows. Each row's intent is on disk
 * before it is sent, and its outcome is written afterwards; another run with the same results file continues there.
 *
 * @throws UsageError if an option is missing or does not exist, or the input or the results file cannot be used
 */
export function run<Input>(options: RunOptions<Input>): Promise<RunSummary> {
  return runOn(options, openRecord)
}

/** A run on a record that the caller opens, such as one that several accounts share. */
export async function runOn<Input>(
  options: RunOptions<Input>,
  open: (options: RunOptions<never>) => Promise<RunRecord>,
): Promise<RunSummary> {
  assertGiven(options as RunOptions<never>)
  const record = await open(options as RunOptions<never>)
  try {
    return await new RunEngine(options, record).run()
  } finally {
    await record.close().catch((error: unknown) => {
      if (record.failure() === undefined) throw error
    })
  }
}

const optionNames: OptionNames<RunOptions<never>> = {
  rows: 0,
  action: 0,
  resultsFile: 0,
  input: 0,
  environment: 0,
  owner: 0,
  seal: 0,
  content: 0,
  account: 0,
  pacer: 0,
  concurrency: 0,
  timeoutMs: 0,
  attemptTimeoutMs: 0,
  signal: 0,
  abortSignal: 0,
  onResult: 0,
  onProgress: 0,
  clock: 0,
}

/** Refuses options without one that a run needs, which plain JavaScript can leave out. */
function assertGiven(options: RunOptions<never>): void {
  assertKnownOptions('run()', options, optionNames)
  for (const name of ['rows', 'action', 'resultsFile', 'owner', 'pacer'] as const)
    if (!options[name])
      throw new UsageError(`run() needs ${name}`, {
        hint: name === 'pacer' ? 'Give the one from createPacer() that the client has.' : undefined,
      })
}

/** The PostgreSQL client is loaded only for shared results. */
export async function openRecord({
  resultsFile,
  action,
  owner,
  seal,
  content,
  account,
  input = '-',
  environment,
}: RunOptions<never>): Promise<RunRecord> {
  const header = { operation: action.operation, owner, seal }
  if (!/^postgres(?:ql)?:/i.test(resultsFile)) return openFileRecord(resultsFile, header)
  const { openSharedRecord } = await import('./record/shared-record.js')
  return openSharedRecord(
    resultsFile,
    { ...header, input: basename(input), content, account },
    environment ?? process.env,
  )
}
