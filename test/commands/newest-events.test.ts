import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox({ timeScale: 0 })
const cli = createCli(afterAll)
const run = (words: string[], columns?: number) =>
  cli.run(words, { env: sandbox.env(), ...(columns === undefined ? {} : { columns }) })
const ids = async (...flags: string[]) =>
  (await run(['events', 'list', '--since', '3d', '-q', ...flags])).stdout.split('\n').filter(Boolean)

beforeAll(async () => {
  await run(['sandbox', 'seed', '--count', '60', '--over', '2d', '--seed', '3'])
  // At some hours of the day, none of those fails.
  const create = ['deliveries', 'create', '--file', 'examples/order.json']
  const { deliveryId } = await cli.json<{ deliveryId: string }>(create, { env: sandbox.env() })
  await run(['simulate', deliveryId, '--to', 'failed', '--reason', 'recipient_unavailable'])
})

describe('events list', () => {
  it('lists the newest first with --newest: the same events, in the other order', async () => {
    const oldest = await ids('--all')
    expect(oldest.length).toBeGreaterThan(500)
    expect(await ids('--all', '--oldest')).toEqual(oldest)
    expect(await ids('--all', '--newest')).toEqual(oldest.toReversed())
    expect(await ids('--newest', '--limit', '7')).toEqual(oldest.slice(-7).reverse())
    const span = ['--type', 'delivered', '--until', '6h']
    expect(await ids('--all', '--newest', ...span)).toEqual((await ids('--all', ...span)).toReversed())
  })

  it('lists those of one delivery also if they are of days before', async () => {
    const words = ['events', 'list', '--since', '3d', '--limit', '1']
    const [first] = await cli.json<{ deliveryId: string }[]>(words, { env: sandbox.env() })
    const deliveryId = String(first?.deliveryId)
    const { stdout } = await run(['events', 'list', '--delivery', deliveryId, '-q', '--all'])
    expect(stdout.split('\n').filter(Boolean)).toEqual(await ids('--delivery', deliveryId, '--all'))
    expect(stdout).not.toBe('')
  })

  it('begins with the newest on a terminal, and with the oldest elsewhere', async () => {
    const oldest = await ids('--all')
    const screen = async (...flags: string[]) =>
      (await run(['events', 'list', '--since', '3d', '--limit', '1', ...flags], 200)).stdout
    expect(await screen()).toContain(oldest.at(-1))
    expect(await screen('--oldest')).toContain(oldest[0])
    expect((await ids('--limit', '1'))[0]).toBe(oldest[0])
  })

  it('takes a star in a type, as the listener does', async () => {
    const typed = (...types: string[]) => ids('--all', ...types.flatMap((type) => ['--type', type]))
    const [failed, returned] = [await typed('failed'), await typed('returned')]
    expect(failed.length).toBeGreaterThan(0)
    expect(await typed('delivery.fail*')).toEqual(failed)
    expect((await typed('failed', '*.returned', 'driver.*')).toSorted()).toEqual([...failed, ...returned].toSorted())
    expect(await typed('*')).toEqual(await ids('--all'))
    const unknown = await run(['events', 'list', '--type', 'moon.*'])
    expect([unknown.exitCode, unknown.stderr]).toEqual([0, expect.stringContaining('this version knows')])
  })

  it('costs one request if a page holds them all, and few for the newest of many', async () => {
    const requests = async (...flags: string[]) =>
      (await run(['events', 'list', '--newest', '-q', '--verbose', ...flags])).stderr.match(/GET \S*\/events/g)?.length
    expect(await requests('--since', '1h', '--type', 'expired')).toBe(1)
    expect(await requests('--since', '3d', '--limit', '10')).toBeLessThan(12)
  })

  it('says on a terminal that there are more', async () => {
    const { stdout } = await run(['events', 'list', '--since', '3d'], 80)
    expect(stdout).toContain('Showing the newest 50; use --all or --limit for more.')
  })

  it('refuses a cursor with --newest, which the service cannot continue', async () => {
    expect((await run(['events', 'list', '--newest', '--cursor', 'x'])).exitCode).toBe(2)
  })

  it('holds a burst in parts, and repeats and omits nothing', async () => {
    const startMs = Date.parse('2026-03-02T15:00:00Z')
    // Sparse for an hour, then 12,000 events within a minute.
    const times = [
      ...Array.from({ length: 300 }, (_, index) => startMs + index * 12_000),
      ...Array.from({ length: 12_000 }, (_, index) => startMs + 3_600_000 + index * 5),
    ]
    const events = times.map((atMs, index) => ({
      eventId: `evt_${index}`,
      eventType: 'delivery.eta_updated',
      occurredAt: new Date(atMs).toISOString(),
      data: {},
    }))
    const server = await startJsonServer((path) => {
      if (path.startsWith('/health')) return '{"status":"healthy","checkedAt":"2026-03-02T16:10:00Z"}'
      const query = new URL(path, 'http://x').searchParams
      const [since, until] = [query.get('since') ?? '', query.get('until') ?? '9']
      const fits = events.filter(({ occurredAt }) => occurredAt >= since && occurredAt < until)
      const at = Number(query.get('cursor') ?? 0)
      const next = at + 100 < fits.length ? String(at + 100) : null
      return JSON.stringify({ events: fits.slice(at, at + 100), nextCursor: next })
    })
    onTestFinished(() => server.close())
    const words = ['events', 'list', '--since', '2026-03-02T15:00:00Z', '--newest', '--all', '-q']
    const { stdout, stderr } = await cli.run(words, { env: server.env })
    expect(stdout.trim().split('\n'), stderr).toEqual(events.map(({ eventId }) => eventId).reverse())
    // Some are read again in smaller parts.
    expect(server.asked.length).toBeLessThan(1.5 * 123)
    server.asked.length = 0
    await cli.run([...words.slice(0, -2), '--limit', '1000', '-q'], { env: server.env })
    // The burst came late: the newest are found without reading all of it.
    expect(server.asked.length).toBeLessThan(60)
  })
})
