import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textWidth } from '../../src/render/plain-text.js'
import { createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const introducer = '\u001b'

describe('colour', () => {
  const cli = createCli(afterAll)

  it.each([
    ['NO_COLOR', { NO_COLOR: '1' }, []],
    ['CLICOLOR=0', { CLICOLOR: '0' }, []],
    ['TERM=dumb', { TERM: 'dumb' }, []],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, []],
    ['--no-color', { FORCE_COLOR: '1' }, ['--no-color']],
  ])('stays away from a terminal with %s, in results, help and errors', async (_name, env, more) => {
    const printed = await Promise.all(
      [
        ['explain', 'gate_closed'],
        ['explain', '--help'],
        ['explain', 'nothing_known'],
      ].map((words) => cli.run([...words, ...more], { env, columns: 80 })),
    )
    expect(printed.map(({ exitCode }) => exitCode)).toEqual([0, 0, 2])
    for (const { stdout } of printed) expect(stdout).not.toContain(introducer)
  })

  it.each([
    ['FORCE_COLOR', { FORCE_COLOR: '1' }, []],
    ['CLICOLOR_FORCE', { CLICOLOR_FORCE: '1' }, []],
    ['--color', { NO_COLOR: '1' }, ['--color']],
  ])('goes into a pipe with %s alone', async (_name, env, more) => {
    const words = ['explain', 'nothing_known']
    expect((await cli.run([...words, ...more], { env })).stderr).toContain(introducer)
    expect((await cli.run(words)).stderr).not.toContain(introducer)
  })
})

describe('a terminal', () => {
  it.each([
    ['profiles remove', ['profiles', 'remove', 'acme'], 'Nothing was removed.'],
    ['sandbox reset', ['sandbox', 'reset', '-P', 'local'], 'Nothing was deleted.'],
    ['deliveries cancel', ['deliveries', 'cancel', 'del_1', '-P', 'acme'], 'Nothing was sent.'],
    ['api', ['api', 'POST', '/deliveries/del_1/cancel', '-P', 'acme'], 'Nothing was sent.'],
  ])('where %s is declined says that nothing was done, and exits 9', async (_name, words, undone) => {
    const cli = createCli()
    const add = ['profiles', 'add', 'acme', '--environment', 'production', '--base-url', 'http://127.0.0.1:9/v1']
    expect((await cli.run([...add, '--api-key-stdin'], { stdin: 'key' })).exitCode).toBe(0)
    const person = cli.startOnTerminal([...words, '--timeout', '200ms'], { columns: 120 })
    await person.shows('[y/N]')
    person.type('\r')
    const { exitCode, stdout } = await person.ended
    expect([exitCode, stdout]).toEqual([9, expect.stringContaining(undone)])
  })

  /** Noon at the stores: nothing is said about their hours. */
  const clock = { now: () => Date.parse('2026-03-02T17:00:00Z') }
  const sandbox = serveSandbox({ publicUrl: 'https://s.example.com', clock })
  const cli = createCli(afterAll)
  let id = ''

  beforeAll(async () => {
    const create = ['deliveries', 'create', '--file', 'examples/order-installation.json']
    id = (await cli.json<{ deliveryId: string }>(create, { env: sandbox.env() })).deliveryId
    await cli.json(['simulate', id, '--to', 'delivered'], { env: sandbox.env() })
  })

  const views = [
    ['deliveries', 'get', 'ID'],
    ['deliveries', 'list'],
    ['quotes', 'create', '--store', 'STORE-001', '--to', '300 Hay St, Fayetteville, NC 28301'],
    ['installations', 'list'],
    ['installations', 'get', 'FTBRAGG'],
    ['installations', 'check', 'FTBRAGG'],
    ['events', 'list', '--since', '1h'],
    ['explain'],
    ['profiles', 'show'],
    ['doctor'],
  ]

  it.each([60, 200])('of %i columns is never overrun', async (columns) => {
    for (const view of views) {
      const words = view.map((word) => (word === 'ID' ? id : word))
      const { exitCode, stdout } = await cli.run(words, { columns, env: { ...sandbox.env(), NO_COLOR: '1' } })
      expect(exitCode, stdout).toBe(0)
      // An address, a path or a command is not cut: whoever copies it wants it whole.
      const isWide = (line: string) => textWidth(line) > columns && !/https?:\/\/|\/\w+\/|^ *dlv /.test(line)
      expect(stdout.split('\n').filter(isWide), words.join(' ')).toEqual([])
    }
  })

  it('of 44 columns breaks lines and commands between words', async () => {
    const own = createCli()
    const env = { NO_COLOR: '1' }
    const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'NARROW-1']
    const { deliveryId } = await own.json<{ deliveryId: string }>(create)
    await own.json(['simulate', 'NARROW-1', '--to', 'driver_at_dropoff'])
    const commands = [['deliveries', 'get'], ['explain'], ['simulate', '--to', 'driver_at_dropoff']]
    const printed: string[] = []
    for (const words of commands) {
      const { stdout } = await own.run([...words, 'NARROW-1'], { columns: 44, env })
      expect(stdout.split('\n').filter((line) => textWidth(line) > 44)).toEqual([])
      printed.push(stdout)
    }
    const [card = '', explained, refused] = printed
    expect(card).toContain(`\n  Tracking\n    dlv deliveries open \\\n    ${deliveryId}\n`)
    expect(card).toContain('● ')
    expect(explained).toContain(`\n    dlv deliveries watch \\\n    ${deliveryId}\n`)
    expect(refused).toContain(`\ndlv deliveries get \\\n${deliveryId}`)
    const synced = await own.run(['sync'], { columns: 44, env })
    expect(synced.stdout).toMatch(/^2\S+Z\.$/m)
  })

  it.each([
    [
      60,
      [
        ['installations', 'list'],
        ['explain', '--help'],
        ['explain', 'nothing_known'],
      ],
    ],
    [200, [['installations', 'list']]],
  ])('of %i columns is recognised by the program in a process of its own', async (columns, commands) => {
    for (const words of commands) {
      const env = sandbox.env()
      const screen = await cli.runOnTerminal(words, { columns, env })
      const here = await cli.run(words, { columns, env })
      expect([screen.exitCode, screen.stdout.replaceAll('\r\n', '\n')]).toEqual([here.exitCode, here.stdout])
      expect(screen.stdout).toContain(introducer)
    }
  })

  it('that is read aloud gets plain labelled lines, without tables, marks and colour codes of its own', async () => {
    const env = { ...sandbox.env(), DLV_ACCESSIBLE: '1', NO_COLOR: '1' }
    const card = await cli.run(['deliveries', 'get', id], { env, columns: 80 })
    expect(card.stdout).toContain('Dropoff: ')
    const list = await cli.run(['deliveries', 'list'], { env, columns: 80 })
    expect(list.stdout).toContain(`delivery: ${id}`)
    expect(card.stdout + list.stdout).not.toMatch(/[●✓✗│─]/)
  })
})
