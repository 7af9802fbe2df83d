import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'

const to = ['--to', 'http://127.0.0.1:9/']

describe('a file that a flag names', () => {
  const cli = createCli(afterAll)
  const cwd = join(cli.home, 'work')
  mkdirSync(join(cwd, 'full'), { recursive: true })
  writeFileSync(join(cwd, 'order.json'), '{}')
  const run = async (words: readonly string[]) => {
    const { exitCode, stderr } = await cli.run(words, { cwd, env: { DLV_OUTPUT: 'json' } })
    return { exitCode, ...JSON.parse(stderr).error }
  }

  it.each([
    [['deliveries', 'create', '--file']],
    [['deliveries', 'update', 'del_1', '--file']],
    [['deliveries', 'cancel', '--file']],
    [['deliveries', 'results', '--results']],
    [['quotes', 'create', '--file']],
    [['installations', 'check', '--file']],
    [['sandbox', 'faults', '--file']],
    [['sandbox', 'play']],
    [['api', 'POST', '/deliveries', '--input']],
    [['profiles', 'add', 'x', '--environment', 'sandbox', '--api-key-file']],
    [['report', '--promise']],
    [['drift', '--har']],
    [['drift', '--baseline']],
    [['webhooks', 'verify', '--file']],
    [['webhooks', 'verify', '--request']],
    [['webhooks', 'send', 'delivery.accepted', ...to, '--secret-file']],
    [['webhooks', 'listen', '--port', '0', '--secret-file']],
    [['webhooks', 'listen', '--port', '0', '--tls-key', 'order.json', '--tls-cert']],
    [['webhooks', 'log', '--journal']],
    [['webhooks', 'resend', 'evt_1', ...to, '--journal']],
  ])('and that does not exist ends %j with where its path starts', async (words) => {
    const { exitCode, message, hint } = await run([...words, './absent.yaml'])
    expect([exitCode, message]).toEqual([
      2,
      expect.stringMatching(/^(--[a-z-]+|SCENARIO) \.\/absent\.yaml cannot be read: no such file or directory\.$/),
    ])
    expect(hint).toContain(`Check the path, which starts from ${cwd}.`)
  })

  it.each([
    ['beside a similar one', ['quotes', 'create', '--file', 'orders.json'], 'Did you mean order.json?'],
    ['in a place of its own', ['quotes', 'create', '--file', '/absent/x.json'], 'Check the path.'],
    ['that is a directory', ['quotes', 'create', '--file', 'full'], 'Name a file in it.'],
    ['to write in no directory', ['report', '--html', 'no/x.html'], 'Create the directory no first.'],
    ['to write that is a directory', ['drift', '--junit', 'full'], 'Name a file in it.'],
    ['below a file', ['report', '--html', 'order.json/x.html'], 'Name another file.'],
  ])('%s is an error that says what to do', async (_, words, hint) => {
    expect(await run(words)).toMatchObject({ exitCode: 2, hint })
  })
})
