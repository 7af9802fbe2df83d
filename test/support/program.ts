import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** The program as npm installs it, or the one that needs no Node, where `DLV_TEST_PROGRAM` names it. */
const standalone = process.env.DLV_TEST_PROGRAM
const [file, ...script]: [string, ...string[]] =
  standalone === undefined ? [process.execPath, join(process.cwd(), 'bin', 'run.js')] : [standalone]

export interface Ended {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  /** Written to standard input, which is then closed; without it standard input is empty. */
  stdin?: string
  cwd?: string
  /** A command that runs the program, which it is given as its last words. */
  through?: readonly string[]
}

/** A program that is still running: its lines as they come, and its end. */
export interface Running {
  child: ChildProcess
  /** Resolves with the first line, from the last one taken on, that fits; fails if the program ends before. */
  line(fits: (line: string) => boolean): Promise<string>
  /** Everything printed so far. */
  lines(): readonly string[]
  /** Everything on standard error so far. */
  errors(): string
  /** Resolves once this text was printed, on stdout or stderr, or the program has ended. */
  hasPrinted(text: string): Promise<void>
  ended: Promise<Ended>
  kill(signal?: NodeJS.Signals): Promise<Ended>
}

/** A program on a terminal that is still running. */
export interface OnTerminal {
  type(keys: string): void
  /** Everything the screen was sent. */
  screen(): string
  /** Resolves once the screen shows a text; fails if the program ends before. */
  shows(text: string): Promise<void>
  ended: Promise<Ended>
}

/** A person with an empty home: one configuration, one data directory, gone with the test. */
export interface Person {
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
export function aPerson(whenOver: (cleanUp: () => Promise<void>) => void = onTestFinished): Person {
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

  const person: Person = {
    home,
    env,
    run: (words, options = {}) => outcomeOf(launch(file, [...script, ...words], options)),
    async json(words, options = {}) {
      const { exitCode, stdout, stderr } = await person.run([...words, '--json'], options)
      if (exitCode !== 0) throw new Error(`dlv ${words.join(' ')} ended with ${exitCode}: ${stderr}`)
      return JSON.parse(stdout)
    },
    start(words, options = {}) {
      const child = launch(file, [...script, ...words], options)
      const lines: string[] = []
      let taken = 0
      let wake: () => void = () => {}
      const reader = createInterface({ input: child.stdout ?? process.stdin })
      reader.on('line', (line) => {
        lines.push(line)
        wake()
      })
      let errors = ''
      child.stderr?.on('data', (text: string) => {
        errors += text
      })
      const ended = outcomeOf(child)
      let isOver = false
      void ended.then(() => {
        isOver = true
        wake()
      })
      return {
        child,
        ended,
        lines: () => lines,
        errors: () => errors,
        hasPrinted: (text) =>
          new Promise((resolve) => {
            const look = () => {
              if (errors.includes(text) || lines.some((line) => line.includes(text))) resolve()
            }
            reader.on('line', look)
            child.stderr?.on('data', look)
            void ended.then(() => resolve())
            look()
          }),
        async line(fits) {
          for (;;) {
            while (taken < lines.length) {
              const line = lines[taken++] ?? ''
              if (fits(line)) return line
            }
            if (isOver) throw new Error(`dlv ${words.join(' ')} ended without that line: ${(await ended).stderr}`)
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        },
        kill(signal = 'SIGTERM') {
          child.kill(signal)
          return ended
        },
      }
    },
    shell: (line, options = {}) =>
      outcomeOf(launch('bash', ['-c', `dlv() { eval "$DLV_COMMAND" '"$@"'; }\n${line}`], withProgram(options))),
    runOnTerminal(words, { columns = 80, keys = '', ...options } = {}) {
      return outcomeOf(launchOnTerminal(words, columns, keys, options))
    },
    startOnTerminal(words, { columns = 80, ...options } = {}) {
      const child = launchOnTerminal(words, columns, '', { ...options, stdin: null })
      let screen = ''
      let isOver = false
      let wake: () => void = () => {}
      const ended = outcomeOf(child)
      child.stdout?.on('data', (text: string) => {
        screen += text
        wake()
      })
      void ended.then(() => {
        isOver = true
        wake()
      })
      return {
        ended,
        type: (keys) => void child.stdin?.write(keys),
        screen: () => screen,
        async shows(text) {
          while (!screen.includes(text)) {
            if (isOver) throw new Error(`dlv ${words.join(' ')} ended without showing "${text}": ${screen}`)
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        },
      }
    },
  }
  return person
}

/** Runs a command on a pseudo-terminal of the given width, types some keys, and passes on what the screen is sent. */
const terminal = `
import fcntl, os, pty, select, struct, sys, termios
columns, keys, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
screen, shown = pty.openpty()
fcntl.ioctl(shown, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
pid = os.fork()
if pid == 0:
    os.close(screen)
    os.login_tty(shown)
    os.execvp(command[0], command)
os.close(shown)
if keys:
    os.write(screen, keys.encode())
sources = [screen, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(screen, typed)
        else:
            sources.remove(0)
    if screen not in ready:
        continue
    try:
        data = os.read(screen, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`

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

function outcomeOf(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }))
  })
}
