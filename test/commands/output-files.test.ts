import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { startHttpServer, takeAll } from '../support/http-server.js'
import { testOrder } from '../support/orders.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const served = serveSandbox()
const har = '{"log":{"entries":[]}}'
const refusedOrder = testOrder('X-2', { dropoff: { ...testOrder('X-2').dropoff, contactPhone: 'none' } })
const rows = `${JSON.stringify(testOrder('X-1'))}\n${JSON.stringify(refusedOrder)}\n`

/** A command that writes a file that the user names. */
interface Writer {
  name: string
  /** The file that it reads, with its content. */
  input: [name: string, content: string]
  words: (output: string) => string[]
}

const writers: Writer[] = [
  {
    name: 'create --rejects',
    input: ['orders.ndjson', rows],
    words: (output) => ['deliveries', 'create', '--file', 'orders.ndjson', '--yes', '--rejects', output],
  },
  {
    name: 'drift --junit',
    input: ['traffic.har', har],
    words: (output) => ['drift', '--har', 'traffic.har', '--junit', output],
  },
  {
    name: 'drift --baseline',
    input: ['traffic.har', har],
    words: (output) => ['drift', '--har', 'traffic.har', '--update-baseline', '--baseline', output],
  },
  {
    name: 'report --html',
    input: ['promise.csv', 'clientOrderReference,promisedBy\nX-1,2026-03-02T15:00:00Z\n'],
    words: (output) => ['report', '--promise', 'promise.csv', '--html', output],
  },
  {
    name: 'webhooks test --junit',
    input: ['secret.txt', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n'],
    words: (output) => ['webhooks', 'test', '--to', 'RECEIVER', '--secret-file', 'secret.txt', '--junit', output],
  },
]

/** A place that must not be written, and what the error says of it. */
const places: Record<string, { make: (cwd: string, input: string) => string | undefined; says: RegExp }> = {
  'the input': { make: (_, input) => input, says: /input itself|which is read/ },
  'the input by ..': { make: (_, input) => `sub/../${input}`, says: /input itself|which is read/ },
  'a link to the input': {
    make: (cwd, input) => {
      symlinkSync(input, join(cwd, 'out'))
      return 'out'
    },
    says: /input itself|which is read/,
  },
  'a hard link to the input': {
    make: (cwd, input) => {
      linkSync(join(cwd, input), join(cwd, 'out'))
      return 'out'
    },
    says: /input itself|which is read/,
  },
  'a dangling link': {
    make: (cwd) => {
      symlinkSync('elsewhere', join(cwd, 'out'))
      return 'out'
    },
    says: /symbolic link/,
  },
  'a link to another file': {
    make: (cwd) => {
      symlinkSync('precious.txt', join(cwd, 'out'))
      return 'out'
    },
    says: /symbolic link/,
  },
  'the file of somebody else': { make: () => 'precious.txt', says: /exists and is not|not a baseline/ },
  'a directory': { make: () => 'sub', says: /directory/ },
  'a pipe': {
    make: (cwd) => {
      execFileSync('mkfifo', [join(cwd, 'out')])
      return 'out'
    },
    says: /not a regular file/,
  },
  'a directory that is missing': { make: () => 'nowhere/out', says: /directory does not exist|Create the directory/ },
}

function world(cli: Cli, { input: [name, content] }: Writer, index: number): string {
  const cwd = join(cli.home, `w${index}`)
  mkdirSync(join(cwd, 'sub'), { recursive: true })
  writeFileSync(join(cwd, name), content)
  writeFileSync(join(cwd, 'precious.txt'), 'nobody has a copy\n')
  return cwd
}

describe.each(writers)('$name', (writer) => {
  test('writes over nothing that is not its own, and says so before anything is sent', async () => {
    const cli = createCli()
    Object.assign(cli.env, served.env())
    const list = async () => (await served.caller.get('/deliveries?from=2020-01-01T00:00:00Z')).body
    const before = await list()
    const to = await startHttpServer(takeAll)
    let index = 0
    for (const [place, { make, says }] of Object.entries(places)) {
      const isBaseline = writer.name === 'drift --baseline'
      // A baseline is read before it is written, which a pipe would hold up.
      if (isBaseline && place === 'a pipe') continue
      const cwd = world(cli, writer, index++)
      const output = make(cwd, writer.input[0])
      if (output === undefined) continue
      const words = writer.words(output).map((word) => (word === 'RECEIVER' ? to : word))
      const { exitCode, stderr } = await cli.run(words, { cwd })
      const reason = isBaseline ? new RegExp(`${says.source}|not a baseline`) : says
      expect([place, exitCode, stderr]).toEqual([place, 2, expect.stringMatching(reason)])
      expect(readFileSync(join(cwd, writer.input[0]), 'utf8')).toBe(writer.input[1])
      expect(readFileSync(join(cwd, 'precious.txt'), 'utf8')).toBe('nobody has a copy\n')
      expect([existsSync(join(cwd, 'elsewhere')), readdirSync(cwd).filter((name) => /tmp|results/.test(name))]).toEqual(
        [false, []],
      )
    }
    expect(await list()).toEqual(before)
  })

  test('writes a new file, writes it again, and another one only with --overwrite', async () => {
    const cli = createCli()
    Object.assign(cli.env, served.env())
    const cwd = world(cli, writer, 0)
    const to = await startHttpServer(takeAll)
    const run = async (output: string, more: string[] = []) => {
      const words = writer.words(output).map((word) => (word === 'RECEIVER' ? to : word))
      const { exitCode, stderr } = await cli.run([...words, ...more], { cwd })
      expect([exitCode, stderr]).not.toEqual([2, expect.anything()])
      return readFileSync(join(cwd, output), 'utf8')
    }
    const written = await run('out.txt')
    linkSync(join(cwd, 'out.txt'), join(cwd, 'kept.txt'))
    await run('out.txt')
    expect(readFileSync(join(cwd, 'kept.txt'), 'utf8')).toBe(written)
    if (writer.name === 'drift --baseline') return
    expect(await run('precious.txt', ['--overwrite'])).not.toBe('nobody has a copy\n')
  })
})

test('--overwrite replaces neither a file of dlv itself nor one that the command reads', async () => {
  const cli = createCli()
  Object.assign(cli.env, served.env())
  const cwd = join(cli.home, 'project')
  mkdirSync(cwd)
  const config = join(cli.home, '.config', 'dlv', 'config.json')
  const { DLV_BASE_URL = '', DLV_API_KEY = '' } = cli.env
  const adding = ['profiles', 'add', 'kept', '-e', 'sandbox', '--base-url', DLV_BASE_URL, '--api-key-stdin']
  expect(await cli.run([...adding, '--no-keychain'], { stdin: DLV_API_KEY })).toMatchObject({ exitCode: 0 })
  linkSync(config, join(cwd, 'linked.json'))
  await cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--yes'])
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n'
  for (const name of ['.dlv.json', 'secret.txt', 'pgpass'])
    writeFileSync(join(cwd, name), name === 'secret.txt' ? secret : '{}')
  writeFileSync(join(cwd, 'traffic.har'), har)
  let posted = 0
  const to = await startHttpServer((request, response) => {
    posted++
    takeAll(request, response)
  })
  const data = join(cli.home, '.local', 'share', 'dlv')
  const drift = ['drift', '--har', 'traffic.har', '--junit']
  const receiver = ['webhooks', 'test', '--to', to, '--secret-file', 'secret.txt', '--junit']
  const refused = [
    [drift, config, 'keeps for itself'],
    [drift, 'linked.json', 'keeps for itself'],
    [drift, join(cwd, '..', '.local', 'share', 'dlv', 'accounts.json'), 'keeps for itself'],
    [drift, join(data, 'account-key'), 'keeps for itself'],
    [drift, join(data, 'orders.db'), 'keeps for itself'],
    [['report', '--html'], config, 'keeps for itself'],
    [drift, '.dlv.json', 'keeps for itself'],
    [drift, 'traffic.har', 'which is read'],
    [receiver, 'secret.txt', 'which is read'],
    [
      ['sandbox', 'play', 'rush-hour', '--target', to, '--secret-file', 'secret.txt', '--junit'],
      'secret.txt',
      'which is read',
    ],
    [drift, 'pgpass', 'which is read'],
  ] as const
  for (const [words, file, says] of refused) {
    const before = readFileSync(resolve(cwd, file))
    const env = { PGPASSFILE: join(cwd, 'pgpass') }
    const { exitCode, stderr } = await cli.run([...words, file, '--overwrite'], { cwd, env })
    expect([file, exitCode, stderr]).toEqual([
      file,
      2,
      expect.stringMatching(new RegExp(`${says}|is the input itself`)),
    ])
    expect(readFileSync(resolve(cwd, file))).toEqual(before)
  }
  // Refused before anything is done, and not when the file would be written.
  expect(posted).toBe(0)
})

test('agent setup and results are not written through links', async () => {
  const cli = createCli()
  Object.assign(cli.env, served.env())
  const cwd = join(cli.home, 'project')
  mkdirSync(join(cwd, '.claude'), { recursive: true })
  mkdirSync(join(cli.home, 'theirs'))
  writeFileSync(join(cli.home, 'theirs', 'notes.md'), 'theirs\n')
  symlinkSync(join(cli.home, 'theirs'), join(cwd, '.claude', 'skills'))
  symlinkSync(join(cli.home, 'theirs', 'notes.md'), join(cwd, 'AGENTS.md'))
  for (const flag of ['--skill', '--agents-md']) {
    const { exitCode, stderr } = await cli.run(['agent', 'setup', flag, '--yes'], { cwd })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is a symbolic link')])
  }
  expect(readdirSync(join(cli.home, 'theirs'))).toEqual(['notes.md'])
  expect(readFileSync(join(cli.home, 'theirs', 'notes.md'), 'utf8')).toBe('theirs\n')
  rmSync(join(cwd, 'AGENTS.md'))
  await cli.run(['agent', 'setup', '--agents-md'], { cwd })
  expect(statSync(join(cwd, 'AGENTS.md')).size).toBeGreaterThan(100)

  writeFileSync(join(cwd, 'orders.ndjson'), rows)
  for (const link of ['runs', 'runs.lock']) {
    symlinkSync(join(cli.home, 'theirs', 'made'), join(cwd, link))
    const words = ['deliveries', 'create', '--file', 'orders.ndjson', '--yes', '--results', 'runs']
    const { exitCode, stderr } = await cli.run(words, { cwd })
    expect([link, exitCode, stderr]).toEqual([link, 2, expect.stringContaining('symbolic link')])
    rmSync(join(cwd, link))
  }
  expect(readdirSync(join(cli.home, 'theirs'))).toEqual(['notes.md'])
})
