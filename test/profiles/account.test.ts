import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ResolvedAccount, rememberProductionKey } from '../../src/profiles/index.js'
import { type JsonServer, startJsonServer } from '../support/cli/json-server.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { connectAgent } from '../support/mcp/agent.js'

const secret = (word: string) => `whsec_${Buffer.from(`${word} secret of thirty-two bytes.....`).toString('base64')}`

/** The account of the profile `acme`, and any other service. */
let [acme, other]: JsonServer[] = []
const services = () => [acme, other] as [JsonServer, JsonServer]
const urlOf = (service: JsonServer | undefined) => service?.env.DLV_BASE_URL ?? ''

function answer(path: string, response: { statusCode: number }): string {
  if (path.endsWith('/simulate')) {
    response.statusCode = 403
    return JSON.stringify({ error: { code: 'SANDBOX_ONLY', message: 'Not with this key.' }, requestId: 'req_1' })
  }
  if (path.startsWith('/deliveries/del_missing')) {
    response.statusCode = 404
    return JSON.stringify({ error: { code: 'DELIVERY_NOT_FOUND', message: 'No.' }, requestId: 'req_1' })
  }
  if (path.startsWith('/deliveries/del_'))
    return JSON.stringify({
      deliveryId: 'del_1',
      clientOrderReference: 'ORDER 1',
      status: 'failed',
      createdAt: '2026-03-02T15:00:00Z',
      statusHistory: [],
      statusReasonCode: 'no_driver_available',
    })
  if (path.startsWith('/events'))
    return JSON.stringify({
      events: [
        { eventId: 'evt_1', eventType: 'delivery.new', occurredAt: '2026-03-02T15:00:00Z', livemode: true, data: {} },
      ],
      nextCursor: null,
    })
  return JSON.stringify({ accountType: 'marketplace', capabilities: {} })
}

beforeAll(async () => {
  ;[acme, other] = await Promise.all([startJsonServer(answer), startJsonServer(answer)])
})
afterAll(() => Promise.all(services().map((service) => service.close())))
beforeEach(() => {
  for (const { keys, asked } of services()) keys.length = asked.length = 0
})

/** A person with the profiles `acme`, which has a key, and `bare`, which has none. */
function person(current?: string): Cli {
  const cli = createCli()
  const profiles = {
    acme: {
      environment: 'sandbox',
      baseUrl: urlOf(acme),
      keyIn: 'file',
      apiKey: 'dlvk_sbx_acme',
      webhookSecrets: [{ name: 'own', secret: secret('own') }],
    },
    bare: { environment: 'sandbox', baseUrl: urlOf(acme), webhookSecrets: [] },
    live: { environment: 'production', baseUrl: 'https://live.example/delivery/v1', keyIn: 'file', apiKey: 'k_live' },
    trial: { environment: 'sandbox', baseUrl: 'https://trial.example/delivery/v1', keyIn: 'file', apiKey: 'k_trial' },
  }
  const folder = join(cli.home, '.config', 'dlv')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = { profiles, ...(current === undefined ? {} : { current }) }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(file), { mode: 0o600 })
  return cli
}

const environment = () => ({ DLV_BASE_URL: urlOf(other), DLV_API_KEY: 'dlvk_sbx_variable' })

describe('-P', () => {
  it('decides address, key, secrets and environment; what the environment loses is said once', async () => {
    const env = {
      ...environment(),
      DLV_PROFILE: 'live',
      DLV_ENVIRONMENT: 'production',
      DLV_WEBHOOK_SECRET: secret('variable'),
    }
    const cli = person('live')
    const { exitCode, stderr } = await cli.run(['capabilities', '-P', 'acme'], { env })
    expect([exitCode, stderr]).toEqual([
      0,
      '-P acme decides the account; DLV_PROFILE, DLV_BASE_URL, DLV_API_KEY, DLV_ENVIRONMENT and DLV_WEBHOOK_SECRET are ignored.\n',
    ])
    expect(services().map(({ keys }) => keys)).toEqual([['dlvk_sbx_acme'], []])
    const shown = await cli.json(['profiles', 'show', '-P', 'acme'], { env })
    expect(shown).toMatchObject({ profile: 'acme', environment: 'sandbox', baseUrl: urlOf(acme) })
    expect(shown.webhookSecrets).toEqual([expect.stringContaining('own: ')])
    // The signature is the one of the profile's secret, not of the variable's.
    const sign = ['webhooks', 'sign', '--file', 'examples/order.json', '--id', 'evt_1', '--at', '1700000000']
    const [named, plain] = await Promise.all([
      cli.run([...sign, '-P', 'acme'], { env }),
      cli.run(sign, { env: { DLV_WEBHOOK_SECRET: secret('own') } }),
    ])
    expect(named.stdout).toBe(plain.stdout)
  })

  it('is the embedded sandbox for local, with its own key', async () => {
    const { exitCode, stderr } = await person().run(['capabilities', '-P', 'local'], { env: environment() })
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('-P local decides the account; DLV_BASE_URL and DLV_API_KEY are ignored.'),
    ])
    expect(services().flatMap(({ asked }) => asked)).toEqual([])
  })
})

describe('A key and an address', () => {
  it.each<[string, string[], () => NodeJS.ProcessEnv, string | undefined, RegExp]>([
    ['the key of a variable for a profile with one', [], () => ({ DLV_API_KEY: 'k' }), 'acme', /acme.*DLV_API_KEY/s],
    ['the same by DLV_PROFILE', [], () => ({ DLV_PROFILE: 'acme', DLV_API_KEY: 'k' }), undefined, /acme.*DLV_API_KEY/s],
    [
      'two accounts',
      [],
      () => ({ ...environment(), DLV_PROFILE: 'acme' }),
      undefined,
      /DLV_PROFILE \(acme\).*DLV_BASE_URL/s,
    ],
    ['an address alone', [], () => ({ DLV_BASE_URL: urlOf(other) }), 'acme', /DLV_BASE_URL.*without DLV_API_KEY/],
    [
      'another address by flag',
      ['--base-url', 'https://flag.example/delivery/v1'],
      environment,
      undefined,
      /--base-url.*DLV_API_KEY was given with http.*DLV_BASE_URL/s,
    ],
    [
      'another address than the one of the profile that the key is for',
      ['--base-url', 'https://flag.example/delivery/v1'],
      () => ({ DLV_API_KEY: 'k' }),
      'bare',
      /--base-url.*DLV_API_KEY was given with http.*profile bare/s,
    ],
    [
      'a profile and another address',
      ['-P', 'acme', '--base-url', 'https://flag.example/delivery/v1'],
      () => ({}),
      undefined,
      /--base-url \(https:\/\/flag.example.*"acme"/s,
    ],
    ['a profile without a key, a key for elsewhere', ['-P', 'bare'], environment, undefined, /"bare".*DLV_API_KEY/s],
    ['a profile without a key, and none elsewhere', ['-P', 'bare'], () => ({}), undefined, /"bare" has no key/],
  ])('of two sources are refused with both named: %s', async (_name, flags, env, current, said) => {
    const { exitCode, stdout, stderr } = await person(current).run(['capabilities', ...flags], { env: env() })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(said)
    expect(services().flatMap(({ asked }) => asked)).toEqual([])
  })

  it.each<[string, string[], () => NodeJS.ProcessEnv, string | undefined, string[], string[]]>([
    ['a profile', [], () => ({}), 'acme', ['dlvk_sbx_acme'], []],
    ['both variables, before the current profile', [], environment, 'acme', [], ['dlvk_sbx_variable']],
    ['a profile without a key', [], () => ({ DLV_API_KEY: 'k1' }), 'bare', ['k1'], []],
    ['the same by flag', ['-P', 'bare'], () => ({ DLV_API_KEY: 'k2' }), undefined, ['k2'], []],
    ['the same beside its own address', ['-P', 'bare'], () => ({ ...acme?.env }), undefined, ['dlvk_secret'], []],
  ])('of one source are used: %s', async (_name, flags, env, current, atAcme, atOther) => {
    const { exitCode, stderr } = await person(current).run(['capabilities', ...flags], { env: env() })
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(services().map(({ keys }) => keys)).toEqual([atAcme, atOther])
  })

  it('may come by --base-url and DLV_API_KEY, if nothing else names an address for that key', async () => {
    const words = ['capabilities', '--base-url', urlOf(other)]
    const { exitCode } = await person('acme').run(words, { env: { DLV_API_KEY: 'k3' } })
    expect([exitCode, other?.keys]).toEqual([0, ['k3']])
  })
})

describe('An account is production', () => {
  const simulate = ['simulate', 'del_1', '--to', 'delivered']

  it.each<[string, () => NodeJS.ProcessEnv, RegExp | string]>([
    [
      'whose key begins with dlvk_live_',
      () => ({ ...other?.env, DLV_API_KEY: 'dlvk_live_1' }),
      /key of DLV_API_KEY is/,
    ],
    [
      'at an address that nothing is known of',
      () => ({ DLV_BASE_URL: 'https://api.example/delivery/v1', DLV_API_KEY: 'k' }),
      /^api.example is treated as production; if it is a sandbox, set DLV_ENVIRONMENT=sandbox\.$/m,
    ],
    [
      'at the address of a production profile',
      () => ({ DLV_BASE_URL: 'https://live.example/delivery/v1', DLV_API_KEY: 'k', DLV_ENVIRONMENT: 'sandbox' }),
      'production',
    ],
  ])('%s', async (_name, env, said) => {
    const { exitCode, stderr } = await person().run(simulate, { env: env() })
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(said)])
    expect(stderr).toMatch(/works only on a sandbox; http\S+ is production/)
    expect(services().flatMap(({ asked }) => asked)).toEqual([])
  })

  it.each<[string, () => NodeJS.ProcessEnv]>([
    ['loopback', () => other?.env ?? {}],
    ['that of a sandbox profile', () => ({ DLV_BASE_URL: 'https://trial.example/delivery/v1', DLV_API_KEY: 'k' })],
    ['unknown, with DLV_ENVIRONMENT', () => ({ DLV_BASE_URL: 'https://a.example/v1', DLV_ENVIRONMENT: 'sandbox' })],
  ])('unless its address is %s', async (_name, env) => {
    expect(await person().json(['profiles', 'show'], { env: { DLV_API_KEY: 'k', ...env() } })).toMatchObject({
      environment: 'sandbox',
    })
  })

  it.each([
    ['SANDBOX_ONLY', simulate, 3],
    ['livemode: true', ['events', 'list', '--since', '2026-03-01T00:00:00Z'], 0],
  ])('once its key was answered %s, wherever the key comes from afterwards', async (sign, words, code) => {
    const cli = person('acme')
    const first = await cli.run(words)
    expect([first.exitCode, first.stderr]).toEqual([code, expect.stringContaining(`The service answered ${sign}`)])
    const record = join(cli.home, '.config', 'dlv', 'production-keys')
    expect(readFileSync(record, 'utf8')).not.toContain('acme')
    expect(statSync(record).mode & 0o777).toBe(0o600)
    const asked = acme?.asked.length
    for (const env of [{}, { ...other?.env, DLV_API_KEY: 'dlvk_sbx_acme' }]) {
      const { exitCode, stderr } = await cli.run(simulate, { env })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is a production key, so this is production')])
    }
    expect([acme?.asked.length, other?.asked]).toEqual([asked, []])
  })
})

describe('A recommended command', () => {
  const commandsIn = (text: string) => text.match(/\bdlv (?!explain|profiles|-)[a-z][^\n;"]*/g) ?? []

  it('acts on the account that the flags chose: errors, notices, explanations, doctor', async () => {
    const cli = person('live')
    for (const [flags, env] of [
      [['-P', 'acme'], {}],
      [['--base-url', urlOf(other)], { DLV_API_KEY: 'k' }],
    ] as const) {
      let count = 0
      for (const words of [
        ['deliveries', 'get', 'del_missing'],
        ['deliveries', 'get', 'del_missing', '--json'],
        ['explain', 'DELIVERY_NOT_FOUND'],
        ['explain', 'del_1', '--json'],
        ['webhooks', 'log'],
        ['simulate', 'del_1', '--to', 'delivered'],
        ['doctor'],
      ]) {
        const { stdout, stderr } = await cli.run([...words, ...flags], { env: { ...env, DLV_TIMEOUT: '5s' } })
        for (const command of commandsIn(stdout + stderr)) {
          expect(command).toContain(` ${flags.join(' ')}`)
          count++
        }
        expect((await cli.run([...words, '-P', 'local'])).stderr).not.toContain('-P acme')
      }
      expect(count).toBeGreaterThan(3)
    }
    const { stderr } = await cli.run(['deliveries', 'get', 'del_missing', '-P', 'acme'])
    expect(stderr).toMatch(/Next: dlv .* -P acme$/m)
  })

  it('acts on the account and the delivery of an agent', async () => {
    const agent = await connectAgent(person(), ['-P', 'acme'])
    const { data } = await agent.call('delivery_get', { deliveryId: 'del_1' })
    expect(data.why.next.length).toBeGreaterThan(0)
    for (const command of data.why.next) expect(command).toMatch(/ -P acme$/)
    expect(data.why.next.join()).not.toContain('<')
    const missing = await agent.call('delivery_get', { deliveryId: 'del_missing' })
    expect(missing.text).toMatch(/Next: dlv [^"]* -P acme/)
  })
})

it('An account stays the same when its key proves to be a production key, whatever has changed beneath', async () => {
  const cli = person('acme')
  const configDir = join(cli.home, '.config', 'dlv')
  const account = new ResolvedAccount({ flags: {}, env: {}, cwd: cli.home, configDir })
  expect(account.settings).toMatchObject({ profile: 'acme', environment: 'sandbox' })
  await cli.run(['profiles', 'use', 'trial'])
  rememberProductionKey(configDir, 'dlvk_sbx_acme', 'SANDBOX_ONLY')
  account.recheck()
  expect(await account.withKey()).toMatchObject({ profile: 'acme', environment: 'production', apiKey: 'dlvk_sbx_acme' })
})

describe('profiles use and show', () => {
  it('say what overrides the profile', async () => {
    const cli = person('acme')
    const project = join(cli.home, '.dlv.json')
    const said = (by: string) => `${by} overrides profile acme here; -P acme uses it nevertheless.\n`
    for (const words of [
      ['profiles', 'use', 'acme'],
      ['profiles', 'show'],
      ['profiles', 'show', 'acme'],
    ]) {
      expect((await cli.run(words)).stderr).toBe('')
      for (const [env, by] of [
        [environment(), 'DLV_BASE_URL'],
        [{ DLV_PROFILE: 'bare' }, 'DLV_PROFILE (bare)'],
      ] as const)
        expect((await cli.run(words, { env })).stderr).toContain(said(by))
      writeFileSync(project, '{"profile": "bare"}')
      await cli.run(['profiles', 'trust', '--yes'], { cwd: cli.home })
      expect((await cli.run(words, { cwd: cli.home })).stderr).toContain(said(project))
      writeFileSync(project, '{}')
    }
    writeFileSync(project, '{"profile": "bare"}')
    const { stderr } = await cli.run(['profiles', 'show'], { env: environment(), cwd: cli.home })
    expect(stderr).toContain(said('DLV_BASE_URL').replaceAll('acme', 'bare'))
  })
})
