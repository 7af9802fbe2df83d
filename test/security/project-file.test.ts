import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type JsonServer, startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { connectAgent } from '../support/mcp/agent.js'

/** The account that a hostile `.dlv.json` chooses, and another one. */
let [live, trial]: JsonServer[] = []
const services = () => [live, trial] as [JsonServer, JsonServer]
const urlOf = (service: JsonServer | undefined) => service?.env.DLV_BASE_URL ?? ''
const asked = () => services().map((service) => service.asked.length)

const delivery = {
  deliveryId: 'del_1',
  clientOrderReference: 'ORDER-1',
  status: 'accepted',
  createdAt: '2026-03-02T15:00:00Z',
  updatedAt: '2026-03-02T15:00:00Z',
}
const answer = (path: string) =>
  JSON.stringify(path.startsWith('/deliveries') ? delivery : { accountType: 'marketplace', capabilities: {} })

beforeAll(async () => {
  ;[live, trial] = await Promise.all([startJsonServer(answer), startJsonServer(answer)])
})
afterAll(() => Promise.all(services().map((service) => service.close())))
beforeEach(() => {
  for (const service of services()) service.asked.length = service.keys.length = 0
})

/** A person who works in a directory that somebody else may have written, with the profile `trial` in use. */
function person() {
  const cli = createCli()
  const configure = (current: string, keyOfTrial = 'k_trial') => {
    const profiles = {
      live: { environment: 'production', baseUrl: urlOf(live), keyIn: 'file', apiKey: 'k_live', webhookSecrets: [] },
      trial: { environment: 'sandbox', baseUrl: urlOf(trial), keyIn: 'file', apiKey: keyOfTrial, webhookSecrets: [] },
    }
    const folder = join(cli.home, '.config', 'dlv')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ current, profiles }), { mode: 0o600 })
  }
  configure('trial')
  const file = join(cli.home, '.dlv.json')
  const project = (content: object, mode = 0o644) => {
    writeFileSync(file, JSON.stringify(content))
    chmodSync(file, mode)
  }
  const run = (words: string[], env: NodeJS.ProcessEnv = {}) => cli.run(words, { cwd: cli.home, env })
  return { cli, configure, file, project, run }
}

describe('A .dlv.json that chooses a profile', () => {
  it('does nothing before somebody trusts it, and is said whenever it counts', async () => {
    const { file, project, run } = person()
    project({ profile: 'live' })
    for (const words of [['capabilities'], ['deliveries', 'cancel', 'ORDER-1', '--yes'], ['profiles', 'show']]) {
      const { exitCode, stdout, stderr } = await run(words)
      expect([exitCode, stdout]).toEqual([2, ''])
      expect(stderr).toContain(`${file} chooses the profile "live", but it is not trusted yet.`)
      expect(stderr).toContain('dlv profiles trust')
    }
    // A key press sends nothing either.
    await run(['__complete', 'deliveries', 'get', ''])
    expect(asked()).toEqual([0, 0])
    expect((await run(['capabilities', '-P', 'trial'])).exitCode).toBe(0)
    expect((await run(['profiles', 'trust'])).exitCode).toBe(2)
    expect((await run(['profiles', 'trust', '--yes'])).stderr).toContain('Chooses the profile live.')
    expect(await run(['capabilities'])).toMatchObject({
      exitCode: 0,
      stderr: `Profile live, chosen by ${file}.\n`,
    })
    expect(asked()).toEqual([1, 1])
    project({ profile: 'live', output: 'json' })
    const changed = await run(['capabilities'])
    expect([changed.exitCode, changed.stderr]).toEqual([2, expect.stringContaining('changed since you trusted it')])
    // The same content elsewhere is another file.
    const below = join(file, '..', 'copy')
    mkdirSync(below)
    writeFileSync(join(below, '.dlv.json'), '{"profile":"live"}')
    expect((await person().cli.run(['capabilities'], { cwd: below })).exitCode).toBe(2)
    expect(asked()).toEqual([1, 1])
  })

  it('is trusted by an answer on a terminal, which names where it sends webhooks', async () => {
    const { cli, file, project } = person()
    project({
      profile: 'trial',
      routes: { '*': 'https://user:word@elsewhere.example/hook?key=1', 'driver.*': 'http://127.0.0.1:1/' },
    })
    const running = cli.startAsking(['profiles', 'trust'], { cwd: cli.home, columns: 200 })
    await running.shows(`Trust ${file}?`)
    running.type('y\r')
    const { exitCode, stdout } = await running.ended
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Forwards every event to https://elsewhere.example/hook, another machine.')
    expect(stdout).toContain('Forwards driver.* to http://127.0.0.1:1/.')
    expect(stdout).not.toContain('word')
  })

  it.each([
    { profile: 'trial\u001b[2K\nChooses nothing' },
    { routes: { 'driver.*\u001b[1A\u001b[2K\rChooses the output format json.': 'http://127.0.0.1:1/' } },
    { output: 'json\u001b[8m' },
  ])('is refused if what it would be trusted for cannot be shown: %j', async (settings) => {
    const { project, run } = person()
    project(settings)
    const { exitCode, stdout, stderr } = await run(['profiles', 'trust', '--yes'])
    expect(exitCode).toBe(2)
    expect(stdout + stderr).not.toMatch(/\u001b|\r/)
  })

  it('sets no output format before somebody trusts it', async () => {
    const { file, project, run } = person()
    project({ output: 'json' })
    const { exitCode, stdout, stderr } = await run(['capabilities'])
    expect([exitCode, stdout.includes('{'), stderr]).toEqual([
      0,
      false,
      `warning: ${file} sets the output format, but it is not trusted yet: dlv profiles trust\n`,
    ])
    await run(['profiles', 'trust', '--yes'])
    expect(JSON.parse((await run(['capabilities'])).stdout)).toMatchObject({ accountType: 'marketplace' })
  })

  it.each([
    '{',
    '[]',
    '{"apiKey":"k_live"}',
    '{"profile":"\\u001b[2K"}',
    '{"output":7}',
    'x'.repeat(100_000),
  ])('ends no command if it is malformed and nobody has trusted it: %#', async (text) => {
    const { file, run, project } = person()
    writeFileSync(file, text)
    for (const words of [['capabilities'], ['profiles', 'list'], ['profiles', 'use', 'trial'], ['explain', '422']])
      expect(await run(words), words.join(' ')).toMatchObject({ exitCode: 0 })
    const { stderr } = await run(['capabilities'])
    expect([stderr.startsWith(`warning: ${file}`), stderr.includes('ignored')]).toEqual([true, true])
    expect((await run(['profiles', 'trust', '--yes'])).exitCode).toBe(2)
    // One that was trusted is not passed over: without it, another account would be used.
    project({ profile: 'live' })
    await run(['profiles', 'trust', '--yes'])
    writeFileSync(file, '{')
    expect((await run(['capabilities'])).exitCode).toBe(2)
  })

  it('ends no command if it is a link to itself', async () => {
    const { file, run } = person()
    symlinkSync(file, file)
    expect((await run(['capabilities'])).exitCode).toBe(0)
  })

  it.each<[string, number, number | undefined]>([
    ['anyone may write it', 0o666, undefined],
    ...(process.getuid?.() === 0 ? [['it belongs to another user', 0o644, 12_345] as [string, number, number]] : []),
  ])('is never read if %s, not even when it was trusted', async (why, mode, uid) => {
    const { file, project, run } = person()
    project({ profile: 'live', output: 'json' })
    await run(['profiles', 'trust', '--yes'])
    project({ profile: 'live', output: 'json' }, mode)
    if (uid !== undefined) chownSync(file, uid, uid)
    const { exitCode, stdout, stderr } = await run(['capabilities'])
    expect([exitCode, stderr]).toEqual([0, `warning: ${file} is ignored: ${why}.\n`])
    expect([stdout.includes('{'), asked()]).toEqual([false, [0, 1]])
  })
})

describe('Routes of a .dlv.json', () => {
  it('receive nothing before somebody trusts it; the listener and the page name them', async () => {
    const { cli, file, project, run } = person()
    project({ routes: { '*': 'https://elsewhere.example/hook' } })
    const local = ['--port', '0', '-P', 'local']
    for (const words of [
      ['webhooks', 'listen', ...local],
      ['ui', ...local],
    ]) {
      const { exitCode, stderr } = await run(words)
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('forwards webhooks to https://elsewhere.example/hook'),
      ])
    }
    await run(['profiles', 'trust', '--yes'])
    for (const words of [
      ['webhooks', 'listen', ...local],
      ['ui', ...local],
    ]) {
      const running = cli.start([...words, '-o', 'ndjson'], { cwd: cli.home })
      await running.line((line) => line.includes('ready'))
      const { stderr } = await running.kill()
      expect(stderr).toContain(`Forwarding to https://elsewhere.example/hook, as ${file} says.`)
    }
  })
})

describe('The account of dlv mcp', () => {
  it.each<[string, (at: ReturnType<typeof person>) => Promise<unknown> | unknown, string]>([
    [
      'a .dlv.json that the agent writes',
      async ({ cli, project }) => {
        project({ profile: 'live' })
        await cli.run(['profiles', 'trust', '--yes'], { cwd: cli.home })
      },
      'profile live (production, ',
    ],
    ['profiles use in another terminal', ({ configure }) => configure('live'), 'profile live (production, '],
    ['another key of its profile', ({ configure }) => configure('trial', 'k_other'), 'has another key now'],
  ])('stays the one that it started with: %s is refused with both named', async (_name, change, said) => {
    const at = person()
    const agent = await connectAgent(at.cli, ['--allow-writes'], { cwd: at.cli.home })
    const first = await agent.call('delivery_cancel', { deliveryId: 'del_1' })
    const { token } = first.data.confirmation as { token: string }
    await change(at)
    const { isError, text } = await agent.call('delivery_cancel', { deliveryId: 'del_1', confirm: token })
    expect(isError).toBe(true)
    expect(text).toContain('The account changed since dlv mcp started')
    expect(text).toContain(`profile trial (sandbox, ${urlOf(trial)})`)
    expect(text).toContain(said)
    expect(services().flatMap((service) => service.asked.filter((path) => path.endsWith('/cancel')))).toEqual([])
    expect(live?.asked).toEqual([])
  })

  it('holds its key: tools send it where it is stored in the profile', async () => {
    const { cli } = person()
    const agent = await connectAgent(cli)
    await agent.call('whoami')
    await agent.call('delivery_get', { deliveryId: 'del_1' })
    await agent.call('webhook_gaps')
    await agent.call('report')
    expect(trial?.asked.length).toBeGreaterThan(3)
    expect(
      new Set(trial?.asked.flatMap((path, at) => (/^\/(?:health|_sandbox)/.test(path) ? [] : [trial?.keys[at]]))),
    ).toEqual(new Set(['k_trial']))
  })
})
