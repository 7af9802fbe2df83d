import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { startHttpServer, takeAll } from '../support/http-server.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

const sandbox = serveSandbox()
const cli = createCli(afterAll)
const run = (words: string[]) => cli.run(words, { env: sandbox.env() })
const idsOf = (stdout: string) => stdout.split('\n').filter(Boolean)

beforeAll(async () => {
  expect((await run(['sandbox', 'seed', '--count', '130'])).exitCode).toBe(0)
})

/** The command of the next page, as stderr names it; `undefined` at the end. */
function nextPage(stderr: string): string[] | undefined {
  return /^Next page: dlv (.+)$/m.exec(stderr)?.[1]?.split(' ')
}

describe('A list', () => {
  it.each([
    ['of deliveries', ['deliveries', 'list', '--from', '7d'], 50],
    ['of deliveries, more than a page at a time', ['deliveries', 'list', '--from', '7d'], 120],
    ['of events', ['events', 'list'], 100],
    ['of events in a span', ['events', 'list', '--since', '2h', '--until', '+1h'], 300],
    ['of installations', ['installations', 'list'], 25],
  ])('%s continues with the command for its next page, without a gap and without a repetition', async (_name, words, limit) => {
    const all = idsOf((await run([...words, '--all', '-q'])).stdout)
    expect(all.length).toBeGreaterThan(limit)
    const collected: string[] = []
    let next: string[] | undefined = [...words, '--limit', String(limit), '-q']
    while (next !== undefined) {
      const { exitCode, stdout, stderr } = await run(next)
      expect(exitCode, stderr).toBe(0)
      const ids = idsOf(stdout)
      expect(ids.length).toBeLessThanOrEqual(limit)
      collected.push(...ids)
      next = nextPage(stderr)
    }
    expect(collected).toEqual(all)
  })

  it('names its next page beside JSON, and says how to have the rest', async () => {
    const { stdout, stderr } = await run(['deliveries', 'list', '--json'])
    expect(JSON.parse(stdout)).toHaveLength(50)
    expect(stderr).toContain(
      'Showing the first 50; use --all for the rest.\nNext page: dlv deliveries list --json --from 20',
    )
  })

  it('names no next page once all is shown', async () => {
    for (const flags of [['--all'], ['--limit', '500']])
      expect((await run(['deliveries', 'list', ...flags])).stderr).toBe('')
  })

  it('refuses a cursor that is none of the service', async () => {
    const { exitCode, stderr } = await run(['installations', 'list', '--cursor', 'nonsense'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('cursor')
  })
})

describe('events list', () => {
  it('--delivered and --undelivered part the events', async () => {
    await run(['sandbox', 'endpoints', 'add', await startHttpServer(takeAll)])
    const { stdout } = await run(['deliveries', 'create', '--file', 'examples/order.json', '-q'])
    const delivery = stdout.trim()
    const ids = async (...flags: string[]) =>
      idsOf((await run(['events', 'list', '--all', '-q', '--delivery', delivery, ...flags])).stdout)
    await until('one delivered event', async () => (await ids('--delivered')).length === 1)
    await run(['sandbox', 'endpoints', 'remove', '--all'])
    await run(['simulate', delivery, '--to', 'driver_assigned'])
    const [all, delivered, undelivered] = [await ids(), await ids('--delivered'), await ids('--undelivered')]
    expect([delivered.length, undelivered.length]).toEqual([1, 1])
    expect([...delivered, ...undelivered]).toEqual(all)
    expect((await run(['events', 'list', '--delivered', '--undelivered'])).exitCode).toBe(2)
  })
})
