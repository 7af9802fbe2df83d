import type { Readable, Writable } from 'node:stream'
import type { AccountsRecord } from '../../bulk/internal.js'
import type { Time } from '../../contract/index.js'
import type { ResolvedAccount } from '../../profiles/index.js'
import type { View } from '../../render/view.js'

/** The signals that end a long command. */
export type Interruption = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Standard input: a file or pipe, or a terminal whose keys can be read one by one. */
type InputStream = Readable & { isTTY?: boolean; isRaw?: boolean; setRawMode?(isRaw: boolean): unknown }

/** Standard output or standard error. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number; fd?: number }

/** The source of signals. */
interface SignalSource {
  on(signal: Interruption, listener: () => void): unknown
  emit(signal: Interruption): boolean
}

/** How the rows of one account's list become part of one list of several accounts. */
export interface Merging<Row = unknown, Shown = Row> {
  /** Which of two rows comes first. Without it, the accounts take turns. */
  compare?(one: Row, other: Row): number
  /** The number of rows to show of all accounts together, and which they are. */
  most: number
  end: 'first' | 'newest'
  /** The rows at the end of the list are shown, instead of those at its beginning. */
  keepsLast?: true
  /** Whether that number was asked for, so that nobody wonders where the rest is. */
  isChosen: boolean
  /** Called with each row that is shown, of whichever account. */
  onRow?(row: Shown): void
  /** What is printed of a row; default: the row. */
  shownOf?(row: Row): Shown
  /** A last line for people, such as totals. */
  lastLine?(): string
  /** The number of all rows of the account, if it is known once its first was read. */
  total?(): number | undefined
  /** What is to be said of the whole list, once. */
  remark?(isEmpty: boolean): string | undefined
  /** How the list is continued after a row; absent for one that cannot be. */
  paging?: Paging<Row>
}

/** What continues a list in the order of time: the rows after the last one that was shown. */
export interface Paging<Row> {
  /** The flag that ends or begins its period at a row. */
  flag: 'to' | 'since'
  timeOf(row: Row): string | null | undefined
  idOf(row: Row): string
  /** The period, by its flags. */
  times: Readonly<Record<string, Time | undefined>>
}

/** Takes results instead of printing them, for a command that runs for several accounts. */
export interface Gathering {
  /** Takes a result; a promise holds back the command that makes more. */
  take(view: View<unknown>, shown: unknown, isList: boolean): void | Promise<void>
  /** Takes rows as they are wanted, until no more are; absent where rows stay apart. What reading them throws is thrown here. */
  list?<Row, Shown>(view: View<Shown[]>, pages: AsyncIterable<Row[]>, merging: Merging<Row, Shown>): Promise<void>
}

/** The part of a sheet that is one account's, for a command that runs once for each account of the sheet. */
export interface AccountRows {
  /** The account whose rows are taken. */
  profile: string
  /** Whether rows without an account are its, such as those that cannot be read. */
  takesOthers: boolean
  /** The record of the run that all accounts of the sheet share. */
  record: AccountsRecord
}

/**
 * The process around one run of the program. The program passes its own process; tests, which run
 * many commands in one process, pass streams, variables and a clock of their own.
 */
export interface ProcessContext {
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: NodeJS.ProcessEnv
  /** The directory that relative paths start from. */
  readonly cwd: string
  readonly signals: SignalSource
  /** Whether nothing else runs in the process: only then does a run say how the heap is collected, for as long as it lives. */
  readonly ownsHeap?: boolean | undefined
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Ends the run at once, abandoning what is in progress. */
  exit(code: number): void
  /** The code that the run ends with; 0 unless it is set. */
  exitCode?: number | string | null | undefined
  /** Handles a signal; without it, a signal ends the run. */
  onInterruption?: (signal: Interruption) => void
  /** Aborts with the first signal, if a command has taken the signals over. */
  interruption?: AbortSignal
  /** The subject of the command by name, such as its `id`: the hint of an error inserts it into the next command. */
  subject?: Readonly<Record<string, string>>
  /** The flags by the files that they have named and the command has read. */
  filesRead?: Map<string, string>
  /** A write was sent to the service. */
  hasWritten?: boolean
  /** The flags by which the command line chose its account, for the commands that a text recommends. */
  accountFlags?: string
  /** The time that the user took to answer questions, in milliseconds. */
  askedMs?: number
  /** Sent with every request to the sandbox in this process, and to no other service. */
  sandboxHeaders?: Readonly<Record<string, string>>
  /** The command line as it would be typed, for texts that repeat it; default: the words that are run. */
  typed?: readonly string[]
  /** The account that a command inside another one uses; throws `UsageError` if it has changed since. */
  account?: () => ResolvedAccount
  /** Runs another command of the program in a separate context, whose `exit` gets the exit code. */
  run?: (argv: string[], context: ProcessContext) => Promise<void>
  /** The rows of the sheet that this run is about; the others are another account's. */
  accountRows?: AccountRows | undefined
  /** Takes the results, which another command prints. */
  gathering?: Gathering
  /** The format of the results, once it is known; errors are printed in the same format. */
  outputFormat?: string
}

/** The process of this program. Its streams are opened on first use. */
export function ownProcess(): ProcessContext {
  return {
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    env: process.env,
    get cwd() {
      return process.cwd()
    },
    signals: process,
    ownsHeap: true,
    nowMs: () => Date.now(),
    exit: (code) => {
      collectBeforeExit()
      process.exit(code)
    },
    // Node ends by itself if nothing is left to wait for, so its own exit code has to be right at any time.
    get exitCode() {
      return process.exitCode
    },
    set exitCode(code) {
      process.exitCode = code
    },
  }
}

/** A run of less memory and time is far from the limit of V8's heap, and a collection would only delay its exit. */
const smallBytes = 24_000_000
const shortSeconds = 0.5

/**
 * Collects garbage if there can be much of it. V8 compiles functions in threads; one that needs memory when the heap is at
 * its limit waits for the main thread to collect. The exit of Node waits for these threads first, so that both wait for
 * ever (nodejs/node#54918). After a collection the heap is far from its limit, and nothing that a thread still does gets there.
 */
function collectBeforeExit(): void {
  const v8 = process.getBuiltinModule('node:v8')
  // Not process.memoryUsage(), which fails where there is no /proc.
  const { external_memory: external, used_heap_size: heapUsed } = v8.getHeapStatistics()
  if (external + heapUsed < smallBytes && process.uptime() < shortSeconds) return
  v8.setFlagsFromString('--expose-gc')
  process.getBuiltinModule('node:vm').runInNewContext('gc')()
}
