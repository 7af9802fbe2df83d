import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'

/** The user that owns every cluster of the tests, and its password. */
export const databaseUser = 'dlv'
export const databasePassword = 'not-for-records-6f1d'

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const plainEnvironment = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }

/** A running server. */
export interface PostgresServer {
  port: number
  folder: string
  process: ChildProcess
  /** What it has written to its log. */
  log(): string
  /** `SIGINT` ends it in order, `SIGKILL` as a power cut would, `SIGSTOP` lets it hang. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Restarts what was stopped, with its data. */
  restart(settings?: Settings): Promise<void>
}

export type Settings = Readonly<Record<string, string>>

/** Tests need no data after a power cut; a crash of a process loses nothing without fsync. */
const quick: Settings = {
  fsync: 'off',
  shared_buffers: '16MB',
  max_connections: '100',
  max_wal_senders: '10',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  wal_keep_size: '128MB',
  log_min_messages: 'warning',
}

/** A new folder that the server's user owns; below the system's own if root's is closed to others. */
export function clusterFolder(name: string): string {
  const isOpen = nobody.uid === undefined || (statSync(tmpdir()).mode & 0o001) !== 0
  const base = isOpen ? tmpdir() : '/tmp'
  const folder = mkdtempSync(join(base, `dlv-${name}-`))
  chmodSync(folder, 0o700)
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid)
  return folder
}

/** An empty cluster that is not running: a template to copy. */
export function initCluster(bin: string): string {
  const folder = clusterFolder('cluster')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, databasePassword)
  chmodSync(passwordFile, 0o644)
  const data = join(folder, 'data')
  run(bin, 'initdb', [
    ...['-D', data, '-U', databaseUser, '--auth', 'scram-sha-256', '--pwfile', passwordFile],
    // Each copy of the cluster holds a whole segment of its log.
    ...['--no-sync', '--wal-segsize', '1', '-E', 'UTF8', '--locale', 'C'],
  ])
  return data
}

/** Runs a program of PostgreSQL to its end. */
export function run(bin: string, program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const ended = spawnSync(join(bin, program), words, {
    ...nobody,
    cwd: '/',
    env: { ...plainEnvironment, ...env },
    encoding: 'utf8',
  })
  if (ended.status !== 0) throw new Error(`${program} ended with ${ended.status}: ${ended.stderr}`)
}

/** A copy of a cluster that is not running; it has the identity of the first, so each can be the standby of the other. */
export function copyCluster(data: string): string {
  const copy = join(clusterFolder('cluster'), 'data')
  const copied = spawnSync('cp', ['-R', data, copy], { ...nobody, cwd: '/' })
  if (copied.status !== 0) cpSync(data, copy, { recursive: true })
  return copy
}

/** Starts a server on a cluster; resolves once it takes connections. */
export async function startServer(
  bin: string,
  data: string,
  settings: Settings = {},
  port?: number,
): Promise<PostgresServer> {
  const ownPort = port ?? (await freePort())
  let log = ''
  let child: ChildProcess
  const start = async (changed: Settings) => {
    const given = Object.entries({ ...quick, ...settings, ...changed, port: String(ownPort) })
    child = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...given.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...nobody,
        cwd: '/',
        env: plainEnvironment,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    const before = log.length
    child.stderr?.on('data', (text: Buffer) => {
      log += text.toString()
    })
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`postgres ended: ${log.slice(before)}`)))
      child.stderr?.on('data', () => {
        if (/ready to accept (?:read-only )?connections/.test(log.slice(before))) resolve()
      })
    })
  }
  try {
    await start({})
  } catch (error) {
    removeCluster(data)
    throw error
  }
  return {
    port: ownPort,
    folder: data,
    get process() {
      return child
    },
    log: () => log,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') return signalAll(child.pid, signal)
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill(signal)
      if (signal !== 'SIGHUP') await ended
    },
    restart: (changed = {}) => start(changed),
  }
}

/** Turns a stopped cluster into a standby of a server. */
export function makeStandby(data: string, name: string, primaryPort: number): void {
  const conninfo = `host=127.0.0.1 port=${primaryPort} user=${databaseUser} password=${databasePassword} application_name=${name}`
  appendFileSync(join(data, 'postgresql.auto.conf'), `\nprimary_conninfo = '${conninfo}'\n`)
  const signal = join(data, 'standby.signal')
  writeFileSync(signal, '')
  if (nobody.uid !== undefined) chownSync(signal, nobody.uid, nobody.gid)
}

export function removeCluster(data: string): void {
  rmSync(join(data, '..'), { recursive: true, force: true, maxRetries: 5 })
}

/** A server is several processes, each in a group of its own. */
function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout
  const children = listed
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
  for (const one of [pid, ...children]) {
    try {
      process.kill(one, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}
