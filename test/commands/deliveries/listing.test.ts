import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

interface Row {
  deliveryId: string
  clientOrderReference: string
  status: string
  createdAt: string
  updatedAt: string
}

interface Whole extends Row {
  pickup: { storeReference: string }
  dropoff: { contactName: string; contactPhone: string; address: unknown }
}

// At this time of day, what the seed leaves under way is not late.
const sandbox = serveSandbox({ timeScale: 0, clock: { now: () => Date.parse('2026-03-02T15:00:00Z') } })
const cli = createCli(afterAll)
const run = (words: string[], more: { columns?: number } = {}) => cli.run(words, { env: sandbox.env(), ...more })
const list = async (...flags: string[]): Promise<Row[]> =>
  JSON.parse((await run(['deliveries', 'list', '--from', '7d', '--all', '--json', ...flags])).stdout)
const references = (rows: readonly Row[]) => rows.map((row) => row.clientOrderReference)

let all: Row[]
let whole: Whole[]
const bodies = new Map<string, Whole>()
const matching = (fits: (delivery: Whole) => boolean) => references(whole.filter(fits))

beforeAll(async () => {
  await run(['sandbox', 'seed', '--count', '60', '--over', '2d', '--seed', '3'])
  const create = ['deliveries', 'create', '--file', 'examples/order.json']
  for (const [reference, status] of [
    ['LIST-10', 'failed'],
    ['LIST-9', 'driver_assigned'],
    ['list-8', 'dispatch_failed'],
    ['LIST-7', 'expired'],
  ] as const) {
    await run([...create, '--ref', reference, '--name', `Zoë ${reference}`, '--phone', '+12125550187'])
    await run(['sandbox', 'clock', 'advance', '1s'])
    await run(['simulate', reference, '--to', status])
    await run(['sandbox', 'clock', 'advance', '1s'])
  }
  all = await list()
  for (const { deliveryId } of all) {
    const { stdout } = await run(['deliveries', 'get', deliveryId, '--json'])
    bodies.set(deliveryId, JSON.parse(stdout))
  }
  whole = all.map((row) => ({ ...(bodies.get(row.deliveryId) as Whole), ...row }))
  expect(new Set(all.map((row) => row.status)).size).toBeGreaterThan(4)
})

const ended = ['delivered', 'failed', 'returned', 'cancelled', 'expired']
const problems = ['failed', 'dispatch_failed', 'reassigning', 'expired', 'return_in_progress']

describe('deliveries list', () => {
  it.each([
    [['--status', 'failed,cancelled'], (row: Row) => ['failed', 'cancelled'].includes(row.status)],
    [
      ['--status', 'failed', '-s', 'delivered', '-s', 'expired'],
      (row: Row) => ['failed', 'delivered', 'expired'].includes(row.status),
    ],
    [['--active'], (row: Row) => !ended.includes(row.status)],
    [['--active', '--status', 'failed'], (row: Row) => row.status === 'failed' || !ended.includes(row.status)],
  ])('%j shows these and no others, newest first', async (flags, fits) => {
    const rows = await list(...flags)
    expect(references(rows)).toEqual(references(all.filter(fits)))
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(all.length)
  })

  it.each([
    ['a store', ['--store', 'STORE-001'], (one: Whole) => one.pickup.storeReference === 'STORE-001'],
    ['a name, whatever its case', ['--search', 'ZOË list'], (one: Whole) => one.dropoff.contactName.startsWith('Zoë')],
    [
      'a phone number as people write it',
      ['--search', '(212) 555-0187'],
      (one: Whole) => one.dropoff.contactPhone === '+12125550187',
    ],
    [
      'a part of the address',
      ['--search', 'ramsey st'],
      (one: Whole) => JSON.stringify(one.dropoff.address).includes('Ramsey St'),
    ],
    ['a reference', ['--search', 'list-'], (one: Whole) => /list-/i.test(one.clientOrderReference)],
    [
      'a store, a status and a text together',
      ['--store', 'STORE-001', '--status', 'failed,expired', '--search', 'zoë'],
      (one: Whole) =>
        one.pickup.storeReference === 'STORE-001' &&
        ['failed', 'expired'].includes(one.status) &&
        one.dropoff.contactName.startsWith('Zoë'),
    ],
  ])('filters by %s', async (_name, flags, fits) => {
    const rows = await list(...flags)
    expect(references(rows)).toEqual(matching(fits))
    expect(rows.length).toBeGreaterThan(0)
    // The rows are the service's own, although each delivery was read.
    expect(rows[0]).toEqual(all.find((row) => row.deliveryId === rows[0]?.deliveryId))
  })

  it('finds nothing without an error, and refuses an empty text', async () => {
    expect(await list('--search', 'no such recipient')).toEqual([])
    expect(await list('--ref', 'LIST-9', '--status', 'failed,expired')).toEqual([])
    expect((await run(['deliveries', 'list', '--search', ' '])).exitCode).toBe(2)
  })

  it.each([
    ['created', (one: Row, other: Row) => Date.parse(other.createdAt) - Date.parse(one.createdAt)],
    ['updated', (one: Row, other: Row) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt)],
    [
      'reference',
      (one: Row, other: Row) =>
        one.clientOrderReference.localeCompare(other.clientOrderReference, 'en', {
          numeric: true,
          sensitivity: 'base',
        }),
    ],
  ] as const)('--sort %s orders the whole period, and - reverses it', async (key, compare) => {
    const sorted = references([...all].sort(compare))
    expect(references(await list('--sort', key))).toEqual(sorted)
    expect(references(await list(`--sort=-${key}`))).toEqual([...sorted].reverse())
    const { stdout, stderr } = await run([
      'deliveries',
      'list',
      '--from',
      '7d',
      '--sort',
      key,
      '--limit',
      '3',
      '--json',
    ])
    expect(references(JSON.parse(stdout))).toEqual(sorted.slice(0, 3))
    expect(stderr).toBe('')
  })

  it('sorts by status in the order of the lifecycle, and by store', async () => {
    const statuses = (await list('--sort', 'status', '--status', 'failed,driver_assigned,dispatch_failed')).map(
      (row) => row.status,
    )
    expect([...new Set(statuses)]).toEqual(['dispatch_failed', 'driver_assigned', 'failed'])
    const stores = (await list('--sort', '-store')).map(
      ({ deliveryId }) => bodies.get(deliveryId)?.pickup.storeReference,
    )
    expect(stores).toEqual([...stores].sort().reverse())
  })

  it('sorts LIST-9 before LIST-10', async () => {
    expect(references(await list('--search', 'list-', '--sort', 'reference'))).toEqual([
      'LIST-7',
      'list-8',
      'LIST-9',
      'LIST-10',
    ])
  })

  it('--with adds the parts in the words of the contract, and columns in CSV', async () => {
    const [row] = (await list('--ref', 'LIST-10', '--with', 'reason,store', '--with', 'driver,eta')) as unknown[]
    const { statusReasonCode, statusReason, pickup, driver } = JSON.parse(
      (await run(['deliveries', 'get', 'LIST-10', '--json'])).stdout,
    )
    expect(row).toEqual({
      ...all.find((one) => one.clientOrderReference === 'LIST-10'),
      statusReasonCode,
      statusReason,
      pickup,
      driver,
      eta: null,
    })
    const { stdout } = await run(['deliveries', 'list', '--ref', 'LIST-10', '--with', 'store,reason', '-o', 'csv'])
    expect(stdout.split('\n')[0]).toBe(
      'deliveryId,status,clientOrderReference,createdAt,updatedAt,statusReasonCode,pickup.storeReference',
    )
    expect(stdout).toContain(`,${statusReasonCode},STORE-001`)
  })

  it('leaves one status to the service, asks for two in two lists, and reads no delivery for either', async () => {
    const requests = async (...flags: string[]) => {
      const { stderr } = await run(['deliveries', 'list', '--from', '2026-01-01', '--verbose', '-q', ...flags])
      return stderr.match(/GET \S+/g)?.map((request) => new URL(request.slice(4)))
    }
    const statusesOf = (urls: readonly URL[] | undefined) => urls?.map((url) => url.searchParams.get('status'))
    expect(statusesOf(await requests('--status', 'failed'))).toEqual(['failed'])
    expect(statusesOf(await requests('--status', 'failed,cancelled'))).toEqual(['failed', 'cancelled'])
    expect((await requests('--active'))?.every((url) => url.pathname.endsWith('/deliveries'))).toBe(true)
    const bySearch = await requests('--search', 'list-10', '--limit', '1')
    // Only as many deliveries as are read at a time, since the newest ones fit.
    expect(bySearch?.length).toBeLessThan(20)
  })

  it.each([
    [['--status', 'faild'], '--status: "faild" is not a status.'],
    [['--status', 'late'], 'dlv deliveries list --problem'],
    [['--late'], 'Did you mean --problem?'],
    [['--status', 'failed,'], '--status: "" is not a status.'],
    [['--with', 'price'], '--with: "price" is not a part to add.'],
    [['--sort', 'age'], '--sort: "age" is not an order of this list.'],
    [['--active', '--cursor', 'x'], '--cursor continues a list of the service'],
  ])('refuses %j', async (flags, message) => {
    const { exitCode, stderr } = await run(['deliveries', 'list', ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })

  it('lists with --affected what a policy change touches, and nothing for a change that touches nothing', async () => {
    const cli = createCli()
    await cli.json(['deliveries', 'create', '--file', 'examples/order-installation.json', '--ref', 'TOUCHED-1'])
    const affectedBy = async (fpconLevel: string) => {
      await cli.json(['sandbox', 'policy', 'FTBRAGG', '--set', `fpconLevel=${fpconLevel}`])
      const { stdout } = await cli.run(['events', 'list', '--type', 'installation.access_policy_changed', '-q'])
      return cli.json(['deliveries', 'list', '--affected', stdout.trim().split('\n').at(-1) ?? ''])
    }
    expect(await affectedBy('alpha')).toEqual([])
    expect(await affectedBy('bravo')).toMatchObject([
      { clientOrderReference: 'TOUCHED-1', obstacle: 'FPCON bravo: expect longer waits at the gate' },
    ])
  })

  it('ends with totals on a terminal, and says if there are more', async () => {
    const { stdout } = await run(['deliveries', 'list', '--status', 'failed,expired', '--from', '7d', '--no-color'], {
      columns: 80,
    })
    const count = (status: string) => all.filter((row) => row.status === status).length
    const [failed, expired] = [count('failed'), count('expired')]
    expect(stdout).toContain(`\n\n${failed + expired} deliveries: ${failed} failed, ${expired} expired\n`)
    const whole = await run(['deliveries', 'list', '--all', '--from', '7d', '--no-color'], { columns: 60 })
    const totals = whole.stdout.slice(whole.stdout.lastIndexOf('\n\n')).trim().split('\n')
    expect(totals.length).toBeGreaterThan(1)
    expect(totals.filter((line) => line.length > 60)).toEqual([])
    expect((await run(['deliveries', 'list', '--status', 'failed,expired', '--from', '7d'])).stdout).not.toContain(
      'deliveries:',
    )
    await run(['sandbox', 'seed', '--count', '60', '--over', '1h', '--seed', '5'])
    const active = await run(['deliveries', 'list', '--status', 'delivered,failed,accepted', '--from', '7d'])
    expect(active.stderr).toBe('Showing the first 50; use --all or --limit for more.\n')
  })

  it.each([80, 200])('names deliveries by the reference on a terminal of %i columns', async (columns) => {
    const reference = 'A-REFERENCE-OF-THIRTY-CHARACTERS'
    await run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference])
    const words = ['deliveries', 'list', '--limit', '3', '--with', 'reason,store,driver,eta', '--no-color']
    const { stdout } = await run(words, { columns })
    expect(stdout).toContain(reference)
    expect(stdout.includes('del_')).toBe(columns === 200)
    // What a slow machine draws of the progress is cleared before the next is drawn.
    const drawn = stdout.split('\n').map((line) => line.split('\u001B[2K').at(-1) ?? '')
    expect(drawn.filter((line) => line.length > columns)).toEqual([])
  })

  it('gives up other columns before a reference is cut, unless it takes most of the line, and then shows the id', async () => {
    const lined = async (length: number, columns = 80) => {
      const reference = `R${length}-`.padEnd(length, 'x')
      const { deliveryId } = JSON.parse(
        (await run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference, '--json'])).stdout,
      )
      const words = ['deliveries', 'list', '--ref', reference, '--with', 'reason,store', '--no-color']
      const { stdout } = await run(words, { columns })
      const [header = ''] = stdout.split('\n')
      return [
        stdout.includes(reference),
        stdout.includes(deliveryId),
        header.includes('STATUS'),
        stdout.includes(`R${length}-x`),
      ]
    }
    expect(await lined(48)).toEqual([true, false, true, true])
    for (const [length, columns] of [
      [70, 80],
      [120, 80],
      [86, 100],
      [86, 60],
    ]) {
      expect(await lined(length ?? 0, columns), `${length} of ${columns}`).toEqual([false, true, true, true])
    }
  })
})

describe('A list without --from', () => {
  it('searches all that the archive keeps, and says of the others that they are of a day', async () => {
    const old = all.at(-1) as Row
    expect(Date.parse(all[0]?.createdAt ?? '') - Date.parse(old.createdAt)).toBeGreaterThan(86_400_000)
    const found = await run(['deliveries', 'list', '--search', old.clientOrderReference, '-q'])
    expect(found).toMatchObject({ stdout: `${old.deliveryId}\n`, stderr: '' })
    const none = await run(['deliveries', 'list', '--search', 'nobody has this'])
    expect(none.stderr).toMatch(/^The archive begins at 2026-\S+Z; an earlier --from looks further back\.\n$/)
    const day = 'Only deliveries created in the last 24h; --from 7d looks further back.\n'
    for (const filter of ['--store=NO-STORE', '--status=scheduled'])
      expect(await run(['deliveries', 'list', filter])).toMatchObject({ exitCode: 0, stderr: day })
    // Without a problem, cron has nothing to mail.
    const quiet = ['deliveries', 'list', '--problem', '--store', 'NO-STORE', '--exit-code', '-q']
    expect(await run(quiet)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
  })
})

describe('--problem', () => {
  it('shows what has a problem, the worst first, and of the rest only what is under way', async () => {
    const hasProblem = (row: Row) => problems.includes(row.status)
    // Without what another test has seeded since.
    const listed = await list('--problem')
    const rows = listed.filter((row) => !row.clientOrderReference?.startsWith('ORDER-5-'))
    expect(references(rows.filter(hasProblem)).toSorted()).toEqual(references(all.filter(hasProblem)).toSorted())
    // Of cancelled orders, only those that a carrier gave back are listed.
    const isLost = ({ status }: Row) => ['failed', 'expired', 'return_in_progress', 'cancelled'].includes(status)
    const nowMs = Date.parse('2026-03-02T15:05:00Z')
    const group = (row: Row) => (isLost(row) ? (nowMs - Date.parse(row.updatedAt) > 86_400_000 ? 2 : 0) : 1)
    const groups = listed.map(group)
    expect(new Set(groups).size).toBeGreaterThan(1)
    expect(groups).toEqual(groups.toSorted())
    const cut = await run(['deliveries', 'list', '--problem', '--from', '7d', '--limit', '2', '-q'])
    expect(cut.stdout.trim().split('\n')).toEqual(listed.slice(0, 2).map(({ deliveryId }) => deliveryId))
    expect(cut.stderr).toBe(`Showing the first 2 of ${listed.length}; use --all or --limit for more.\n`)
    expect(rows.filter((row) => !hasProblem(row) && ended.includes(row.status))).toEqual([])
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(all.length)
  })
})
