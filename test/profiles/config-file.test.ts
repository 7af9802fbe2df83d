import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'

const fileOf = (cli: Cli) => join(cli.home, '.config', 'dlv', 'config.json')

function withConfig(text: string): Cli {
  const cli = createCli()
  mkdirSync(join(cli.home, '.config', 'dlv'), { recursive: true })
  writeFileSync(fileOf(cli), text, { mode: 0o600 })
  return cli
}

const profile = { environment: 'sandbox', baseUrl: 'http://127.0.0.1:9/delivery/v1', apiKey: 'dlvk_1', keyIn: 'file' }
const add = ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', 'http://127.0.0.1:9', '--api-key-stdin']

describe('A config file', () => {
  it.each([
    ['a list', '[]', 'must hold a JSON object, not an array'],
    ['a string', '"profiles"', 'must hold a JSON object, not a string'],
    ['null', 'null', 'must hold a JSON object, not null'],
    ['not JSON', '{"profiles": {"acme": {"apiKey": "dlvk_live_4f9c2e7a1b"', 'is not valid JSON'],
    ['empty', '', 'is not valid JSON'],
    ['of profiles that are a list', '{"profiles": []}', '"profiles" that are an array'],
    ['of a profile without an environment', '{"profiles": {"acme": {"apiKey": "x"}}}', 'profile "acme"'],
    ['of an address that is a number', JSON.stringify({ profiles: { acme: { ...profile, baseUrl: 5 } } }), '"acme"'],
    ['of a current profile that is a number', '{"current": 1, "profiles": {}}', '"current"'],
  ])('that is %s is refused with its path and never overwritten', async (_name, text, said) => {
    const cli = withConfig(text)
    for (const words of [
      add,
      ['profiles', 'use', 'local'],
      ['profiles', 'remove', 'acme', '--yes'],
      ['profiles', 'list'],
      ['health'],
    ]) {
      const { exitCode, stdout, stderr } = await cli.run(words, { stdin: 'dlvk_sbx_2' })
      expect([words, exitCode, stdout]).toEqual([words, 2, ''])
      expect(stderr).toContain(fileOf(cli))
      expect(stderr).toContain(said)
      expect(stderr).not.toContain('4f9c2e7a1b')
    }
    expect(readFileSync(fileOf(cli), 'utf8')).toBe(text)
  })

  it('keeps what this version does not know', async () => {
    const unknown = { note: 'of another version', profiles: { other: { ...profile, region: 'east' } } }
    const cli = withConfig(JSON.stringify(unknown))
    expect((await cli.run(add, { stdin: 'dlvk_sbx_2' })).exitCode).toBe(0)
    expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toMatchObject(unknown)
  })

  it('that others can read is said, with the command that ends it, and not changed on the quiet', async () => {
    const cli = withConfig(JSON.stringify({ current: 'acme', profiles: { acme: profile } }))
    chmodSync(fileOf(cli), 0o644)
    for (const words of [
      ['profiles', 'list'],
      ['profiles', 'show'],
    ]) {
      const { exitCode, stderr } = await cli.run(words)
      expect(exitCode).toBe(0)
      expect(stderr, words.join(' ')).toContain(`Other users can read ${fileOf(cli)}; run: chmod 600 ${fileOf(cli)}`)
    }
    expect(statSync(fileOf(cli)).mode & 0o777).toBe(0o644)
    chmodSync(fileOf(cli), 0o600)
    expect((await cli.run(['profiles', 'list'])).stderr).toBe('')
  })

  it.each(['0000', '0027', '0777'])('is for its owner only under umask %s, and so is its directory', async (umask) => {
    const cli = createCli()
    const { exitCode, stderr } = await cli.runProcess(add, {
      stdin: 'dlvk_sbx_2',
      through: ['sh', '-c', `umask ${umask}; exec "$@"`, 'sh'],
    })
    expect(exitCode, stderr).toBe(0)
    expect(statSync(fileOf(cli)).mode & 0o777).toBe(0o600)
    expect(statSync(join(cli.home, '.config', 'dlv')).mode & 0o777).toBe(0o700)
  })
})
