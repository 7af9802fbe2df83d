import { afterAll, describe, expect, it } from 'vitest'
import { moveLeadingFlags } from '../../../src/cli/program/leading-flags.js'
import { createCli } from '../../support/cli/program.js'

describe('global flags before the command', () => {
  const cli = createCli(afterAll)

  it.each([
    [
      ['--json', 'health'],
      ['health', '--json'],
    ],
    [
      ['-P', 'prod', 'deliveries', 'get', 'del_1'],
      ['deliveries', 'get', 'del_1', '-P', 'prod'],
    ],
    [
      ['-Pprod', '-o=json', 'deliveries', 'get', '-'],
      ['deliveries', 'get', '-Pprod', '-o=json', '-'],
    ],
    [
      ['--jq', '.[0]', '--no-color', 'api', 'GET', '/health', '--', '-x'],
      ['api', 'GET', '/health', '--jq', '.[0]', '--no-color', '--', '-x'],
    ],
    [
      ['--timeout=5s', 'deliveries', 'list', '--limit', '5'],
      ['deliveries', 'list', '--timeout=5s', '--limit', '5'],
    ],
  ])('%j is read as %j', (typed, read) => expect(moveLeadingFlags(typed)).toEqual(read))

  it('reach the command', async () => {
    const before = await cli.run(['--jq', '.status', '--no-input', 'health'])
    expect(before).toMatchObject({ exitCode: 0, stdout: 'healthy\n' })
    const profile = await cli.run(['-P', 'nowhere', 'health'])
    expect(profile.exitCode).toBe(2)
    expect(profile.stderr).toContain('nowhere')
  })

  it.each([
    [['--json', 'health', '--help'], '$ dlv health'],
    [['--help', 'health'], '$ dlv health'],
    [['-h', 'deliveries'], '$ dlv deliveries COMMAND'],
    [['--json', '--help'], 'START HERE'],
  ])('%j shows help', async (words, shown) => {
    const { exitCode, stdout } = await cli.run(words)
    expect(exitCode).toBe(0)
    expect(stdout).toContain(shown)
  })

  it.each([
    [['-v'], 'Unknown flag: -v.', 'Did you mean --version or --verbose?'],
    [['--versoin'], 'Unknown flag before the command: --versoin.', 'Did you mean --version?'],
    [['--limit=5', 'deliveries', 'list'], 'Unknown flag before the command: --limit.', undefined],
    [['--json'], 'No command given.', 'dlv --help lists all commands.'],
  ])('%j is refused: %s', async (words, message, hint) => {
    const { exitCode, stderr } = await cli.run(words, { env: { DLV_OUTPUT: 'json' } })
    expect(exitCode).toBe(2)
    const { error } = JSON.parse(stderr)
    expect(error.message).toBe(message)
    if (hint !== undefined) expect(error.hint).toBe(hint)
  })
})
