import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
const base = () => ['--base-url', sandbox.running.baseUrl]
const add = (name: string, ...more: string[]) => ['profiles', 'add', name, ...base(), ...more]
const stdin = (key: string) => ({ stdin: `${key}\n` })
const stored = (cli: Cli) => JSON.parse(readFileSync(join(cli.home, '.config', 'dlv', 'config.json'), 'utf8'))

describe('The environment of a new profile', () => {
  it('has to be named without a terminal', async () => {
    for (const [words, options] of [
      [add('acme'), {}],
      [add('acme', '--api-key-stdin'), stdin('dlvk_sbx_1234')],
    ] as const) {
      const cli = createCli()
      const { exitCode, stdout, stderr } = await cli.run(words, options)
      expect([exitCode, stdout]).toEqual([2, ''])
      expect(stderr).toContain('--environment')
      expect(() => stored(cli)).toThrow()
    }
  })

  it('is asked for on a terminal, before the address and the key', async () => {
    const cli = createCli()
    const running = cli.startAsking(['profiles', 'add', 'acme'])
    await running.shows('Environment (local, sandbox, production):')
    running.type('sandbox\r')
    await running.shows('Base URL:')
    running.type(`${sandbox.running.baseUrl}\r`)
    await running.shows('API key')
    running.type(`${sandbox.running.apiKey}\r`)
    const { exitCode, stdout } = await running.ended
    expect(exitCode, stdout).toBe(0)
    expect(stored(cli).profiles.acme).toMatchObject({ environment: 'sandbox', baseUrl: sandbox.running.baseUrl })
  })

  it.each([
    ['without the flag', [], 'the profile is production.'],
    ['against the flag', ['--environment', 'sandbox'], 'the profile is production, not sandbox.'],
  ])('is production for a key of production, and says so: %s', async (_name, flags, said) => {
    const cli = createCli()
    const { exitCode, stderr } = await cli.run(add('acme', '--api-key-stdin', ...flags), stdin('dlvk_live_demo'))
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`The key starts with dlvk_live_, so ${said}`)
    expect(stored(cli).profiles.acme.environment).toBe('production')
  })

  it('is not local for a service on another machine', async () => {
    const words = ['profiles', 'add', 'acme', '-e', 'local', '--base-url', 'https://api.example/delivery/v1']
    const { exitCode, stderr } = await createCli().run([...words, '--api-key-stdin'], stdin('dlvk_sbx_1234'))
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('https://api.example/delivery/v1 is not on this machine'),
    ])
  })

  it('may come without a key, which DLV_API_KEY then gives', async () => {
    const cli = createCli()
    const { exitCode } = await cli.run(add('acme', '-e', 'sandbox', '--no-api-key', '--use'))
    expect([exitCode, stored(cli).profiles.acme.keyIn]).toEqual([0, undefined])
    expect((await cli.run(['capabilities'])).exitCode).toBe(2)
    const env = { DLV_API_KEY: sandbox.running.apiKey }
    expect((await cli.run(['capabilities'], { env })).exitCode).toBe(0)
  })

  it('stays what it was when only a secret is added', async () => {
    const cli = createCli()
    await cli.run(add('acme', '-e', 'production', '--api-key-stdin'), stdin('dlvk_sbx_1234'))
    const secret = join(cli.home, 'secret.txt')
    writeFileSync(secret, `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`, {
      mode: 0o600,
    })
    const { exitCode, stderr } = await cli.run(['profiles', 'add', 'acme', '--webhook-secret-file', secret])
    expect([exitCode, stderr]).toEqual([0, 'acme is the current profile.\n'])
    expect(stored(cli).profiles.acme.environment).toBe('production')
  })
})

describe('A new key is tested', () => {
  const addSandbox = (name: string) => add(name, '--environment', 'sandbox', '--api-key-stdin')

  it('with one request, and what it may do is said', async () => {
    const cli = createCli()
    const { running } = sandbox
    const before = await requestCount(cli)
    const { exitCode, stderr } = await cli.run(addSandbox('acme'), stdin(running.apiKey))
    expect(exitCode).toBe(0)
    expect(stderr).toContain('The key works: marketplace account')
    expect((await requestCount(cli)) - before).toBe(1)
  })

  it('and kept if the service refuses it', async () => {
    const cli = createCli()
    const { exitCode, stderr } = await cli.run(addSandbox('acme'), stdin('dlvk_sbx_revoked'))
    expect(exitCode).toBe(0)
    expect(stderr).toContain(
      'The service refused the key (UNAUTHORIZED, HTTP 401).\nThe profile is saved. Test it again',
    )
    expect(stored(cli).profiles.acme.apiKey).toBe('dlvk_sbx_revoked')
  })

  it('and kept if nothing answers', async () => {
    const cli = createCli()
    const words = ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', 'http://127.0.0.1:9', '--api-key-stdin']
    const { exitCode, stderr } = await cli.run(words, stdin('dlvk_sbx_1234'))
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/Cannot test the key: .*127\.0\.0\.1:9.*dlv doctor -P acme/s)
    expect(stored(cli).profiles.acme.apiKey).toBe('dlvk_sbx_1234')
  })

  async function requestCount(cli: Cli): Promise<number> {
    const log = await cli.json<{ path: string }[]>(['sandbox', 'requests'], { env: sandbox.env() })
    return log.filter(({ path }) => path.endsWith('/capabilities')).length
  }
})

describe('A file with a key that others can read', () => {
  it('is said with the command that ends it, for keys and for signing secrets', async () => {
    const cli = createCli()
    const fileOf = (name: string, text: string) => {
      const file = join(cli.home, name)
      writeFileSync(file, text)
      chmodSync(file, 0o644)
      return file
    }
    const keyFile = fileOf('my key.txt', sandbox.running.apiKey)
    const secretFile = fileOf('secret.txt', sandbox.running.webhookSecret)
    const flags = ['-e', 'sandbox', '--api-key-file', keyFile, '--webhook-secret-file', secretFile]
    const { exitCode, stderr } = await cli.run(add('acme', ...flags))
    expect(exitCode).toBe(0)
    expect(stderr).toContain(`Other users can read ${keyFile}; run: chmod 600 '${keyFile}'`)
    expect(stderr).toContain(`Other users can read ${secretFile}; run: chmod 600 ${secretFile}`)
    chmodSync(keyFile, 0o600)
    const quiet = await cli.run(add('acme', '--api-key-file', keyFile))
    expect(quiet.stderr).not.toContain('Other users')
  })
})
