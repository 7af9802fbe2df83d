import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchedProcess, runningOf } from '../cli/running-program.js'
import { freePort } from '../free-port.js'

export const languages = ['python', 'go', 'ruby', 'php', 'java'] as const
export type Language = (typeof languages)[number]

const example = (path: string) => join(process.cwd(), 'examples', path)
const receivers: Record<Language, string> = {
  python: example('receivers/python/receiver.py'),
  go: example('receivers/go/receiver.go'),
  ruby: example('receivers/ruby/receiver.rb'),
  php: example('receivers/php/receiver.php'),
  java: example('receivers/java/Receiver.java'),
}
const clients: Record<Language, string> = {
  python: example('clients/python/client.py'),
  go: example('clients/go/client.go'),
  ruby: example('clients/ruby/client.rb'),
  php: example('clients/php/client.php'),
  java: example('clients/java/Client.java'),
}
const programs: Record<Language, string> = {
  python: 'python3',
  go: 'go',
  ruby: 'ruby',
  php: 'php',
  java: 'java',
}

function works(program: string, ...words: string[]): boolean {
  try {
    execFileSync(program, words, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Asks for the version, or fails if it is too old. */
const versionWords: Partial<Record<Language, string[]>> = {
  python: ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'],
  go: ['version'],
  java: ['-version'],
}

/** Compiling Go and Java takes a minute of processor time: only `.ci/languages` does it, which installs all runtimes. */
const tried = process.env.DLV_LANGUAGES === undefined ? (['python', 'ruby', 'php'] as const) : languages

/** Languages that are tried and whose runtime is on this machine. */
export const installed: readonly Language[] = tried.filter((language) =>
  works(programs[language], ...(versionWords[language] ?? ['--version'])),
)

const testFrameworks: Record<Language, () => boolean> = {
  python: () => true,
  go: () => true,
  ruby: () => works('ruby', '-e', "require 'minitest'"),
  php: () => works('phpunit', '--version'),
  java: () => existsSync('/usr/share/java/junit-jupiter-api.jar') && works('javac', '-version'),
}

/** The installed languages with the test framework of their tests. */
export const installedForTests = installed.filter((language) => testFrameworks[language]())

/** Whether Flask apps are tested: by `.ci/languages`, which installs Flask. */
export const hasFlask = process.env.DLV_LANGUAGES !== undefined && works('python3', '-c', 'import flask, pytest')

/** The text of a language's receiver. */
export const receiverText = (language: Language) => readFileSync(receivers[language], 'utf8')

/** Writes a changed copy of a language's receiver into a folder; its path. */
export function changedReceiver(language: Language, change: (text: string) => string, folder = newFolder()): string {
  const file = join(folder, receivers[language].replace(/.*\//, ''))
  writeFileSync(file, change(receiverText(language)))
  return file
}

/** The words that run a receiver; PHP's server is told its address. */
export async function receiverCommand(language: Language, file = receivers[language]): Promise<string[]> {
  if (language !== 'php') return [...runOf(language), file]
  return [programs.php, '-S', `127.0.0.1:${await freePort()}`, file]
}

/** The words that run a client with a file of orders. */
export const clientCommand = (language: Language, orders: string) => [...runOf(language), clients[language], orders]

function runOf(language: Language): string[] {
  return language === 'go' ? ['go', 'run'] : [programs[language]]
}

export interface Receiver {
  url: string
  /** Everything printed so far, on both streams. */
  printed(): string
  /** Resolves once this text was printed, or the program has ended. */
  hasPrinted(text: string): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a receiver and waits until it listens. */
export async function startReceiver(
  words: readonly string[],
  { secrets, events }: { secrets: readonly string[]; events: string },
): Promise<Receiver> {
  const [program = '', ...rest] = words
  const env = { ...process.env, PORT: '0', EVENTS_FILE: events, DLV_WEBHOOK_SECRET: secrets.join(' ') }
  // A group of its own: `go run` starts the program that it has built as a process of its own.
  const child = spawn(program, rest, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const running = runningOf(launchedProcess(child), words)
  const printed = () => `${running.lines().join('\n')}\n${running.errors()}`
  await running.hasPrinted('http://127.0.0.1:')
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed()) ?? []
  if (url === undefined) throw new Error(`${words.join(' ')} ended: ${printed()}`)
  return {
    url: `${url}/webhooks`,
    printed,
    hasPrinted: running.hasPrinted,
    async stop(signal = 'SIGTERM') {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
      await running.ended
    },
  }
}

let root: string | undefined

/** A new folder for the files of a test, gone with the worker. */
export function newFolder(): string {
  if (root === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'dlv-languages-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    root = folder
  }
  return mkdtempSync(join(root, 'files-'))
}

/** The words that run one test file of a language, and where. */
export function testCommand(language: Language, text: string, name: string): { words: string[]; cwd: string } {
  const cwd = newFolder()
  const file = join(cwd, name)
  writeFileSync(file, text)
  const words = {
    python: [programs.python, name],
    go: ['go', 'test', name],
    ruby: ['ruby', name],
    php: ['phpunit', '--no-configuration', name],
    java: [],
  }[language]
  if (language !== 'java') return { words, cwd }
  const classes = join(cwd, 'classes')
  mkdirSync(classes)
  const path = `/usr/share/java/${junit.map((jar) => `${jar}.jar`).join(':/usr/share/java/')}`
  execFileSync('javac', ['-cp', path, '-d', classes, file])
  const launcher = ['org.junit.platform.console.ConsoleLauncher', '--disable-banner', '-c', name.replace('.java', '')]
  return { words: ['java', '-cp', `${path}:${classes}`, ...launcher], cwd }
}

/** JUnit 5 as Debian has it. */
const junit = [
  'junit-jupiter-api',
  'junit-jupiter-engine',
  'junit-platform-commons',
  'junit-platform-engine',
  'junit-platform-launcher',
  'junit-platform-console',
  'junit-platform-reporting',
  'apiguardian-api',
  'opentest4j',
  'picocli',
  'univocity-parsers',
]
