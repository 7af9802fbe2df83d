import type { Clock, Pacer } from '../client/index.js'
import type { DatabaseAccount } from '../postgres/index.js'
import type { RowAction } from './actions/row-action.js'
import type { Rows } from './input/rows.js'
import type { RowResult } from './outcome.js'
import type { Progress } from './progress.js'

/** Options of a run. */
export interface RunOptions<Input> {
  /** The rows of the input. */
  rows: Rows
  /** The action for each row. */
  action: RowAction<Input>
  /**
   * Results and record of the run; an interrupted run resumes from it. A file, or `postgres://user@host/name` without a
   * password: then several processes can carry out the same input together, each row once.
   */
  resultsFile: string
  /** The name of the input; with it, machines that share a run find the same one. Folders do not count. */
  input?: string | undefined
  /** The source of PGPASSWORD, PGPASSFILE and PGSSLMODE. Default `process.env`. */
  environment?: NodeJS.ProcessEnv | undefined
  /** Whose the results are, such as the name of an account: those of another owner are not resumed. */
  owner: string
  /**
   * Authenticates what results say, such as an HMAC of it with a key that only this machine has, as hexadecimal digits: a
   * results file with a line that it does not fit is not resumed. Default: every results file of the owner is.
   */
  seal?: ((text: string) => string) | undefined
  /**
   * A hash of the input's content. With it, results in a database belong to this content: another input of the same name
   * is another run.
   */
  content?: string | undefined
  /** The account in a database that several machines share; without it, the owner names it there. */
  account?: DatabaseAccount | undefined
  /** The pacer of the client that the action uses. */
  pacer: Pacer
  /** Requests in flight at most. Default 64; fewer if the allowed rate needs fewer. */
  concurrency?: number | undefined
  /** The whole run; without it a single wait of more than 5 minutes pauses the run. */
  timeoutMs?: number | undefined
  /** Milliseconds for one attempt of a request. */
  attemptTimeoutMs?: number | undefined
  /** Ends the run in order: nothing new is sent, what is in flight is awaited and recorded. */
  signal?: AbortSignal | undefined
  /** Ends it at once: what is in flight is given up and settled when the run is resumed. */
  abortSignal?: AbortSignal | undefined
  /**
   * Each row that is settled in this run, in the order of settling. A promise that it gives is awaited before another
   * row takes the place of this one: who cannot keep up slows the run down.
   */
  onResult?: ((result: RowResult) => unknown) | undefined
  /** Called at most ten times per second, at least four times per second, and at the end. */
  onProgress?: ((progress: Progress) => void) | undefined
  /** Replaces the clock, for tests. */
  clock?: Clock | undefined
}
