import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRelativeTime } from '../../../src/cli/input/times.js'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

describe('the clock of the service', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  const onTerminal = (...words: string[]) => cli.run(words, { columns: 100, env: { ...sandbox.env(), NO_COLOR: '1' } })
  const requests = async () => {
    const { stdout } = await cli.run(['sandbox', 'requests', '--columns', 'path'], { env: sandbox.env() })
    return stdout.split('\n').filter((path) => path.endsWith('/health')).length
  }
  let id = ''

  beforeAll(async () => {
    await cli.json(['sandbox', 'clock', 'advance', '240h'], { env: sandbox.env() })
    const create = ['deliveries', 'create', '--file', 'examples/order.json']
    id = (await cli.json<{ deliveryId: string }>(create, { env: sandbox.env() })).deliveryId
    await cli.json(['sandbox', 'clock', 'advance', '3h'], { env: sandbox.env() })
  })

  it('is what ages are measured by, in lists and cards', async () => {
    expect((await onTerminal('deliveries', 'list')).stdout).toMatch(/ 3h ago\s/)
    expect((await onTerminal('deliveries', 'get', id)).stdout).toContain('(3h ago)')
  })

  it('is what relative times are measured by', async () => {
    const list = (...words: string[]) => cli.json<unknown[]>(['deliveries', 'list', ...words], { env: sandbox.env() })
    expect(await list('--from', '4h')).toHaveLength(1)
    expect(await list('--from', '2h')).toHaveLength(0)
    expect(await list('--from', '24h', '--to', '4h')).toHaveLength(0)
    expect(await list()).toHaveLength(1)
  })

  it('is what --since and --until of events are measured by', async () => {
    const list = (...words: string[]) =>
      cli.json<unknown[]>(['events', 'list', '--delivery', id, ...words], { env: sandbox.env() })
    const all = await list('--since', '20d')
    expect(all.length).toBeGreaterThan(0)
    expect(await list('--since', '20d', '--until', '4h')).toEqual([])
    expect((await list('--since', '4h', '--until', '170m')).length).toBeGreaterThan(0)
  })

  it('is what a dry run compares windows with, of one order, a file, a quote and updates', async () => {
    const { now } = await cli.json<{ now: string }>(['sandbox', 'clock'], { env: sandbox.env() })
    const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
    const write = (name: string, value: unknown) => {
      writeFileSync(join(cli.home, name), JSON.stringify(value))
      return join(cli.home, name)
    }
    const hourMs = 3_600_000
    // Ahead on this machine's clock and over on the service's; then ahead on the service's.
    for (const [name, fromMs] of [
      ['over', Date.now() + hourMs],
      ['ahead', Date.parse(now) + 2 * hourMs],
    ] as const) {
      const dropoff = { start: new Date(fromMs).toISOString(), end: new Date(fromMs + 2 * hourMs).toISOString() }
      const timed = { ...order, clientOrderReference: 'TIMED-1', timeWindows: { deliveryMode: 'scheduled', dropoff } }
      const one = write(`${name}.json`, timed)
      const two = write(`${name}-two.json`, [timed, { ...timed, clientOrderReference: 'TIMED-2' }])
      const changes = write(`${name}-changes.json`, [
        { deliveryId: id, timeWindows: { deliveryMode: 'scheduled', dropoff } },
      ])
      for (const words of [
        ['deliveries', 'create', '--file', one],
        ['deliveries', 'create', '--file', two],
        ['quotes', 'create', '--file', one],
        ['deliveries', 'update', id, '--window', `${dropoff.start}/${dropoff.end}`],
        ['deliveries', 'update', '--file', changes],
      ]) {
        const { exitCode, stderr, stdout } = await cli.run([...words, '--dry-run'], { env: sandbox.env() })
        const isRefused = exitCode !== 0 && /is in the past/.test(stderr + stdout)
        expect([words.slice(0, 4), isRefused, exitCode === 0], stderr + stdout).toEqual([
          words.slice(0, 4),
          name === 'over',
          name === 'ahead',
        ])
      }
    }
  })

  it.each([
    [['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'WINDOW-1', '--dry-run']],
    [['quotes', 'create', '--file', 'examples/order.json', '--dry-run']],
    [['deliveries', 'update', 'DELIVERY', '--dry-run']],
  ])('is what the windows of %j are relative to', async (named) => {
    const words = named.map((word) => (word === 'DELIVERY' ? id : word))
    const { now } = await cli.json<{ now: string }>(['sandbox', 'clock'], { env: sandbox.env() })
    const { body } = await cli.json<{ body: { timeWindows: { dropoff: { start: string } } } }>(
      [...words, '--window', '+2h/+4h'],
      { env: sandbox.env() },
    )
    const aheadMs = Date.parse(body.timeWindows.dropoff.start) - Date.parse(now)
    expect(Math.round(aheadMs / 60_000)).toBe(120)
    for (const [window, message] of [
      ['soon', '--window expects START/END'],
      ['3pm/5pm', '--window must be a time such as 2026-03-02T15:00-05:00, +2h or tomorrow, got "3pm"'],
      ['2h/4h', '--window: 4h is in the past. Write +4h'],
    ] as const) {
      const wrong = await cli.run([...words, '--window', window], {
        env: { DLV_BASE_URL: 'http://127.0.0.1:9', DLV_API_KEY: 'k' },
      })
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(message)])
    }
  })

  it('is asked only if needed, and once', async () => {
    const before = await requests()
    await cli.json(['deliveries', 'get', id], { env: sandbox.env() })
    await cli.run(['deliveries', 'list', '--from', '2020-01-01T00:00:00Z'], { env: sandbox.env() })
    await cli.run(['deliveries', 'list', '--ref', 'WEB-1'], { env: sandbox.env() })
    expect(await requests()).toBe(before)
    await cli.run(['deliveries', 'list', '--from', '24h', '--to', '1h'], { env: sandbox.env() })
    expect(await requests()).toBe(before + 1)
    await onTerminal('deliveries', 'get', id)
    expect(await requests()).toBe(before + 2)
  })

  it('may be out of order without a result being lost', async () => {
    await cli.json(['sandbox', 'faults', '--force', 'INTERNAL_ERROR', '--operation', 'getHealth'], {
      env: sandbox.env(),
    })
    const { exitCode, stdout } = await onTerminal('deliveries', 'get', id)
    await cli.json(['sandbox', 'faults', '--clear'], { env: sandbox.env() })
    expect(exitCode).toBe(0)
    expect(stdout).toContain(id)
  })
})

describe('a time', () => {
  it.each(['2h', '+30m', 'in 2h', 'yesterday', 'now', 'nonsense'])('%s is relative', (text) => {
    expect(isRelativeTime(text)).toBe(true)
  })

  it.each(['2026-03-02', '2026-03-02T15:00:00Z', '1772463600'])('%s is not', (text) => {
    expect(isRelativeTime(text)).toBe(false)
  })
})
