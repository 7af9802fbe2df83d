import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from './measure.ts'

const project = dirname(dirname(fileURLToPath(import.meta.url)))

/** The environment of a benchmark run: the packed package, the peers and the processes that were started. */
export interface Ground {
  project: string
  folder: string
  quick: boolean
  /** The installed `dlv`, as a command with these arguments. */
  dlv(arguments_: string[], env?: NodeJS.ProcessEnv): Command
  /** The Stripe CLI, if npm could install it. */
  stripe: string | undefined
  /** The standalone program, if `npm run package` has built it. */
  standalone: string | undefined
  /** Starts one of `bench/processes/` and waits for the line of JSON that it prints once it is ready. */
  start(
    name: string,
    arguments_?: string[],
    env?: NodeJS.ProcessEnv,
  ): Promise<{ child: ChildProcess; ready: Record<string, unknown> }>
  /** `errors` is where standard error goes: this process's own unless given. */
  startCommand(
    command: Command,
    errors?: 'inherit' | number,
  ): Promise<{ child: ChildProcess; ready: Record<string, unknown> }>
  /** Starts a sandbox on a file, or on `:memory:`. */
  startSandbox(data: string, ...flags: string[]): Promise<{ child: ChildProcess; ready: Record<string, unknown> }>
  /** Runs one of `bench/processes/` that measures something, and gives the line of JSON that it prints. */
  load(name: string, arguments_: string[], env?: NodeJS.ProcessEnv): Promise<Record<string, unknown>>
  /** Installs a peer from npm, beside the package; processes of `bench/processes/` find it in `DLV_BENCH_APP`. */
  install(peer: string): void
  stop(child: ChildProcess): Promise<void>
  /** A new, empty folder. */
  newFolder(name: string): string
  end(): Promise<void>
}

/** Packs the project and installs the package and its peers into a temporary folder, which `end` removes. */
export async function prepareGround(quick: boolean): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'dlv-bench-'))
  const app = join(folder, 'app')
  mkdirSync(app)
  const npm = (...arguments_: string[]) =>
    execFileSync('npm', arguments_, { cwd: app, stdio: ['ignore', 'pipe', 'pipe'] })
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: project })
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (archive === undefined) throw new Error('npm pack wrote no archive')
  npm('init', '--yes')
  npm('install', '--silent', '--no-audit', '--no-fund', join(folder, archive))
  const stripe = installStripe(npm, app)
  const standalone = join(project, 'dist-standalone', 'dlv')
  const program = join(app, 'node_modules', 'dlv-cli', 'bin', 'run.js')
  const children = new Set<ChildProcess>()

  const dlv: Ground['dlv'] = (arguments_, env = {}) => ({
    file: process.execPath,
    arguments: [program, ...arguments_],
    env: { HOME: folder, DLV_CONFIG_DIR: join(folder, 'config'), DLV_DATA_DIR: join(folder, 'data'), ...env },
  })

  const startCommand: Ground['startCommand'] = async (command, errors = 'inherit') => {
    const child = spawn(command.file, command.arguments, {
      stdio: ['ignore', 'pipe', errors],
      env: { ...process.env, ...command.env },
    })
    children.add(child)
    return { child, ready: await firstLine(child) }
  }

  const stop: Ground['stop'] = async (child) => {
    children.delete(child)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }

  const start: Ground['start'] = (name, arguments_ = [], env = {}) =>
    startCommand({
      file: process.execPath,
      arguments: [join(project, 'bench', 'processes', name), ...arguments_],
      env: { DLV_BENCH_APP: app, ...env },
    })

  const startSandbox: Ground['startSandbox'] = (data, ...flags) =>
    startCommand(dlv(['sandbox', 'start', '--port', '0', '--data', data, ...flags, '--quiet', '-o', 'json']))

  const load: Ground['load'] = async (name, arguments_, env) => {
    const { child, ready } = await start(name, arguments_, env)
    await stop(child)
    return ready
  }

  let folders = 0
  const newFolder = (name: string) => {
    const path = join(folder, `${name}-${++folders}`)
    mkdirSync(path)
    return path
  }

  return {
    project,
    folder,
    quick,
    stripe,
    standalone: existsSync(standalone) ? standalone : undefined,
    dlv,
    start,
    startSandbox,
    load,
    startCommand,
    install: (peer) => void npm('install', '--silent', '--no-audit', '--no-fund', peer),
    stop,
    newFolder,
    async end() {
      for (const child of children) await stop(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function installStripe(npm: (...arguments_: string[]) => unknown, app: string): string | undefined {
  const name = `cli-${process.platform}-${process.arch}`
  try {
    npm('install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '@stripe/cli')
    const folder = join(app, 'node_modules', '@stripe', name)
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) =>
      /(?:^|\/)stripe(?:\.exe)?$/.test(file),
    )
    return found === undefined ? undefined : join(folder, found)
  } catch {
    return undefined
  }
}

function firstLine(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk.toString()
      const end = text.indexOf('\n')
      if (end < 0) return
      child.stdout?.off('data', onData)
      child.stdout?.resume()
      resolve(JSON.parse(text.slice(0, end)) as Record<string, unknown>)
    }
    child.stdout?.on('data', onData)
    child.once('exit', (code) => reject(new Error(`a process ended with ${code} before it was ready`)))
  })
}
