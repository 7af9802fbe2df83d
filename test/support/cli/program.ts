import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { compiledCode } from '../compile-cache.js'
import { launchInProcess } from './in-process.js'
import { openProgramDoor } from './program-door.js'
import {
  type Ended,
  type Launched,
  launchedProcess,
  outcomeOf,
  type Running,
  type RunningProcess,
  runningOf,
  runningProcessOf,
} from './running-program.js'
import { type Asking, askingOf, type OnTerminal, onTerminalOf, terminal } from './terminal.js'

export type { Ended, Running, RunningProcess } from './running-program.js'

/** The program as npm installs it, or the one that needs no Node, where `DLV_TEST_PROGRAM` names it. */
const standalone = process.env.DLV_TEST_PROGRAM
const [file, ...script]: [string, ...string[]] =
  standalone === undefined ? [process.execPath, join(process.cwd(), 'bin', 'run.js')] : [standalone]

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  /** Written to standard input, which is then closed; without it standard input is empty. */
  stdin?: string
  cwd?: string
}

/** What can be chosen only for a command that runs in this process. */
export interface InProcessOptions extends RunOptions {
  /** Prints to a terminal of so many columns, which shows stdout and stderr together. */
  columns?: number
  /** Rows of that terminal: without them, nothing is too long for it. */
  rows?: number
  /** The program's clock, in milliseconds since the epoch. */
  nowMs?: () => number
}

/** What can be chosen only for a process: without standard input (`null`) it stays open to be written to. */
export interface ProcessOptions extends Omit<RunOptions, 'stdin'> {
  stdin?: string | null
  /** A command that runs the program, which it is given as its last words. */
  through?: readonly string[]
}

/**
 * The program with a home directory of its own: one configuration, one data directory, gone with the test. `run`,
 * `json` and `start` run commands in this process, which takes milliseconds; the rest start processes, for what only
 * they can show: start-up, signals and kills, pipes, terminals. A standalone program always runs in processes.
 */
export interface Cli {
  home: string
  env: NodeJS.ProcessEnv
  /** Runs a command to its end. */
  run(words: readonly string[], options?: InProcessOptions): Promise<Ended>
  /** Runs with `--json` and reads what it printed; fails if it did not end with 0. */
  json<Result = Record<string, unknown>>(words: readonly string[], options?: InProcessOptions): Promise<Result>
  /** Starts a command that runs until it is interrupted. */
  start(words: readonly string[], options?: InProcessOptions): Running
  runProcess(words: readonly string[], options?: ProcessOptions): Promise<Ended>
  startProcess(words: readonly string[], options?: ProcessOptions): RunningProcess
  /** Runs a line of bash in which `dlv` is the program. */
  shell(line: string, options?: RunOptions): Promise<Ended>
  /**
   * Runs a script in bash, whose `dlv` runs in this process: for pages and recipes, where what matters is what commands do.
   * Pipes and files are real.
   */
  script(text: string, options?: Omit<RunOptions, 'stdin'>): Promise<Ended>
  /** Starts a command on a terminal of this process that it asks something on: no modes of a real one, no signals. */
  startAsking(words: readonly string[], options?: Omit<InProcessOptions, 'stdin'>): Asking
  /** Runs on a pseudo-terminal of that many columns; what comes back is what the screen was sent. */
  runOnTerminal(words: readonly string[], options?: RunOptions & { columns?: number; keys?: string }): Promise<Ended>
  /** Starts a program that is typed to while it runs. */
  startOnTerminal(words: readonly string[], options?: RunOptions & { columns?: number }): OnTerminal
  /** Starts an interactive shell, whose `dlv` runs in this process unless it has the terminal. */
  startShell(command: readonly string[], options?: RunOptions & { columns?: number }): Promise<OnTerminal>
}

/** The variables that reach the program: enough of the machine to run, nothing of the developer's own settings. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, LANG, DLV_SANDBOX_SECRET } = process.env
  return { PATH, DLV_SANDBOX_SECRET, LANG: LANG ?? 'C.UTF-8', HOME: home, TZ: 'UTC', NODE_COMPILE_CACHE: compiledCode }
}

/** Settings that Node reads once, when a process starts: a command that runs in this process would not see them. */
function refuseProcessSettings(env: NodeJS.ProcessEnv = {}): void {
  const found = Object.keys(env).filter((name) => /^(?:NODE_.*|TZ|DEBUG|UV_.*|SSL_.*)$/.test(name))
  if (found.length > 0)
    throw new Error(`${found.join(', ')} takes effect in a new process only: use runProcess or startProcess`)
}

/**
 * `whenOver` registers what is done at the end: of the test by default, or `afterAll` for a person of a whole file. Homes
 * are in `base`.
 */
export function createCli(
  whenOver: (cleanUp: () => Promise<void>) => void = onTestFinished,
  base: string = tmpdir(),
): Cli {
  const home = mkdtempSync(join(base, 'dlv-person-'))
  const children = new Set<ChildProcess>()
  const running = new Set<Launched>()
  whenOver(async () => {
    for (const child of children) {
      child.kill('SIGKILL')
      await new Promise((resolve) => child.once('close', resolve))
    }
    for (const { signal, end } of running) {
      signal('SIGTERM')
      await end
    }
    rmSync(home, { recursive: true, force: true })
  })
  const env = cleanEnvironment(home)

  function launchHere(
    words: readonly string[],
    options: Omit<InProcessOptions, 'stdin'> & { stdin?: string | Readable },
  ): Launched {
    const { columns, rows, nowMs, stdin = '', cwd = process.cwd() } = options
    if (standalone !== undefined)
      return launchedProcess(
        columns === undefined
          ? launch(file, words, { ...options, stdin: String(stdin) })
          : launchOnTerminal(words, columns, '', { ...options, stdin: String(stdin) }),
      )
    refuseProcessSettings(options.env)
    const launched = launchInProcess(words, {
      env: { ...env, ...(columns === undefined ? {} : { TERM: 'xterm-256color' }), ...options.env },
      stdin,
      cwd,
      columns,
      rows,
      nowMs,
    })
    running.add(launched)
    const forget = () => void running.delete(launched)
    launched.end.then(forget, forget)
    return launched
  }

  function launch(command: string, words: readonly string[], options: ProcessOptions): ChildProcess {
    const [first = command, ...rest] = [...(options.through ?? []), command, ...words]
    const child = spawn(first, rest, {
      cwd: options.cwd ?? process.cwd(),
      env: { ...env, ...options.env },
      stdio: 'pipe',
    })
    children.add(child)
    child.once('close', () => children.delete(child))
    child.stdin?.on('error', () => {})
    if (options.stdin !== null) child.stdin?.end(options.stdin ?? '')
    return child
  }

  function launchOnTerminal(
    words: readonly string[],
    columns: number,
    keys: string,
    options: ProcessOptions,
    command: readonly string[] = [file, ...script],
  ) {
    return launch('python3', ['-IS', '-c', terminal, String(columns), keys, ...command, ...words], {
      ...options,
      // Nobody would press the keys of a pager.
      env: { TERM: 'xterm-256color', DLV_PAGER: '', ...options.env },
    })
  }

  let door: Promise<string> | undefined
  let scripts = 0
  const openDoor = async () => {
    const folder = join(home, 'programs')
    mkdirSync(folder, { recursive: true })
    await openProgramDoor(folder, [file, ...script], whenOver)
    return folder
  }

  const withProgram = (options: RunOptions): RunOptions => ({
    ...options,
    env: { DLV_COMMAND: [file, ...script].map((word) => `'${word}'`).join(' '), ...options.env },
  })

  const cli: Cli = {
    home,
    env,
    run: (words, options = {}) => outcomeOf(launchHere(words, options)),
    async json(words, options = {}) {
      const { exitCode, stdout, stderr } = await cli.run([...words, '--json'], options)
      if (exitCode !== 0) throw new Error(`dlv ${words.join(' ')} ended with ${exitCode}: ${stderr}`)
      return JSON.parse(stdout)
    },
    start: (words, options = {}) => runningOf(launchHere(words, options), words),
    runProcess: (words, options = {}) => outcomeOf(launchedProcess(launch(file, [...script, ...words], options))),
    startProcess: (words, options = {}) => runningProcessOf(launch(file, [...script, ...words], options), words),
    shell: (line, options = {}) =>
      outcomeOf(
        launchedProcess(launch('bash', ['-c', `dlv() { eval "$DLV_COMMAND" '"$@"'; }\n${line}`], withProgram(options))),
      ),
    startAsking(words, { columns = 80, ...options } = {}) {
      if (standalone !== undefined)
        return onTerminalOf(launchOnTerminal(words, columns, '', { ...options, stdin: null }), words)
      const keys = new PassThrough()
      return askingOf(launchHere(words, { ...options, columns, stdin: keys }), keys, words)
    },
    async script(text, options = {}) {
      door ??= openDoor()
      const folder = await door
      const [stdout, stderr] = ['out', 'err'].map((name) => join(folder, `${++scripts}.${name}`)) as [string, string]
      const streams = [openSync(stdout, 'a'), openSync(stderr, 'a')]
      const child = spawn('bash', ['--norc', '-c', text], {
        cwd: options.cwd ?? process.cwd(),
        env: { ...env, PATH: `${folder}:${dirname(process.execPath)}:${env.PATH}`, ...options.env },
        // Not pipes, which between processes of Node are sockets, and those cannot be opened by another process.
        stdio: ['ignore', ...streams],
      })
      for (const stream of streams) closeSync(stream)
      children.add(child)
      const [exitCode, signal] = await once(child, 'close')
      children.delete(child)
      return { exitCode, signal, stdout: readFileSync(stdout, 'utf8'), stderr: readFileSync(stderr, 'utf8') }
    },
    runOnTerminal(words, { columns = 80, keys = '', ...options } = {}) {
      return outcomeOf(launchedProcess(launchOnTerminal(words, columns, keys, options)))
    },
    startOnTerminal: (words, { columns = 80, ...options } = {}) =>
      onTerminalOf(launchOnTerminal(words, columns, '', { ...options, stdin: null }), words),
    async startShell(command, { columns = 80, ...options } = {}) {
      door ??= openDoor()
      const programs = await door
      const shellEnv = { ...options.env, PATH: `${programs}:${env.PATH}` }
      return onTerminalOf(
        launchOnTerminal([], columns, '', { ...options, env: shellEnv, stdin: null }, command),
        command,
      )
    },
  }
  return cli
}

/** Runs all, a few at a time, and answers in their order: for runs that are processes. */
export async function fewAtATime<Asked, Answer>(
  asked: Iterable<Asked>,
  run: (one: Asked) => Promise<Answer>,
  few = 4,
): Promise<Answer[]> {
  const queue = [...asked].entries()
  const answers: Answer[] = []
  const worker = async () => {
    for (const [at, one] of queue) answers[at] = await run(one)
  }
  await Promise.all(Array.from({ length: few }, worker))
  return answers
}
