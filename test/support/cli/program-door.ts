import {
  constants,
  createReadStream,
  createWriteStream,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type Socket as Connection, createServer, type Server, Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Interruption } from '../../../src/cli/process/context.js'
import { launchInProcess } from './in-process.js'

/** Exit code of a program whose reader has gone. */
const readerGone = 141

/**
 * Puts a `dlv` into a folder that runs in this process: scripts start it like any program, in a hundredth of the time. What it
 * is given (words, variables, folder, streams) is read from `/proc`. With a terminal, or a setting that Node reads at its
 * start, it starts the program itself; so it does where there is no `/proc`.
 */
export async function openProgramDoor(
  folder: string,
  program: readonly string[],
  whenOver: (end: () => Promise<void>) => void,
) {
  const exec = `exec ${program.map((word) => `'${word}'`).join(' ')} "$@"`
  const file = join(folder, 'dlv')
  if (process.platform !== 'linux' || process.env.DLV_TEST_PROGRAM !== undefined) {
    writeFileSync(file, `#!/bin/sh\n${exec}\n`, { mode: 0o755 })
    return
  }
  const running = new Set<Promise<void>>()
  const server = createServer((connection) => {
    const run = serve(connection).catch(() => void connection.destroy())
    running.add(run)
    void run.then(() => running.delete(run))
  })
  const port = await listening(server)
  const script = [
    '#!/bin/bash',
    `exec 9<>/dev/tcp/127.0.0.1/${port} || exit 125`,
    // In subshells: a redirection would change the streams of this process while they are looked up.
    "trap '(echo SIGTERM >&9)' TERM; trap '(echo SIGINT >&9)' INT; trap '(echo SIGHUP >&9)' HUP",
    '(echo $$ >&9)',
    'until read -r -u 9 code; do [ $? -gt 128 ] || exit 125; done',
    `if [ "$code" = exec ]; then exec 9>&-; ${exec}; fi`,
    'exit "$code"',
  ]
  writeFileSync(file, `${script.join('\n')}\n`, { mode: 0o755 })
  whenOver(async () => {
    server.close()
    await Promise.all(running)
  })
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
}

/** Runs the command of one process that has knocked, and tells it the exit code. */
async function serve(connection: Connection): Promise<void> {
  const lines = createInterface({ input: connection })[Symbol.asyncIterator]()
  const of = `/proc/${(await lines.next()).value}`
  const words = readFileSync(`${of}/cmdline`, 'utf8').split('\0').slice(2, -1)
  const env = environmentOf(`${of}/environ`)
  if (isForItself(of, words, env)) {
    connection.end('exec\n')
    return
  }
  const [stdout, stderr] = [writerOf(`${of}/fd/1`), writerOf(`${of}/fd/2`)]
  const stdin = Readable.from(readAll(`${of}/fd/0`))
  const launched = launchInProcess(words, { env, cwd: readlinkSync(`${of}/cwd`), stdin })
  const code = new Promise<number>((resolve) => {
    stdout.once('error', (error) => {
      launched.stdout.destroy(error)
      resolve(readerGone)
    })
    launched.end.then(
      ({ exitCode }) => resolve(exitCode ?? 0),
      () => resolve(readerGone),
    )
  })
  launched.stdout.pipe(stdout)
  launched.stderr.pipe(stderr)
  stderr.on('error', () => {})
  void signalled(lines, launched.signal)
  const ended = await code
  await Promise.allSettled([stdout, stderr].map((stream) => finished(stream)))
  connection.end(`${ended}\n`)
}

async function signalled(lines: AsyncIterator<string>, signal: (name: Interruption) => void) {
  for (;;) {
    const { done, value } = await lines.next()
    // A process that was killed knocks no more, and neither does one that has ended.
    signal(done ? 'SIGTERM' : (value as Interruption))
    if (done) return
  }
}

function environmentOf(file: string): NodeJS.ProcessEnv {
  const pairs = readFileSync(file, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/** Whether only a process of its own can run it: it has a terminal, a socket, or what Node reads at its start. */
function isForItself(of: string, words: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (env.TZ !== process.env.TZ || ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].some((name) => name in env))
    return true
  // What shells start for TAB asks nothing.
  const isAsked = words[0]?.includes('complet') !== true
  return [...(isAsked ? [0] : []), 1, 2].some((fd) => {
    const target = readlinkSync(`${of}/fd/${fd}`)
    return target.startsWith('socket:') || /^\/dev\/(?:pts|tty)/.test(target)
  })
}

/** Everything written goes to the end of a file, as it does for a process that shares its place in it with others. */
function writerOf(path: string): Writable {
  if (!statSync(path).isFIFO()) return createWriteStream(path, { flags: 'a' })
  return new Socket({ fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), readable: false, writable: true })
}

/** Opened when it is read: most commands leave it to whoever reads it next. */
async function* readAll(path: string): AsyncGenerator<Uint8Array> {
  yield* statSync(path).isFIFO()
    ? new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
    : createReadStream(path)
}
