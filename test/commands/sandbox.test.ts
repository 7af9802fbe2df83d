import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { switchChoices, switchSummaries } from '../../src/sandbox/switches.js'
import { newSecret } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer, takeAll } from '../support/http-server.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

/** The command of every steering call, in an order in which they can follow each other, and what it shows of itself. */
const steering: [call: string, words: string[], shows: unknown][] = [
  ['GET /ready', ['sandbox', 'status'], { outage: false }],
  ['GET /status', ['sandbox', 'status'], { rateLimit: expect.anything(), switches: { duplicates: 'forever' } }],
  ['POST /seed', ['sandbox', 'seed', '--count', '8'], { created: 8 }],
  ['GET /clock', ['sandbox', 'clock'], { scale: 1 }],
  ['POST /clock', ['sandbox', 'clock', 'advance', '25h'], { now: expect.any(String) }],
  ['GET /switches', ['sandbox', 'switches'], expect.arrayContaining([expect.objectContaining({ name: 'duplicates' })])],
  [
    'POST /switches',
    ['sandbox', 'switches', 'duplicates=active', 'disableEndpointAfter=3'],
    expect.arrayContaining([expect.objectContaining({ name: 'disableEndpointAfter', value: 3 })]),
  ],
  ['GET /outage', ['sandbox', 'faults'], { outage: false }],
  ['POST /outage', ['sandbox', 'faults', '--no-outage'], { outage: false }],
  ['GET /capacity', ['sandbox', 'faults'], { capacity: null }],
  ['POST /capacity', ['sandbox', 'faults', '--capacity', '5'], { capacity: 5 }],
  ['GET /faults', ['sandbox', 'faults'], { rules: [] }],
  [
    'POST /faults',
    ['sandbox', 'faults', '--hooks', 'duplicate', '--times', '2', '--event-type', 'delivery.failed', '--seed', '7'],
    { seed: 7, rules: [{ hooks: 'duplicate', times: 2, eventTypes: ['delivery.failed'] }] },
  ],
  [
    'GET /magic',
    ['sandbox', 'magic', 'gate_closed'],
    expect.arrayContaining([expect.objectContaining({ channel: 'phone' })]),
  ],
  [
    'GET /requests',
    ['sandbox', 'requests'],
    expect.arrayContaining([expect.objectContaining({ path: '/delivery/v1/health' })]),
  ],
  ['GET /deliveries/{deliveryId}', ['sandbox', 'inspect', 'DELIVERY'], { pace: 'manual' }],
  ['POST /endpoints', ['sandbox', 'endpoints', 'add', 'http://127.0.0.1:9/hooks'], { url: 'http://127.0.0.1:9/hooks' }],
  ['GET /endpoints', ['sandbox', 'endpoints', 'list'], [{ kind: 'all' }]],
  [
    'POST /events/{eventId}/resend',
    ['sandbox', 'resend', 'EVENT'],
    [{ eventId: 'EVENT', outcome: 'failed', url: 'http://127.0.0.1:9/hooks' }],
  ],
  [
    'GET /attempts',
    ['sandbox', 'attempts', 'EVENT'],
    [{ eventId: 'EVENT', attempt: 1, url: 'http://127.0.0.1:9/hooks' }],
  ],
  ['DELETE /endpoints/{endpointId}', ['sandbox', 'endpoints', 'remove', 'ENDPOINT'], { removed: ['ENDPOINT'] }],
  ['DELETE /endpoints', ['sandbox', 'endpoints', 'remove', '--all'], { removed: [] }],
  ['POST /secrets/rotate', ['sandbox', 'rotate-secret'], { secrets: [expect.any(String), expect.any(String)] }],
  ['GET /secrets', ['sandbox', 'rotate-secret', '--show'], { secrets: [expect.any(String), expect.any(String)] }],
  ['POST /secrets/drop', ['sandbox', 'rotate-secret', '--drop-old'], { secrets: [expect.any(String)] }],
  [
    'POST /accounts',
    ['sandbox', 'accounts', 'add', 'acme', '--rps', '5'],
    { accountId: 'acc_acme', requestsPerSecond: 5 },
  ],
  [
    'GET /accounts',
    ['sandbox', 'accounts', 'list'],
    expect.arrayContaining([expect.objectContaining({ name: 'acme', added: true })]),
  ],
  ['DELETE /accounts/{name}', ['sandbox', 'accounts', 'remove', 'acme', '--yes'], { removed: 'acme' }],
  ['PUT /installations/{code}', ['sandbox', 'policy', 'FTBRAGG', '--set', 'fpconLevel=delta'], { fpconLevel: 'delta' }],
  [
    'PUT /drivers/{driverId}',
    ['sandbox', 'driver', 'drv_new', '--set', 'onDuty=false'],
    { id: 'drv_new', onDuty: false },
  ],
  ['DELETE /drivers/{driverId}', ['sandbox', 'driver', 'drv_new', '--remove'], { id: 'drv_new' }],
  ['POST /snapshots/{name}', ['sandbox', 'snapshot', 'save', 'one'], { name: 'one' }],
  ['GET /snapshots', ['sandbox', 'snapshot', 'list'], [{ name: 'one' }]],
  ['POST /snapshots/{name}/restore', ['sandbox', 'snapshot', 'restore', 'one'], { name: 'one' }],
  ['POST /reset', ['sandbox', 'reset', '--yes'], { reset: true }],
]

describe('every steering call of the sandbox', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  const env = () => sandbox.env('dlvk_sbx_marketplace')
  const ids: Record<string, string> = {}
  const named = (words: string[]) => words.map((word) => ids[word] ?? word)

  beforeAll(async () => {
    const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'STEERED-1']
    const { deliveryId } = await cli.json<{ deliveryId: string }>(order, { env: env() })
    const events = await cli.json<{ eventId: string }[]>(['events', 'list'], { env: env() })
    Object.assign(ids, { DELIVERY: deliveryId, EVENT: events[0]?.eventId })
    await cli.json(['health'], { env: env() })
  })

  it('has a command', () => {
    const source = globSync('src/sandbox/control/*.ts').map((file) => readFileSync(file, 'utf8'))
    const routes = source.flatMap((text) =>
      [...text.matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g)].map(([, route = '']) => route),
    )
    // The inspector follows the sandbox by these; commands would show nothing that others do not.
    const withoutCommand = ['GET /changes', 'GET /schedule', 'GET /sent-events', 'GET /events/{eventId}']
    expect([...steering.map(([call]) => call), ...withoutCommand].sort()).toEqual(routes.sort())
  })

  it.each(steering)('%s does what its command says', async (_, words, shows) => {
    const { exitCode, stdout, stderr } = await cli.run([...named(words), '--json'], { env: env() })
    expect(exitCode, stderr).toBe(0)
    const text = Object.entries(ids).reduce((shown, [word, id]) => shown.replaceAll(id, word), stdout)
    expect(JSON.parse(text)).toMatchObject(shows as object)
    if (words.includes('http://127.0.0.1:9/hooks')) ids.ENDPOINT = JSON.parse(stdout).id
  })

  it('keeps its limit of drivers where another is given that is no number', async () => {
    await cli.json(['sandbox', 'faults', '--capacity', '3'], { env: env() })
    for (const wrong of ['abc', '-1', '1.5']) {
      const { exitCode, stderr } = await cli.run(['sandbox', 'faults', `--capacity=${wrong}`], { env: env() })
      expect([exitCode, stderr], wrong).toEqual([
        2,
        expect.stringContaining('--capacity expects off or a whole number'),
      ])
    }
    expect(await cli.json(['sandbox', 'faults'], { env: env() })).toMatchObject({ capacity: 3 })
  })

  it.each([
    [['attempts', 'zzz'], 'No event "zzz" exists.', 'dlv events list'],
    [['resend', 'zzz'], 'No event "zzz" exists.', 'dlv events list'],
    [['endpoints', 'remove', 'zzz'], 'No endpoint "zzz" exists.', 'dlv sandbox endpoints list'],
    [['snapshot', 'restore', 'zzz'], 'No snapshot "zzz" exists.', 'dlv sandbox snapshot list'],
    [['inspect', 'del_zzz'], 'No delivery "del_zzz" exists.', 'dlv deliveries list'],
    [['policy', 'ftbragg', '--set', 'fpconLevel=delta'], 'No installation "ftbragg" exists.', '"FTBRAGG"'],
  ])('%j names what does not exist and what lists it', async (words, message, hint) => {
    const { exitCode, stdout, stderr } = await cli.run(['sandbox', ...words, '--json'], { env: env() })
    expect([exitCode, stdout]).toEqual([4, ''])
    expect(JSON.parse(stderr).error).toMatchObject({ status: 404, message, hint: expect.stringContaining(hint) })
  })

  it('seeds the account of the key, and says which it is', async () => {
    const seed = ['sandbox', 'seed', '--count', '8', '--over', '6h', '--json']
    for (const account of ['ownedfleet', 'noreturns']) {
      const key = sandbox.env(`dlvk_sbx_${account}`)
      expect(await cli.json(seed, { env: key })).toMatchObject({ account: `acc_${account}`, created: 8 })
      expect(await cli.json(['deliveries', 'list', '--from', '1d'], { env: key })).toHaveLength(8)
    }
    const { exitCode, stderr } = await cli.run(seed, { env: sandbox.env('dlvk_sbx_unknown') })
    expect(exitCode).toBe(2)
    expect(JSON.parse(stderr).error.message).toMatch(/^The key of http:.* is not an account of the sandbox\.$/)
  })

  it('lists no attempts of an event without a webhook', async () => {
    await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'UNHEARD-1'], { env: env() })
    const [event] = await cli.json<{ eventId: string }[]>(['events', 'list'], { env: env() })
    expect(await cli.json(['sandbox', 'attempts', event?.eventId ?? ''], { env: env() })).toEqual([])
  })

  it('prints with -q only the id of a new endpoint, and only the secret that is new', async () => {
    const words = ['sandbox', 'endpoints', 'add', 'http://127.0.0.1:9/quiet', '-q']
    expect((await cli.run(words, { env: env() })).stdout).toMatch(/^we_\w+\n$/)
    expect((await cli.run(['sandbox', 'rotate-secret', '-q'], { env: env() })).stdout).toMatch(/^whsec_[\w+/=]+\n$/)
  })

  it('names the endpoints that a rotation leaves as they are', async () => {
    const embedded = createCli()
    const listener = embedded.start(['webhooks', 'listen'], { env: { DLV_WEBHOOK_SECRET: newSecret() } })
    await listener.hasPrinted('post webhooks to')
    const [url] = /http:\S+/.exec(listener.lines().join('\n')) ?? []
    const { stderr } = await embedded.run(['sandbox', 'rotate-secret'])
    expect(stderr).toContain(`Signed with secrets of their own, which stay: ${url}.`)
  })

  it('says which webhooks wait for a sender, and that none is sent without an endpoint', async () => {
    const embedded = createCli()
    const status = async () => (await embedded.run(['sandbox', 'status'], { columns: 120 })).stdout
    expect(await status()).toContain('none sent without an endpoint, such as dlv webhooks listen')
    await embedded.run(['sandbox', 'endpoints', 'add', await startHttpServer(takeAll)])
    await embedded.run(['deliveries', 'create', '--file', 'examples/order.json'])
    expect(await status()).toContain('1 to send, while dlv webhooks listen, dlv ui or dlv sandbox start runs')
    const listener = embedded.start(['webhooks', 'listen'])
    await until('its attempt', async () => (await embedded.json<[]>(['sandbox', 'attempts'])).length > 0)
    await listener.kill('SIGTERM')
    expect(await status()).toContain('none waits')
  })

  it.each([
    ['gate_closd', 'Did you mean "gate_closed"?'],
    ['nothing-like-it', 'dlv sandbox magic lists all of them.'],
  ])('says that no magic value contains %s', async (word, hint) => {
    const { exitCode, stdout, stderr } = await createCli().run(['sandbox', 'magic', word, '--json'])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr).error).toMatchObject({ message: `No magic value contains "${word}".`, hint })
  })

  it('fits a terminal of eighty columns', async () => {
    for (const words of [
      ['sandbox', 'status'],
      ['sandbox', 'switches'],
      ['sandbox', 'magic', 'phone'],
    ]) {
      const { stdout, exitCode } = await cli.run(words, { env: { ...env(), NO_COLOR: '1' }, columns: 80 })
      expect(exitCode).toBe(0)
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    }
  })
})

describe('dlv sandbox start', () => {
  it('names every switch and its choices in its help', async () => {
    const { stdout } = await createCli().run(['sandbox', 'start', '--help'])
    for (const name of Object.keys(switchSummaries)) {
      const choices = (switchChoices as Record<string, readonly string[]>)[name]?.join('|') ?? 'N'
      expect(stdout).toContain(`${name}=${choices}: `)
    }
  })

  it.skipIf(process.platform === 'win32')('ends with npx, which passes no signal on', async () => {
    const words = ['--no', 'dlv', 'sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'json']
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
    const npx = spawn('npx', words, { stdio, detached: true })
    onTestFinished(() => {
      try {
        process.kill(-(npx.pid ?? 0), 'SIGKILL')
      } catch {
        // All of them have ended.
      }
    })
    const [ready] = await once(npx.stdout, 'data')
    expect(String(ready)).toContain('"ready"')
    npx.kill()
    // The sandbox holds the pipe until it ends.
    await once(npx.stdout, 'end')
  })

  it('starts with the switches that it is given, and refuses those that there are not', async () => {
    const cli = createCli()
    const words = ['sandbox', 'start', '--port', '0', '--data', ':memory:', '-o', 'json']
    const running = cli.start([...words, '--switch', 'duplicates=active', '--switch', 'disableEndpointAfter=2'])
    const { controlUrl } = JSON.parse(await running.line((line) => line.includes('"ready"')))
    const { switches } = (await (await fetch(`${controlUrl}/switches`)).json()) as { switches: object }
    expect(switches).toMatchObject({ duplicates: 'active', disableEndpointAfter: 2, future: 'off' })
    await running.kill()
    for (const wrong of ['duplicates=never', 'nothing=1', 'duplicates', '__proto__=x', 'disableEndpointAfter=-1']) {
      const { exitCode, stderr } = await cli.run([...words, '--switch', wrong])
      expect([exitCode, stderr.includes('at ')], wrong).toEqual([2, false])
    }
  })
})
