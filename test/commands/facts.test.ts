import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silenceSqliteWarning } from '../../src/cli/process/warnings.js'
import { createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const secret = 'dlvk_live_typed_by_mistake'

/** What the parts that the program stands on do by themselves, and must not do to its users. */
describe('the program', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  let id = ''

  beforeAll(async () => {
    const create = ['deliveries', 'create', '--file', 'examples/order.json']
    id = (await cli.json<{ deliveryId: string }>(create, { env: sandbox.env() })).deliveryId
  })

  it.each([
    ['--json', ['--json'], {}],
    ['-o json', ['-o', 'json'], {}],
    ['--output=ndjson', ['--output=ndjson'], {}],
    ['DLV_OUTPUT', [], { DLV_OUTPUT: 'json' }],
  ])('tells a usage error with %s as one object, without the line that was typed', async (_name, words, env) => {
    for (const wrong of [`--api-key=${secret}`, '--limit=many', '--timeout=soon']) {
      const { exitCode, stdout, stderr } = await cli.run(['deliveries', 'list', wrong, ...words], {
        env: { ...sandbox.env(), ...env },
      })
      expect(stdout).toBe('')
      expect(Object.keys(JSON.parse(stderr))).toEqual(['error'])
      expect(JSON.parse(stderr).error).toMatchObject({ code: 'USAGE', status: null, exitCode: 2 })
      expect(stderr).not.toContain(secret)
      expect(exitCode).toBe(2)
    }
  })

  it('writes TSV wherever it goes, and no CSV of what jq made', async () => {
    const { stdout } = await cli.run(['deliveries', 'list', '-o', 'tsv', '--columns', 'deliveryId,status'], {
      env: sandbox.env(),
    })
    expect(stdout.split('\n').slice(0, 2)).toEqual(['deliveryId\tstatus', `${id}\taccepted`])
    const refused = await cli.run(['deliveries', 'list', '-o', 'csv', '--jq', '.'], { env: sandbox.env() })
    expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('| @csv') })
  })

  it('explains a delivery by its status, with commands about it', async () => {
    const found = await cli.json<{ code: string; next: string[] }>(['explain', id], { env: sandbox.env() })
    expect(found.code).toBe('accepted')
    expect(found.next).toContain(`dlv deliveries watch ${id}`)
    const unknown = await cli.run(['explain', 'ORDER-404'], { env: sandbox.env() })
    expect(unknown).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('"ORDER-404"') })
    const noId = await cli.run(['explain', 'del_nope'], { env: sandbox.env() })
    expect(noId).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('No delivery "del_nope" exists') })
  })

  it('suggests the path that was meant', async () => {
    const { stderr, exitCode } = await cli.run(['api', 'GET', '/installatons/FTBRAGG'], { env: sandbox.env() })
    expect({ stderr, exitCode }).toEqual({ stderr: 'Did you mean "/installations/FTBRAGG"?\n', exitCode: 4 })
  })

  it('leaves standard input to the loop that it runs in', async () => {
    const loop = "printf 'one\\ntwo\\n' | while read -r each; do echo $each; dlv explain --jq 'length > 50'; done"
    const { stdout, exitCode } = await cli.shell(loop)
    expect(exitCode).toBe(0)
    expect(stdout).toBe('one\ntrue\ntwo\ntrue\n')
  })

  it('reads ids from standard input however long they take', async () => {
    const { stdout, exitCode } = await cli.shell(`(sleep 0.3; echo ${id}) | dlv deliveries get - -q`, {
      env: sandbox.env(),
    })
    expect(exitCode).toBe(0)
    expect(stdout).toBe(`${id}\n`)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends a watch on %s with %i, and with what it saw', async (signal, expected) => {
    const running = cli.startProcess(['deliveries', 'watch', id, '--interval', '200ms', '--verbose'], {
      env: sandbox.env(),
    })
    await running.hasPrinted('/events?')
    const { deliveryId } = await cli.json<{ deliveryId: string }>(
      ['deliveries', 'create', '--file', 'examples/order.json', '--ref', signal],
      { env: sandbox.env() },
    )
    const chosen = ['--since', '1h', '--delivery', deliveryId, '--type', 'accepted']
    const tail = cli.startProcess(['events', 'tail', ...chosen, '-o', 'ndjson'], { env: sandbox.env() })
    expect(JSON.parse(await tail.line(() => true))).toMatchObject({ deliveryId, eventType: 'delivery.accepted' })
    const ended = await Promise.all([running.kill(signal), tail.kill(signal)])
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([expected, expected])
    expect(ended[1]?.stderr).toBe('')
  })

  it('follows a delivery by its events and reads it once', async () => {
    const { deliveryId } = await cli.json<{ deliveryId: string }>(
      ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'WATCHED'],
      { env: sandbox.env() },
    )
    const words = ['deliveries', 'watch', deliveryId, '--interval', '200ms', '-o', 'ndjson', '--verbose']
    const running = cli.start(words, { env: sandbox.env() })
    await running.hasPrinted('/events?')
    await cli.json(['simulate', deliveryId, '--to', 'failed', '--reason', 'recipient_refused'], {
      env: sandbox.env(),
    })
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(9)
    expect(
      running
        .lines()
        .map((line) => JSON.parse(line).eventType)
        .at(-1),
    ).toBe('delivery.failed')
    expect(stderr.match(/^> GET \S+\/deliveries\/del_/gm)).toHaveLength(1)
  })

  it('ends a watch at its time limit, however long its interval is', async () => {
    for (const interval of ['1h', '30d']) {
      const words = ['deliveries', 'watch', id, '--for', '300ms', '--interval', interval]
      const { exitCode, stderr } = await cli.run(words, { env: sandbox.env() })
      expect([exitCode, stderr.match(/Warning/)], interval).toEqual([9, null])
      expect(stderr).toContain('Timed out: still accepted, expected delivered.')
    }
  })

  it('shows no escape code inside a message', async () => {
    const words = ['deliveries', 'watch', id, '--for', '300ms', '--color']
    const { stderr } = await cli.run(words, { env: sandbox.env() })
    expect(stderr).toContain(': still accepted, expected delivered.')
  })

  it('prints nothing of its inside under DEBUG', async () => {
    const { stderr, exitCode } = await cli.runProcess(['capabilities', '-q'], {
      env: { ...sandbox.env(), DEBUG: '*' },
    })
    expect(exitCode).toBe(0)
    expect(stderr).toBe('')
  })

  it('keeps the warning about SQLite from people, and no other', async () => {
    const emit = process.emitWarning
    const seen: string[] = []
    const listener = ({ message }: Error) => seen.push(message)
    process.on('warning', listener)
    silenceSqliteWarning()
    process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning')
    process.emitWarning('Something else')
    await new Promise((resolve) => setImmediate(resolve))
    process.emitWarning = emit
    process.off('warning', listener)
    expect(seen).toEqual(['Something else'])
  })

  it('is packed with its manifest, so that no command is imported to find another', () => {
    const { files, oclif } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(files).toContain('oclif.manifest.json')
    expect(oclif.commands.strategy).toBe('pattern')
  })
})

describe('a dry run', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)

  it.each([
    ['more than 280 characters', ['--instructions', '🏠'.repeat(281)], 2, 'dropoff.instructions'],
    ['280 characters of any kind', ['--instructions', '🏠'.repeat(280)], 0, ''],
    ['a phone that is not E.164', ['--phone', '910-555-0147'], 2, 'dropoff.contactPhone'],
    ['a window that ends first', ['--window', '2030-01-01T12:00Z/2030-01-01T10:00Z'], 2, 'timeWindows.dropoff'],
    ['military mail', ['--to', 'PSC 3 Box 1, APO, AE 09021'], 2, 'dropoff.address'],
    [
      'a ZIP of an installation without its code',
      ['--to', '1 Main St, Fort Bragg, NC 28310'],
      0,
      'dropoff.installation.code',
    ],
  ])('checks %s before anything is sent, and names the field', async (_name, words, expected, field) => {
    const order = ['deliveries', 'create', '--file', 'examples/order.json', '--dry-run', ...words]
    const { exitCode, stderr } = await cli.run(order, { env: sandbox.env() })
    expect(exitCode, stderr).toBe(expected)
    if (field === '') expect(stderr).toBe('')
    else expect(stderr).toContain(field)
  })
})
