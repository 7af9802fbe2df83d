import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { launchInProcess } from '../support/cli/in-process.js'
import type { JsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { serveManyDeliveries } from '../support/sandbox/many-deliveries.js'

const rowCount = 20_000

const list = ['deliveries', 'list', '--from', '30d', '--all', '-o', 'ndjson']

describe('results in a pipe', () => {
  const cli = createCli(afterAll)
  let service: JsonServer
  let env: NodeJS.ProcessEnv = {}

  beforeAll(async () => {
    service = await serveManyDeliveries(rowCount)
    env = service.env
  })
  afterAll(() => service.close())

  it('end quietly with 141 where the reader has seen enough', async () => {
    const { exitCode, stdout, stderr } = await cli.shell(`dlv ${list.join(' ')} | head -1; exit \${PIPESTATUS[0]}`, {
      env,
    })
    expect(stderr).toBe('')
    expect(exitCode).toBe(141)
    expect(JSON.parse(stdout)).toMatchObject({ deliveryId: 'del_0' })
  })

  it('let a command finish its work where the signal that ends it has ended the reader too, in either order', async () => {
    const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    for (const isFirst of [true, false]) {
      const cli = createCli()
      const options = { env: { HOME: cli.home, DLV_NO_NOTICE: '1' }, cwd: cli.home, stdin: '' }
      const listen = ['webhooks', 'listen', '--port', '0', '-o', 'ndjson']
      const { stdout, stderr, signal, end } = launchInProcess(listen, options)
      stderr.resume()
      await once(stdout, 'data')
      if (isFirst) signal('SIGHUP')
      stdout.destroy(gone)
      if (!isFirst) signal('SIGHUP')
      expect(await end, `signal ${isFirst ? 'first' : 'last'}`).toMatchObject({ exitCode: 129 })
    }
  })

  it.each([
    ['help', '--help'],
    ['one object', 'explain -o json'],
    ['tab-separated values', 'explain'],
  ])('end quietly where nobody reads %s', async (_name, words) => {
    const { exitCode, stderr } = await cli.shell(`dlv ${words} | true; exit \${PIPESTATUS[0]}`)
    expect(stderr).toBe('')
    expect([0, 141]).toContain(exitCode)
  })

  it('all arrive at a reader that looks away, and are fetched one page ahead of it', async () => {
    const rowCount = 500
    // No pipe holds a page of these rows.
    const service = await serveManyDeliveries(rowCount, 20_000)
    onTestFinished(() => service.close())
    const since = ['deliveries', 'list', '--from', '2026-03-01T00:00:00Z', '--all', '-o', 'ndjson']
    const running = cli.startProcess(since, { env: service.env })
    running.child.stdout?.pause()
    await expect
      .poll(
        async () => {
          const seen = service.asked.length
          await new Promise((resolve) => setTimeout(resolve, 150))
          return seen > 1 && service.asked.length === seen
        },
        { timeout: 10_000 },
      )
      .toBe(true)
    expect(service.asked.length).toBe(2)
    running.child.stdout?.resume()
    const { exitCode, stderr } = await running.ended
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    expect(running.lines()).toHaveLength(rowCount)
    expect(JSON.parse(running.lines().at(-1) ?? '')).toMatchObject({ deliveryId: `del_${rowCount - 1}` })
  })

  it.each([
    ['a list as lines', list.join(' ')],
    ['a list as one value', 'deliveries list --from 30d --limit 1000 -o csv'],
    ['an explanation', 'explain 9'],
    ['help', 'deliveries --help'],
    ['the version', '--version'],
    ['the answer to a write', 'api POST /deliveries'],
  ])('that do not fit on the disk are an error in plain words and 9: %s', async (_name, words) => {
    const { exitCode, stderr } = await cli.shell(`dlv ${words} > /dev/full`, {
      env: { ...env, DLV_OUTPUT: 'table' },
    })
    expect(stderr).toMatch(/Cannot write the results: ENOSPC/)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(exitCode).toBe(9)
    // Only a write can have done something.
    expect(stderr.includes('The service may have done what was asked')).toBe(words.includes('POST'))
  })

  it('that do not fit on the disk are one JSON object on stderr under --json', async () => {
    const { exitCode, stderr } = await cli.shell('dlv explain 9 --json > /dev/full')
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'RESULTS_NOT_WRITTEN', exitCode: 9 } })
    expect(exitCode).toBe(9)
  })

  it.each([
    ['stdout', 'deliveries get nope >&-', 4],
    ['stderr', 'deliveries get nope 2>&-', 4],
    ['stderr on a full disk', 'deliveries get nope 2>/dev/full', 4],
    ['both', 'explain 9 >&- 2>&-', 0],
    ['stdin', 'explain 9 <&-', 0],
  ])('need no open %s for their exit code', async (_name, words, expected) => {
    const { exitCode, stderr } = await cli.shell(`dlv ${words}`)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(exitCode).toBe(expected)
  })
})

describe('results around an error', () => {
  it('are all there, however slowly they are read', async () => {
    const cli = createCli()
    const create = ['deliveries', 'create', '--file', 'examples/order.json']
    const { deliveryId } = await cli.json<{ deliveryId: string }>(create)
    const ids = [...Array.from({ length: 40 }, () => deliveryId), 'del_missing', deliveryId]
    const running = cli.startProcess(['deliveries', 'get', '-', '-o', 'ndjson'], { stdin: ids.join('\n') })
    running.child.stdout?.pause()
    await new Promise((resolve) => running.child.stderr?.once('data', resolve))
    running.child.stdout?.resume()
    const { exitCode, stderr } = await running.ended
    expect(running.lines()).toHaveLength(41)
    expect(stderr).toContain('DELIVERY_NOT_FOUND')
    expect(exitCode).toBe(9)
  })
})
