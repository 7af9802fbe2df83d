import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Ended, outcomeOf, type Running, runningOf } from './running-program.js'
import { type OnTerminal, onTerminalOf, terminal } from './terminal.js'

export type { Ended, Running } from './running-program.js'

/** The program as npm installs it, or the one that needs no Node, where `DLV_TEST_PROGRAM` names it. */
const standalone = process.env.DLV_TEST_PROGRAM
const [file, ...script]: [string, ...string[]] =
  standalone === undefined ? [process.execPath, join(process.cwd(), 'bin', 'run.js')] : [standalone]

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  /** Written to standard input, which is then closed; without it standard input is empty. */
  stdin?: string
  cwd?: string
  /** A command that runs the program, which it is given as its last words. */
  through?: readonly string[]
}

/** A person with an empty home: one configuration, one data directory, gone with the test. */
export interface Cli {
  home: string
  env: NodeJS.ProcessEnv
  run(words: readonly string[], options?: RunOptions): Promise<Ended>
  /** Runs with `--json` and reads what it printed; fails if it did not end with 0. */
  json<Result = Record<string, unknown>>(words: readonly string[], options?: RunOptions): Promise<Result>
  /** `stdin: null` leaves standard input open. */
  start(words: readonly string[], options?: LaunchOptions): Running
  /** Runs a line of bash in which `dlv` is the program. */
  shell(line: string, options?: RunOptions): Promise<Ended>
  /** Runs on a pseudo-terminal of that many columns; what comes back is what the screen was sent. */
  runOnTerminal(words: readonly string[], options?: RunOptions & { columns?: number; keys?: string }): Promise<Ended>
  /** The same for a program that is typed to while it runs. */
  startOnTerminal(words: readonly string[], options?: RunOptions & { columns?: number }): OnTerminal
}

/** As a person's run; without standard input (`null`) it stays open to be written to. */
interface LaunchOptions extends Omit<RunOptions, 'stdin'> {
  stdin?: string | null
}

/** The variables that reach the program: enough of the machine to run, nothing of the developer's own settings. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, LANG } = process.env
  return { PATH, LANG: LANG ?? 'C.UTF-8', HOME: home, TZ: 'UTC' }
}

/** `whenOver` registers what is done at the end: of the test by default, or `afterAll` for a person of a whole file. */
export function createCli(whenOver: (cleanUp: () => Promise<void>) => void = onTestFinished): Cli {
  const home = mkdtempSync(join(tmpdir(), 'dlv-person-'))
  const running = new Set<ChildProcess>()
  whenOver(async () => {
    for (const child of running) {
      child.kill('SIGKILL')
      await new Promise((resolve) => child.once('close', resolve))
    }
    rmSync(home, { recursive: true, force: true })
  })
  const env = cleanEnvironment(home)

  function launch(command: string, words: readonly string[], options: LaunchOptions): ChildProcess {
    const [first = command, ...rest] = [...(options.through ?? []), command, ...words]
    const child = spawn(first, rest, {
      cwd: options.cwd ?? process.cwd(),
      env: { ...env, ...options.env },
      stdio: 'pipe',
    })
    running.add(child)
    child.once('close', () => running.delete(child))
    child.stdin?.on('error', () => {})
    if (options.stdin !== null) child.stdin?.end(options.stdin ?? '')
    return child
  }

  function launchOnTerminal(words: readonly string[], columns: number, keys: string, options: LaunchOptions) {
    return launch('python3', ['-c', terminal, String(columns), keys, file, ...script, ...words], {
      ...options,
      env: { TERM: 'xterm-256color', ...options.env },
    })
  }

  const withProgram = (options: RunOptions): RunOptions => ({
    ...options,
    env: { DLV_COMMAND: [file, ...script].map((word) => `'${word}'`).join(' '), ...options.env },
  })

  const cli: Cli = {
    home,
    env,
    run: (words, options = {}) => outcomeOf(launch(file, [...script, ...words], options)),
    async json(words, options = {}) {
      const { exitCode, stdout, stderr } = await cli.run([...words, '--json'], options)
      if (exitCode !== 0) throw new Error(`dlv ${words.join(' ')} ended with ${exitCode}: ${stderr}`)
      return JSON.parse(stdout)
    },
    start: (words, options = {}) => runningOf(launch(file, [...script, ...words], options), words),
    shell: (line, options = {}) =>
      outcomeOf(launch('bash', ['-c', `dlv() { eval "$DLV_COMMAND" '"$@"'; }\n${line}`], withProgram(options))),
    runOnTerminal(words, { columns = 80, keys = '', ...options } = {}) {
      return outcomeOf(launchOnTerminal(words, columns, keys, options))
    },
    startOnTerminal: (words, { columns = 80, ...options } = {}) =>
      onTerminalOf(launchOnTerminal(words, columns, '', { ...options, stdin: null }), words),
  }
  return cli
}

/** Runs all, a few at a time, and answers in their order: each run is a process of its own. */
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
