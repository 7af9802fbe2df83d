import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.js'
import { seededRandom } from '../../src/shared/math.js'
import { type JsonServer, startJsonServer } from '../support/cli/json-server.js'
import { type Cli, createCli, type Ended } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { testOrder } from '../support/orders.js'
import { testSeed } from '../support/samples.js'

/** A home in which every kind of file was written by the program; each test damages a copy of it. */
let template: Cli
let sandbox: RunningSandbox
/** A service that refuses simulations as one does to whom a production key is sent. */
let live: JsonServer
/** A sandbox in a process of its own, which proves itself by the file in the template. */
let own: { baseUrl: string; apiKey: string }
/** A receiver that takes so many posts. */
let taken = 3
let receiverUrl = ''
let closeReceiver = () => {}
/** The events of one delivery. */
let ids = ''
const seed = testSeed()
const flips = 12

const local = { DLV_PROFILE: 'local' }
const data = (home: string) => join(home, '.local/share/dlv')
const config = (home: string) => join(home, '.config/dlv')
const rowsOf = (home: string) => join(home, 'rows.ndjson')
const served = () => ({ DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey })
const refusing = () => ({ ...live.env, DLV_API_KEY: 'dlvk_sbx_live' })
const withoutSecret = { DLV_SANDBOX_SECRET: undefined }
const ownSandbox = () => ({ ...withoutSecret, DLV_BASE_URL: own.baseUrl, DLV_API_KEY: own.apiKey })
/** The largest file in a directory whose name ends like this. */
function only(directory: string, end = ''): string {
  const found = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end) && statSync(join(directory, name)).isFile())
    .sort((one, other) => statSync(join(directory, other)).size - statSync(join(directory, one)).size)
  return join(directory, found[0] ?? 'none')
}
/** An archive of the served sandbox, not of the embedded one. */
const archive = (home: string, end: string) => only(data(home), end).replace(/(?:\.people)?\.db$/, '')
const simulate = ['simulate', 'del_1', '--to', 'delivered']
const projectOf = () => join(template.home, 'project')
const compareEvents = (home: string) => ['drift', '--input', join(home, 'events.ndjson')]

beforeAll(async () => {
  sandbox = await startSandbox({ rateLimit: 'off' })
  const origin = await startHttpServer(
    (request, response) => void request.resume().on('end', () => response.writeHead(taken-- > 0 ? 200 : 500).end()),
    (end) => {
      closeReceiver = end
    },
  )
  receiverUrl = `${origin}/`
  live = await startJsonServer((_, response) => {
    response.statusCode = 403
    return JSON.stringify({ error: { code: 'SANDBOX_ONLY', message: 'Not with this key.' }, requestId: 'req_1' })
  })
  template = createCli(afterAll)
  const { home } = template
  const serving = template.startProcess(['sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'ndjson'], {
    env: withoutSecret,
  })
  own = JSON.parse(await serving.line((line) => line.includes('baseUrl')))
  await template.json(['sandbox', 'seed', '--count', '40'])
  await template.json(['sandbox', 'snapshot', 'save', 'good'])
  const listener = template.start(['webhooks', 'listen', '--since', '1h', '-o', 'ndjson'])
  for (let count = 0; count < 60; count++) await listener.line((line) => JSON.parse(line).type === 'event')
  await listener.kill('SIGINT')
  const kept = await template.json<{ eventId: string; deliveryId: string }[]>(['webhooks', 'log', '--all'])
  const ofOne = Map.groupBy(kept, ({ deliveryId }) => deliveryId).values()
  ids =
    [...ofOne]
      .find((events) => events.length > 5)
      ?.map(({ eventId }) => eventId)
      .join('\n') ?? ''
  writeFileSync(rowsOf(home), ['A', 'B', 'C'].map((ref) => JSON.stringify(testOrder(ref))).join('\n'))
  const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
  writeFileSync(join(home, 'other.json'), JSON.stringify({ ...order, metadata: { other: 'order' } }))
  const event = { eventId: 'evt_1', eventType: 'delivery.new', occurredAt: '2026-03-02T15:00:00Z', unknown: 1 }
  writeFileSync(join(home, 'events.ndjson'), JSON.stringify({ ...event, data: { deliveryId: 'del_1' } }))
  mkdirSync(projectOf())
  writeFileSync(join(projectOf(), '.dlv.json'), JSON.stringify({ profile: 'local' }))
  const setUp: [string[], NodeJS.ProcessEnv, string?][] = [
    [['deliveries', 'create', '--file', rowsOf(home)], served()],
    [['deliveries', 'create', '--file', 'examples/order.json'], served()],
    [['report', '--from', '1h'], served()],
    [['sandbox', 'faults'], ownSandbox()],
    [[...compareEvents(home), '--baseline', join(home, 'drift.json'), '--update-baseline'], local],
    [['agent', 'setup', '--agents-md', '--dir', home], local],
    [['alias', 'set', 'mine', 'profiles list'], local],
    [['profiles', 'trust', '--yes'], {}, projectOf()],
  ]
  for (const [words, env, cwd] of setUp) {
    const { exitCode, stderr } = await template.run(words, { env, ...(cwd === undefined ? {} : { cwd }) })
    expect([words, exitCode, stderr]).toEqual([words, 0, expect.anything()])
  }
  expect((await template.run(simulate, { env: refusing() })).exitCode).toBe(3)
  expect((await template.run(['webhooks', 'resend', '-', '--to', receiverUrl], { stdin: ids })).exitCode).toBe(9)
  taken = Number.POSITIVE_INFINITY
  await template.runProcess(['health'], { env: { ...local, NODE_COMPILE_CACHE: undefined } })
  const add = ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', sandbox.baseUrl, '--api-key-stdin']
  expect((await template.run(add, { stdin: sandbox.apiKey })).exitCode).toBe(0)
})
afterAll(async () => {
  closeReceiver()
  await live.close()
  await sandbox.close()
})

/** A command that uses a file. */
interface Use {
  words: string[]
  stdin?: string
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** A process of its own, for what a process does when it starts. */
  isProcess?: boolean
  /** How it can end, if not with 0, 2 or 9. */
  exitCodes?: number[]
}

interface Kind {
  name: string
  file(home: string): string
  /** Written only while something runs, so that the template has none. */
  isTransient?: boolean
  uses(home: string): Use[]
  /** What an error names if not the file. */
  named?: RegExp
  /** What the file had is still in it after commands that wrote it. */
  isKept?: boolean
  /** The way to mend it that the error names: after it the first use ends with 0. `told` is what the first use said. */
  mend?(cli: Cli, told: string): Promise<Ended>
}

const createRows = (home: string): Use => ({ words: ['deliveries', 'create', '--file', rowsOf(home)], env: served() })
const createOne = (): Use => ({ words: ['deliveries', 'create', '--file', 'examples/order.json'], env: served() })
const shortListen = { words: ['webhooks', 'listen', '--expect', 'driver.updated', '--within', '0.2s'], env: local }
const archiveUses = (): Use[] => [
  { words: ['report', '--from', '1h'], env: served() },
  {
    words: ['query', 'SELECT count(*), max(newest_eta) FROM deliveries JOIN events USING (delivery_id)'],
    env: served(),
  },
  { words: ['sync', '--from', '1d'], env: served() },
]
/** Runs the line that the hint begins with. */
async function mendArchive(cli: Cli, told: string): Promise<Ended> {
  const line = /: (mv .*)/.exec(told)?.[1] ?? ''
  return cli.shell(line === '' ? 'dlv sync --from 1d' : line, { env: served() })
}

const kinds: Kind[] = [
  {
    name: 'sandbox file',
    file: (home) => join(data(home), 'sandbox.db'),
    uses: () => [
      { words: ['deliveries', 'list', '--all', '--from', '1d'], env: local },
      { words: ['events', 'list', '--all', '--since', '1d'], env: local },
      { words: ['sandbox', 'status'], env: local },
      { words: ['deliveries', 'create', '--file', 'examples/order.json', '--new-key'], env: local },
    ],
    mend: (cli) => cli.run(['sandbox', 'reset', '--yes'], { env: local }),
  },
  {
    name: 'snapshot',
    file: (home) => join(data(home), 'sandbox.db.snapshots/good.db'),
    uses: () => [{ words: ['sandbox', 'snapshot', 'restore', 'good'], env: local }],
  },
  {
    name: 'secret of a sandbox',
    file: (home) => join(data(home), 'sandbox.secret'),
    uses: () => [{ words: ['sandbox', 'faults'], env: ownSandbox() }],
    named: /sandbox\.secret|did not prove that it is your sandbox.*\n.*DLV_DATA_DIR/,
  },
  {
    name: 'journal',
    file: (home) => join(data(home), 'journal-local.db'),
    uses: () => [
      { words: ['webhooks', 'log', '--all'], env: local },
      { words: ['webhooks', 'log', '--all', '--json'], env: local },
      { words: ['webhooks', 'gaps'], env: local },
      { words: ['drift', '--journal'], env: local },
      shortListen,
    ],
  },
  {
    name: 'results file',
    file: (home) => `${rowsOf(home)}.results.ndjson`,
    uses: (home) => [
      { words: ['deliveries', 'results', '--file', rowsOf(home)], env: served() },
      createRows(home),
      { words: ['deliveries', 'create', '--dry-run', '--file', rowsOf(home)], env: served() },
    ],
  },
  {
    name: 'ledger of orders',
    file: (home) => join(data(home), 'orders.db'),
    uses: (home) => [
      createOne(),
      // Its reference is taken by another order.
      { words: ['deliveries', 'create', '--file', join(home, 'other.json')], env: served(), exitCodes: [0, 5] },
      { words: ['deliveries', 'get', 'A'], env: served() },
      { words: ['report', '--from', '1h'], env: served() },
    ],
  },
  {
    name: 'archive',
    file: (home) => `${archive(home, '.people.db')}.db`,
    uses: archiveUses,
    mend: mendArchive,
  },
  {
    name: 'archive of people',
    file: (home) => `${archive(home, '.people.db')}.people.db`,
    uses: () => [
      ...archiveUses(),
      { words: ['query', '--people', 'SELECT contact_name FROM people.people'], env: served() },
      { words: ['sync', '--forget', 'del_unknown'], env: served() },
    ],
    mend: mendArchive,
  },
  {
    name: 'config file',
    file: (home) => join(config(home), 'config.json'),
    uses: () => [
      { words: ['profiles', 'list'] },
      // A changed address or key.
      { words: ['health'], exitCodes: [0, 2, 3, 4, 7] },
      { words: ['profiles', 'use', 'local'] },
    ],
    named: /config\.json|the base URL|API key|dlv profiles/,
  },
  {
    name: 'file of aliases',
    file: (home) => join(config(home), 'aliases.json'),
    uses: () => [
      { words: ['alias', 'list'], env: local },
      { words: ['alias', 'set', 'other', 'health'], env: local },
      { words: ['mine'], env: local, exitCodes: [0, 2, 127] },
    ],
    // A changed name or expansion.
    named: /aliases\.json|Unknown command/,
  },
  {
    name: 'record of trust',
    file: (home) => join(config(home), 'trusted-projects'),
    uses: () => [{ words: ['health'], cwd: projectOf() }],
    named: /\.dlv\.json .*\n.*dlv profiles trust/,
    isKept: true,
    mend: (cli) => cli.run(['profiles', 'trust', '--yes'], { cwd: projectOf() }),
  },
  {
    name: 'record of production keys',
    file: (home) => join(config(home), 'production-keys'),
    uses: () => [
      // The key is refused, whether by its record or, without one, by the service.
      { words: simulate, env: refusing(), exitCodes: [2, 3] },
      { words: simulate, env: refusing(), exitCodes: [2] },
      { words: ['health'], env: served() },
    ],
    named: /production-keys|is a production key/,
    isKept: true,
  },
  {
    name: 'place of a resend',
    file: (home) => only(join(data(home), 'replays')),
    uses: () => [{ words: ['webhooks', 'resend', '-', '--to', receiverUrl], stdin: ids, env: local }],
  },
  {
    name: 'baseline of differences',
    file: (home) => join(home, 'drift.json'),
    uses: (home) => [
      { words: [...compareEvents(home), '--baseline', join(home, 'drift.json')], env: local },
      { words: [...compareEvents(home), '--baseline', join(home, 'drift.json'), '--update-baseline'], env: local },
    ],
  },
  {
    name: 'guide for agents',
    file: (home) => join(home, 'AGENTS.md'),
    uses: (home) => [{ words: ['agent', 'setup', '--agents-md', '--dir', home], env: local }],
    isKept: true,
  },
  {
    name: 'file of compiled code',
    file: (home) => only(join(home, '.cache/dlv/compiled')),
    uses: () => [{ words: ['health'], env: { ...local, NODE_COMPILE_CACHE: undefined }, isProcess: true }],
  },
  {
    name: 'lock of a run',
    isTransient: true,
    file: (home) => `${rowsOf(home)}.results.ndjson.lock`,
    uses: (home) => [createRows(home)],
  },
  {
    name: 'lock of a journal',
    isTransient: true,
    file: (home) => join(data(home), 'journal-local.db.lock'),
    uses: () => [shortListen],
  },
  {
    name: 'lock of an archive',
    isTransient: true,
    file: (home) => `${archive(home, '.people.db')}.db.lock`,
    uses: () => archiveUses().filter(({ words }) => words[0] !== 'query'),
  },
]

const random = seededRandom(seed)
const randomBytes = (count: number) => Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))

const damages: [string, (file: string) => void][] = [
  ['empty', (file) => truncateSync(file, 0)],
  ['text', (file) => writeFileSync(file, 'this was something else once.\n'.repeat(400))],
  ['garbage', (file) => writeFileSync(file, randomBytes(9_000))],
  ['zeros', (file) => writeFileSync(file, Buffer.alloc(9_000))],
  ['cut in half', (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ['without its first bytes', (file) => writeFileSync(file, readFileSync(file).subarray(50))],
  ...Array.from({ length: flips }, (_, index): [string, (file: string) => void] => [
    `with ${2 ** (index % 8)} changed bytes (${index})`,
    (file) => {
      const bytes = readFileSync(file)
      for (let count = 2 ** (index % 8); count > 0; count--)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
      writeFileSync(file, bytes)
    },
  ]),
]

async function deliveryCount(cli: Cli): Promise<number> {
  return (await cli.json<unknown[]>(['deliveries', 'list', '--all', '--from', '1d'], { env: served() })).length
}

describe.each(kinds)('a damaged $name', (kind) => {
  it.each(damages)('%s: is named or does no harm, is no bug, and is not overwritten', async (name, damage) => {
    const cli = createCli()
    cpSync(template.home, cli.home, { recursive: true })
    const file = kind.file(cli.home)
    if (kind.isTransient) writeFileSync(file, '')
    expect(existsSync(file), file).toBe(true)
    damage(file)
    const before = readFileSync(file)
    const deliveries = await deliveryCount(template)
    const ended: { use: Use; end: Ended; told: string }[] = []
    for (const use of kind.uses(cli.home)) {
      const { words, isProcess, exitCodes: _, ...options } = use
      const end = await (isProcess ? cli.runProcess(words, options) : cli.run(words, options))
      const told = `seed ${seed}: ${kind.name} ${name}: ${words.join(' ')}: ${end.exitCode} ${end.stderr}`
      ended.push({ use, end, told })
    }
    for (const { use, end, told } of ended) {
      const { exitCode, stdout, stderr } = end
      expect(stdout + stderr, told).not.toMatch(/bug in dlv|DEFECT|TypeError|SyntaxError/)
      // 6 and 8 come from the sandbox: a snapshot that it refuses, damage that it found while it answered.
      const others = /is damaged|is empty|has format|not written by|other columns/.test(stderr) ? [2, 6, 8] : [0, 2, 9]
      expect(use.exitCodes ?? others, told).toContain(exitCode)
      // A changed name of a setting leaves a profile that lacks it.
      const isNamed = stderr.includes(basename(file)) || stderr.includes('Profile "') || kind.named?.test(stderr)
      if (![0, 3, 5, 9].includes(exitCode ?? -1)) expect(isNamed, told).toBe(true)
    }
    const after = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
    if (ended.every(({ end }) => end.exitCode === 2)) expect(after).toEqual(before)
    const kept = before.subarray(0, before.findLastIndex((byte) => byte > 32) + 1)
    if (kind.isKept) expect(after.includes(kept), ended[0]?.told).toBe(true)
    expect(await deliveryCount(template)).toBe(deliveries)
    const [first] = ended
    if (kind.mend === undefined || first === undefined) return
    const mended = await kind.mend(cli, ended.map(({ told }) => told).join(''))
    expect([mended.exitCode, mended.stderr], first.told).toEqual([0, expect.anything()])
    const { words, ...options } = first.use
    expect((await cli.run(words, options)).exitCode).toBe(0)
  })
})
