import { RunEngine } from './engine.js'
import type { RunOptions } from './options.js'
import { openRunRecord } from './record/run-record.js'
import type { RunSummary } from './summary.js'
/**
 * Carries out an action for each row, many at a time, at the rate that the service allows. Each row's intent is on the
 * disk before it is sent and its outcome after it; run again with the same results file, it continues where it stopped.
 *
 * @throws UsageError if the input or the results file cannot be used
 */
export async function run<Input>(options: RunOptions<Input>): Promise<RunSummary> {
  const record = await openRunRecord(options.resultsFile, {
    operation: options.action.operation,
    profile: options.profile,
  })
  try {
    return await new RunEngine(options, record).run()
  } finally {
    await record.close().catch((error: unknown) => {
      if (record.failure() === undefined) throw error
    })
  }
}
