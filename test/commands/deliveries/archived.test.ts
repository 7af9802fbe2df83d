import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../../../src/sandbox/index.js'
import { createCli } from '../../support/cli/program.js'

interface Row {
  deliveryId: string
  clientOrderReference: string
  status: string
  problem: string | null
}

/** A remote account with a stored key, whose service can be away. */
const cli = createCli(afterAll)
let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => {
  sandbox = await startSandbox({ rateLimit: 'off', timeScale: 0 })
  const add = ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', sandbox.baseUrl, '--api-key-stdin']
  expect(await cli.run([...add, '--no-keychain'], { stdin: sandbox.apiKey })).toMatchObject({ exitCode: 0 })
  await cli.run(['profiles', 'use', 'acme'])
  const create = ['deliveries', 'create', '--file', 'examples/order.json', '--yes']
  for (const reference of ['A-1', 'A-2', 'A-3']) {
    await sandbox.clock.advance('1s')
    expect((await cli.run([...create, '--ref', reference, '--name', `Zoë ${reference}`])).exitCode).toBe(0)
  }
  await cli.run(['simulate', 'A-1', '--to', 'failed', '--reason', 'gate_closed'])
})
afterAll(() => sandbox.close())

const list = (...words: string[]) => cli.run(['deliveries', 'list', '--from', '1d', ...words])
const rowsOf = (stdout: string) => JSON.parse(stdout) as Row[]
const requestsIn = (stderr: string) => stderr.match(/GET \S+/g) ?? []

describe('A list that needs more than the service lists', () => {
  it.each([
    ['--search', 'zoë a-1'],
    ['--problem'],
    ['--store', 'STORE-001'],
    ['--with', 'store,reason,driver,eta'],
  ])('takes three requests at most once the archive is current: %s', async (...words) => {
    expect((await list(...words)).exitCode).toBe(0)
    const { stderr } = await list(...words, '--verbose')
    expect(requestsIn(stderr).length).toBeGreaterThan(0)
    expect(requestsIn(stderr).length).toBeLessThanOrEqual(3)
  })

  it('has what happened since, and says up to when it is on a terminal', async () => {
    const words = ['--problem', '--with', 'reason']
    expect(rowsOf((await list(...words, '--json')).stdout).map((row) => row.clientOrderReference)).toEqual(['A-1'])
    await cli.run(['simulate', 'A-2', '--to', 'failed'])
    const { stdout, stderr } = await list(...words, '--json')
    expect(rowsOf(stdout).map((row) => row.clientOrderReference)).toEqual(['A-1', 'A-2'])
    expect(stderr).toBe('')
    const shown = await cli.run(['deliveries', 'list', '--from', '1d', ...words], { columns: 120 })
    expect(shown.stdout).toMatch(/As of (?:\d+ \w+ )?\d\d:\d\d:\d\d/)
  })

  it('has the rows of the view problems', async () => {
    const rows = rowsOf((await list('--problem', '--json')).stdout)
    const sql = 'select delivery_id, problem from problems order by status_since'
    expect(JSON.parse((await cli.run(['query', sql, '--json'])).stdout)).toEqual(
      rows.map(({ deliveryId, problem }) => ({ delivery_id: deliveryId, problem })),
    )
    expect(rows.map(({ problem }) => problem)).toContain('failed: gate_closed')
  })

  it('ends with 9 if there are any and --exit-code asks for it', async () => {
    expect((await list('--problem', '--exit-code')).exitCode).toBe(9)
    expect((await list('--problem', '--exit-code', '--store', 'NO-STORE')).exitCode).toBe(0)
  })

  it('answers from the archive alone with --fresh no', async () => {
    const before = rowsOf((await list('--problem', '--json')).stdout)
    await cli.run(['simulate', 'A-3', '--to', 'failed'])
    const { stdout, stderr } = await list('--problem', '--json', '--fresh', 'no', '--verbose')
    expect(rowsOf(stdout)).toEqual(before)
    expect(requestsIn(stderr)).toEqual([])
    expect((await createCli().run(['deliveries', 'list', '--problem', '--fresh', 'no'])).stderr).toMatch(
      /dlv sync.*first/,
    )
  })

  it('is what the board shows first, with as few requests', async () => {
    const { stdout, stderr } = await cli.run(['deliveries', 'board', '--json', '--verbose'])
    expect(requestsIn(stderr).length).toBeLessThanOrEqual(3)
    const board = JSON.parse(stdout) as (Row & { stage: string })[]
    const problems = board
      .filter(({ stage }) => stage === 'problems')
      .map(({ deliveryId, problem }) => [deliveryId, problem])
    const listed = rowsOf((await list('--problem', '--json')).stdout).map(({ deliveryId, problem }) => [
      deliveryId,
      problem,
    ])
    expect(problems.toSorted()).toEqual(listed.toSorted())
    const offline = await cli.run(['deliveries', 'board', '--json', '--fresh', 'no', '--verbose'])
    expect([JSON.parse(offline.stdout).length, requestsIn(offline.stderr)]).toEqual([board.length, []])
  })

  it('says so if names are not kept', async () => {
    const other = createCli()
    await other.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'B-1'])
    expect((await other.run(['sync', '--no-personal'])).exitCode).toBe(0)
    const { stdout, stderr } = await other.run(['deliveries', 'list', '--search', 'b-1', '--json'])
    expect(rowsOf(stdout)).toHaveLength(1)
    expect(stderr).toContain('only references were searched')
  })

  it('shows deliveries from before the events, which it fetches once', async () => {
    const long = ['deliveries', 'list', '--from', '60d', '--search', 'zoë', '--json']
    expect(rowsOf((await cli.run(long)).stdout)).toHaveLength(3)
    const { stderr } = await cli.run([...long, '--verbose'])
    expect(requestsIn(stderr).length).toBeLessThanOrEqual(3)
  })

  it('is no all-clear if the service refuses the key', async () => {
    await list('--problem')
    await sandbox.steer('POST', '/faults', { rules: [{ force: 'UNAUTHORIZED' }] })
    const { exitCode, stderr } = await list('--problem', '--store', 'NO-STORE', '--exit-code')
    await sandbox.steer('POST', '/faults', { rules: [] })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('--exit-code needs it: exit code 3.')
  })

  it('answers without the service, and says how old it is', async () => {
    await list('--problem')
    await sandbox.close()
    const { stdout, stderr, exitCode } = await list('--problem', '--json')
    expect(rowsOf(stdout)).toHaveLength(3)
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/The archive answers, as of \S+.* ago\.|The archive answers, as of .*just now/)
    expect(stderr).not.toContain('exit code')
  })

  it('is no all-clear without the service: what it found comes first, then the exit code of the failed request', async () => {
    const none = ['--problem', '--store', 'NO-STORE', '-q']
    const away = await list(...none, '--exit-code')
    expect(away).toMatchObject({ exitCode: 8, stdout: '' })
    expect(away.stderr).toContain('What is new could not be fetched, and --exit-code needs it: exit code 8.')
    expect(await list('--problem', '--exit-code')).toMatchObject({ exitCode: 9 })
    expect(await list(...none, '--exit-code', '--fresh', 'no')).toMatchObject({ exitCode: 0, stderr: '' })
    const demanded = await list('--problem', '--json', '--fresh', 'yes')
    expect([demanded.exitCode, rowsOf(demanded.stdout).length]).toEqual([8, 3])
    expect(await cli.run(['deliveries', 'board', '--once', '--fresh', 'yes'])).toMatchObject({ exitCode: 8 })
    expect(await cli.run(['deliveries', 'board', '--once'])).toMatchObject({ exitCode: 0 })
  })
})
