import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { testOrder } from '../support/orders.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()

async function withProfiles(...names: string[]): Promise<Cli> {
  const cli = createCli()
  for (const name of names) {
    const flags = ['-e', 'sandbox', '--base-url', sandbox.running.baseUrl, '--api-key-stdin']
    await cli.run(['profiles', 'add', name, ...flags], { stdin: sandbox.running.apiKey })
  }
  return cli
}

const currentOf = async (cli: Cli) => {
  const rows = await cli.json<{ name: string; current: boolean }[]>(['profiles', 'list'])
  return rows.filter(({ current }) => current).map(({ name }) => name)
}

describe('The current profile', () => {
  it('is the first one added, which is said; the next one is not', async () => {
    const cli = await withProfiles('acme')
    const flags = ['-e', 'sandbox', '--base-url', sandbox.running.baseUrl, '--api-key-stdin']
    const { stderr } = await cli.run(['profiles', 'add', 'other', ...flags], { stdin: sandbox.running.apiKey })
    expect(stderr).toContain('dlv profiles use other')
    expect(await currentOf(cli)).toEqual(['acme'])
  })

  it('stays what it is when another one is removed, which is said', async () => {
    const cli = await withProfiles('acme', 'other')
    const { exitCode, stderr } = await cli.run(['profiles', 'remove', 'other', '--yes'])
    expect([exitCode, stderr]).toEqual([0, 'Profile other removed.\nThe current profile is acme.\n'])
  })

  it('once removed is not replaced by the embedded sandbox: the next command asks for a choice', async () => {
    const cli = await withProfiles('acme', 'other')
    const { exitCode, stderr } = await cli.run(['profiles', 'remove', 'acme', '--yes'])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('There is no current profile now')
    expect(await currentOf(cli)).toEqual([])
    for (const words of [['deliveries', 'list'], ['health'], ['profiles', 'show'], ['sandbox', 'status']]) {
      const ended = await cli.run(words)
      expect([words, ended.exitCode, ended.stdout]).toEqual([words, 2, ''])
      expect(ended.stderr).toContain('dlv profiles use NAME: other, local')
    }
    const file = readFileSync(join(cli.home, '.config', 'dlv', 'config.json'), 'utf8')
    expect(file).not.toContain('acme')
  })

  it.each([
    ['-P', ['-P', 'other'], {}],
    ['-P local', ['-P', 'local'], {}],
    ['DLV_PROFILE', [], { DLV_PROFILE: 'other' }],
  ])('once removed may be replaced for one command with %s', async (_name, flags, env) => {
    const cli = await withProfiles('acme', 'other')
    await cli.run(['profiles', 'remove', 'acme', '--yes'])
    expect((await cli.run(['capabilities', ...flags], { env })).exitCode).toBe(0)
    expect((await cli.run(['capabilities'], { env: sandbox.env() })).exitCode).toBe(0)
  })

  it('once removed stays open until one is chosen, also when another is added', async () => {
    const cli = await withProfiles('acme')
    await cli.run(['profiles', 'remove', 'acme', '--yes'])
    const flags = ['-e', 'sandbox', '--base-url', sandbox.running.baseUrl, '--api-key-stdin']
    await cli.run(['profiles', 'add', 'acme', ...flags], { stdin: sandbox.running.apiKey })
    expect((await cli.run(['capabilities'])).exitCode).toBe(2)
    await cli.run(['profiles', 'use', 'acme'])
    expect((await cli.run(['capabilities'])).exitCode).toBe(0)
    expect(await currentOf(cli)).toEqual(['acme'])
  })

  it('is not taken in place of an account, an address or a reference that a script left empty', async () => {
    const cli = await withProfiles('acme')
    const file = join(cli.home, 'order.json')
    writeFileSync(file, JSON.stringify(testOrder('EMPTY-1')))
    const order = ['deliveries', 'create', '--file', file]
    const ways: [words: string[], env: NodeJS.ProcessEnv, name: string][] = [
      [['-P', ''], {}, '--profile'],
      [['--profile=\u00a0'], {}, '--profile'],
      [['--base-url', ''], {}, '--base-url'],
      [['--to', ''], {}, '--to'],
      [['--ref', ' '], {}, '--ref'],
      [['--store='], {}, '--store'],
      [[], { DLV_PROFILE: '' }, 'DLV_PROFILE'],
      [[], { DLV_BASE_URL: ' ' }, 'DLV_BASE_URL'],
      [['-P', ',acme'], {}, '",acme"'],
    ]
    for (const [words, env, name] of ways) {
      const { exitCode, stderr } = await cli.run([...order, ...words], { env })
      expect([exitCode, stderr], name).toEqual([
        2,
        expect.stringMatching(new RegExp(`${name}.* empty|empty in ${name}`)),
      ])
    }
    expect((await cli.run(['deliveries', 'list', '-q'])).stdout).toBe('')
    // A named profile needs no variable, and without any the embedded sandbox would look like success.
    expect((await cli.run(['health', '-P', 'acme'], { env: { DLV_PROFILE: '' } })).exitCode).toBe(0)
    const fresh = await createCli().run(['health'], { env: { DLV_API_KEY: '' } })
    expect([fresh.exitCode, fresh.stderr]).toEqual([2, expect.stringContaining('DLV_API_KEY is empty')])
    const verify = ['webhooks', 'verify', '--file', file]
    const unset = await createCli().run(verify, { env: { DLV_WEBHOOK_SECRET: '' } })
    expect([unset.exitCode, unset.stderr]).toEqual([2, expect.stringContaining('DLV_WEBHOOK_SECRET is empty')])
    const named = await createCli().run([...verify, '-P', 'local'], { env: { DLV_WEBHOOK_SECRET: '' } })
    expect([named.exitCode, named.stderr]).toEqual([9, expect.stringContaining('missing_header')])
  })
})
