import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isResponseField } from '../../../src/contract/index.js'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

describe('--columns', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  let id = ''
  const run = (...words: string[]) => cli.run(words, { env: sandbox.env() })

  beforeAll(async () => {
    const create = ['deliveries', 'create', '--file', 'examples/order.json']
    id = (await cli.json<{ deliveryId: string }>(create, { env: sandbox.env() })).deliveryId
  })

  it('shows the columns in the order asked for', async () => {
    const { stdout } = await run('deliveries', 'list', '--columns', 'status,deliveryId,updatedAt', '-o', 'csv')
    expect(stdout).toMatch(new RegExp(`^status,deliveryId,updatedAt\naccepted,${id},`))
  })

  it('reads paths, elements of lists too', async () => {
    const columns = 'dropoff.contactName,statusHistory[0].status,statusHistory.0.status'
    const { stdout, stderr } = await run('deliveries', 'get', id, '--columns', columns)
    expect(stdout, stderr).toBe('Dana Whitfield\taccepted\taccepted\n')
  })

  it('reads what a list does not have from each delivery, and refuses what no row can hold', async () => {
    const columns = 'deliveryId,dropoff.contactPhone,pricing.totalPriceCents'
    const whole = await run('deliveries', 'get', id, '--columns', columns)
    const { stdout } = await run('deliveries', 'list', '--columns', columns)
    expect(stdout).toBe(whole.stdout)
    expect(stdout).toMatch(/\t\+1910\d+\t\d+\n$/)
    const refused = await run('installations', 'list', '--columns', 'code,gates')
    expect([refused.exitCode, refused.stdout], refused.stderr).toEqual([2, ''])
  })

  it('keeps all columns on a narrow terminal, with ids whole', async () => {
    const columns = 'clientOrderReference,createdAt,status,updatedAt,deliveryId,trackingUrl'
    const { stdout } = await cli.run(['deliveries', 'list', '--columns', columns], {
      columns: 60,
      env: { ...sandbox.env(), NO_COLOR: '1' },
    })
    for (const header of ['REFERE', 'CREATED', 'STATUS', 'UPDATED', 'DELIVERY', 'TRACK'])
      expect(stdout).toContain(header)
    expect(stdout).toContain(id)
  })

  it.each([
    [['deliveries', 'list', '--columns', 'staus'], 'staus', 'Did you mean "status"?'],
    [['deliveries', 'list', '--from', '2000-01-01', '--to', '2000-01-02', '--columns', 'staus'], 'staus', undefined],
    [['deliveries', 'list', '-o', 'csv', '--columns', 'status,dropoff.adress'], 'dropoff.adress', undefined],
    [['sandbox', 'requests', '--columns', 'methode'], 'methode', 'Did you mean "method"?'],
    [['events', 'list', '--columns', 'eventTyp'], 'eventTyp', 'Did you mean "eventType"?'],
    [['deliveries', 'list', '--columns', 'eventType'], 'eventType', undefined],
    [['events', 'list', '--columns', 'vehicleDescription'], 'vehicleDescription', undefined],
    [['drivers', 'list', '--columns', 'code'], 'code', undefined],
    [['installations', 'list', '--columns', 'deliveryId'], 'deliveryId', undefined],
  ])('refuses a name that is not in the contract and in no row: %j', async (words, name, hint) => {
    const { exitCode, stdout, stderr } = await run(...words)
    expect(exitCode, stderr).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(`error: --columns: unknown column "${name}".`)
    if (hint !== undefined) expect(stderr).toContain(hint)
  })

  it('refuses an unknown name before a write', async () => {
    const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'NEVER', '--columns', 'staus']
    expect((await run(...create)).exitCode).toBe(2)
    expect((await run('simulate', id, '--to', 'delivered', '--columns', 'staus')).exitCode).toBe(2)
    expect((await run('deliveries', 'cancel', id, '--columns', 'staus')).exitCode).toBe(2)
    const { stdout } = await run('deliveries', 'list', '--columns', 'clientOrderReference,status', '--no-header')
    expect(stdout).toBe('WEB-100482\taccepted\n')
  })

  it.each([['--json'], ['-o', 'ndjson'], ['--jq', '.']])('is refused with %s', async (...words) => {
    const { exitCode, stderr } = await run('deliveries', 'list', '--columns', 'status', ...words)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--columns is for tables and CSV')
  })

  it.each([',', 'status,', 'a..b'])('refuses %j as no list of names', async (columns) => {
    const { exitCode, stderr } = await run('deliveries', 'list', '--columns', columns)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--columns: expected names such as')
  })
})

describe('a field of a response', () => {
  it.each([
    'deliveryId',
    'dropoff.address',
    'dropoff.address.postalCode',
    'statusHistory.0.statusReasonCode',
    'data.delivery.status',
    'gates.0.name',
  ])('%s is known', (path) => expect(isResponseField(path)).toBe(true))

  it.each(['staus', 'dropoff.adress', 'status.x'])('%s is not', (path) => expect(isResponseField(path)).toBe(false))
})
