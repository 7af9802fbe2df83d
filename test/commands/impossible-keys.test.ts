import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { newSecret, parseSecret, signatureHeaders } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startScriptedServer } from '../support/client/scripted-server.js'
import { otherThanSecrets, pastedTexts } from '../support/impossible-keys.js'
import { vectorSecret } from '../support/webhooks/verdict-vectors.js'

const cli = createCli(afterAll)
const nowhere = 'http://127.0.0.1:9/'

function file(name: string, content: string): string {
  const path = join(cli.home, name)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}

const body = file('body.json', '{}')
const atItsTime = ['--at', '1772463600']
const signed = (secret: Parameters<typeof signatureHeaders>[0]['secrets']) =>
  Object.entries(
    signatureHeaders({ secrets: secret, id: 'evt_1', timestampSeconds: 1_772_463_600, body: '{}' }),
  ).flatMap(([name, value]) => ['--header', `${name}: ${value}`])

/** Commands that verify or sign, each with a secret of `DLV_WEBHOOK_SECRET` or `--secret-file`. */
const commands: [string, string[]][] = [
  ['webhooks verify', ['--file', body, ...signed(newSecret()), ...atItsTime]],
  ['webhooks sign', ['--file', body, '--id', 'evt_1']],
  ['webhooks send', ['delivery.failed', '--to', nowhere]],
  ['webhooks test', ['--to', nowhere]],
  ['webhooks listen', ['--port', '0', '--expect', 'delivery.failed', '--within', '10ms']],
  ['sandbox play', ['ordinary-day', '--target', nowhere]],
]

describe('A secret that cannot be one is refused', () => {
  it.each(commands)('by %s, from a variable and from a file, without being shown', async (command, words) => {
    for (const [text, word] of [...pastedTexts, ...otherThanSecrets]) {
      const called = command.split(' ')
      const runs = [
        await cli.run([...called, ...words], { env: { DLV_WEBHOOK_SECRET: text } }),
        await cli.run([...called, ...words, '--secret-file', file('bad.txt', `${text}\n`)]),
      ]
      const said = [new RegExp(/\s/.test(text) ? 'DLV_WEBHOOK_SECRET' : word), new RegExp(word)]
      for (const [at, { exitCode, stderr }] of runs.entries()) {
        expect([text, exitCode]).toEqual([text, 2])
        expect(stderr).toMatch(said[at] as RegExp)
        expect(stderr).toContain(at === 0 ? 'DLV_WEBHOOK_SECRET' : 'bad.txt')
        if (text.length > 8) expect(stderr).not.toContain(text)
      }
    }
  })

  it('also beside a good one in a list, by its number', async () => {
    for (const list of [
      `${vectorSecret},v1`,
      `${vectorSecret} v1,${newSecret()}`,
      `${newSecret()}, "${vectorSecret}"`,
    ]) {
      const { exitCode, stderr } = await cli.run(['webhooks', 'sign', '--file', body, '--id', 'evt_1'], {
        env: { DLV_WEBHOOK_SECRET: list },
      })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('DLV_WEBHOOK_SECRET 2')])
    }
    const { exitCode, stderr } = await cli.run(['webhooks', 'sign', '--file', body, '--id', 'evt_1'], {
      env: { DLV_WEBHOOK_SECRET: ',' },
    })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('empty')])
  })

  it('by profiles and the sandbox, and doctor calls it a problem', async () => {
    const bad = file('short.txt', 'whsec_AQ==')
    const added = await cli.run(['profiles', 'add', 'shop', '-e', 'sandbox', '--base-url', nowhere, '--no-api-key'])
    expect(added.exitCode).toBe(0)
    for (const words of [
      ['profiles', 'secrets', 'add', 'shop', bad],
      ['profiles', 'add', 'shop', '--webhook-secret-file', bad],
      ['sandbox', 'endpoints', 'add', nowhere, '--secret-file', bad],
    ]) {
      const { exitCode, stderr } = await cli.run(words)
      expect([words, exitCode, stderr]).toEqual([words, 2, expect.stringContaining('1 byte;')])
    }
    const piped = await cli.run(['profiles', 'secrets', 'add', 'shop', '-'], { stdin: `v1,${vectorSecret}` })
    expect([piped.exitCode, piped.stderr]).toEqual([2, expect.stringContaining('like a signature')])
    const { stdout, stderr } = await cli.run(['doctor'], {
      env: { DLV_BASE_URL: nowhere, DLV_API_KEY: 'dlvk_sbx_none', DLV_WEBHOOK_SECRET: `v1,${vectorSecret}` },
    })
    expect(stdout, stderr).toMatch(/webhook secrets.*DLV_WEBHOOK_SECRET.*like a signature/)
  })

  it('unless a test asks for a weak one, which no list lets one count back', async () => {
    const weak = file('weak.txt', 'whsec_AQ==')
    const flags = ['--secret-file', weak, '--allow-weak-secret']
    const headers = signed(parseSecret('whsec_AQ==', { allowWeak: true }))
    const verified = await cli.run(['webhooks', 'verify', '--file', body, ...headers, ...atItsTime, ...flags])
    expect([verified.exitCode, verified.stderr]).toEqual([0, expect.stringContaining('the key has 1 byte')])
    const stored = await cli.run(['profiles', 'secrets', 'add', 'shop', weak, '--allow-weak-secret'])
    expect(stored.exitCode).toBe(0)
    const list = await cli.run(['profiles', 'secrets', 'list', 'shop', '--json'])
    expect(JSON.parse(list.stdout)).toMatchObject([{ name: 'weak.txt', fingerprint: 'weak' }])
    expect((await cli.run(['profiles', 'secrets', 'add', 'shop', weak, '--allow-weak-secret'])).stderr).toContain(
      'already',
    )
    expect((await cli.run(['webhooks', 'sign', '-P', 'shop', '--file', body, '--id', 'evt_1'])).exitCode).toBe(0)
    const removed = await cli.run(['profiles', 'secrets', 'remove', 'shop', 'weak.txt', '--yes'])
    expect([removed.exitCode, removed.stderr]).toEqual([0, expect.stringContaining('weak.txt removed')])
  })
})

describe('An API key that cannot be one is refused before anything is sent', () => {
  const keys = [...pastedTexts.filter(([text]) => !/whsec_[MR]/.test(text)), [vectorSecret, 'webhook secret'] as const]

  it('from a variable, a prompt, a file and the profile, and is not shown', async () => {
    const server = await startScriptedServer()
    afterAll(() => server.close())
    for (const [text, word] of keys) {
      const env = { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: text }
      const add = ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', server.baseUrl]
      const runs = {
        DLV_API_KEY: await cli.run(['deliveries', 'list'], { env }),
        'standard input': await cli.run([...add, '--api-key-stdin'], { stdin: `${text}\n` }),
        'key.txt': await cli.run([...add, '--api-key-file', file('key.txt', text)]),
      }
      for (const [source, { exitCode, stderr }] of Object.entries(runs)) {
        expect([text, source, exitCode, stderr]).toEqual([text, source, 2, expect.stringContaining(word)])
        expect(stderr).toContain(source)
        if (text.length > 8) expect(stderr).not.toContain(text)
      }
    }
    const config = join(cli.home, 'config.json')
    const profile = { environment: 'sandbox', baseUrl: server.baseUrl, keyIn: 'file', apiKey: '"dlvk_sbx_marketplace"' }
    writeFileSync(config, JSON.stringify({ profiles: { acme: profile } }), { mode: 0o600 })
    const listed = await cli.run(['deliveries', 'list', '-P', 'acme'], { env: { DLV_CONFIG_DIR: cli.home } })
    expect([listed.exitCode, listed.stderr]).toEqual([2, expect.stringContaining('profile acme')])
    expect(readFileSync(config, 'utf8')).toContain('marketplace')
    expect(server.requests).toEqual([])
  })
})
