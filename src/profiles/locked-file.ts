import { UsageError } from '../contract/index.js'
import type { SqliteLock } from '../shared/sqlite.js'

/** How long a change waits for another change, which takes milliseconds. */
const patienceMs = 10_000

/**
 * Runs a change of a file while no other process changes it.
 *
 * @throws UsageError if another process holds it for long; whatever the change throws
 */
export async function lockedFile<Result>(file: string, change: () => Result): Promise<Result> {
  const lock = await lockOf(file)
  try {
    return change()
  } finally {
    lock.release()
  }
}

async function lockOf(file: string): Promise<SqliteLock> {
  const [{ acquireSqliteLock }, { sleep }] = await Promise.all([
    import('../shared/sqlite.js'),
    import('../shared/sleep.js'),
  ])
  const held = new UsageError(`Another dlv is changing ${file}.`, { hint: 'Run the command again when it has ended.' })
  for (const startedMs = performance.now(); ; ) {
    try {
      return acquireSqliteLock(`${file}.lock`, () => held)
    } catch (error) {
      if (error !== held) throw error
      if (performance.now() - startedMs > patienceMs) throw held
      await sleep(10)
    }
  }
}
