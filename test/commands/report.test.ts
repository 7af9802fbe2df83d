import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.js'
import type { EventRecord } from '../../src/contract/index.js'
import type { Report } from '../../src/report/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { sentOf } from '../support/cli/sent-ledger.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

const exampleOrder = JSON.parse(readFileSync('examples/order.json', 'utf8'))

const nowMs = Date.parse('2026-06-17T15:00:00Z')
/** Its archive is filled by the first report. */
const cli = createCli(afterAll)
const sandbox = serveSandbox({ clock: { now: () => nowMs } })
const events: EventRecord[] = []
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  env = sandbox.env()
  const { baseUrl, apiKey } = sandbox.running
  await sandbox.running.steer('POST', '/seed', { over: '14d', count: 90, seed: 1 })
  const client = createClient({ baseUrl, apiKey })
  const since = new Date(nowMs - 15 * 86_400_000).toISOString()
  for await (const event of client.each('listEvents', { since, limit: 100 })) events.push(event)
  await client.close()
})

describe('A report', () => {
  it('shows on a terminal how many events it has read, and removes that line', async () => {
    const { stdout } = await createCli().run(['report'], { env, columns: 100 })
    expect(stdout).toMatch(/\r\u001b\[2K[1-9][\d,]* events read(?:.*events read)*\r\u001b\[2K(?!\d)/)
  })

  it('asks the second time only for what is new', async () => {
    const requests = async () =>
      ((await sandbox.running.steer('GET', '/requests')) as { requests: { path: string }[] }).requests.length
    const first = await cli.json<Report>(['report'], { env })
    const asked = await requests()
    const second = await cli.json<Report>(['report'], { env })
    expect(second).toEqual(first)
    // The service's clock, and the events since the last time.
    expect((await requests()) - asked).toBeLessThanOrEqual(3)
  })

  it('answers from the archive when the service is away, and says how old it is', async () => {
    const away = await startSandbox({ clock: { now: () => nowMs }, rateLimit: 'off' })
    await away.steer('POST', '/seed', { over: '5d', perDay: 20, seed: 4 })
    const options = { env: { DLV_BASE_URL: away.baseUrl, DLV_API_KEY: away.apiKey }, nowMs: () => nowMs }
    const cli = createCli()
    const words = ['report', '--from', '2026-06-14', '--to', '2026-06-17']
    const first = await cli.json<Report>(words, options)
    expect(first.deliveries).toBeGreaterThan(20)
    await away.close()
    const { stdout, stderr } = await cli.run([...words, '--json'], options)
    expect(JSON.parse(stdout)).toEqual(first)
    expect(stderr).toMatch(
      /^warning: Nothing is listening on [\d.:]+\. The archive answers, as of .+, (?:just now|\d+s ago)\.$/m,
    )
    const bounded = (bound: string) => cli.run([...words, '--fail-if', bound], options)
    const unsure = await bounded('completion<0.01')
    expect(unsure).toMatchObject({ exitCode: 8 })
    expect(unsure.stderr).toContain('What is new could not be fetched, and --fail-if needs it: exit code 8.')
    expect(await bounded('completion<1.01')).toMatchObject({ exitCode: 9 })
    const earlier = await cli.run(['report', '--from', '2026-03-01', '--to', '2026-03-02'], options)
    expect(earlier).toMatchObject({ exitCode: 8 })
  })

  it('adds up by store, and ends with 9 only outside its bounds', async () => {
    const { by = [], deliveries } = await cli.json<Report>(['report', '--by', 'store'], { env })
    expect(by.length).toBeGreaterThanOrEqual(3)
    expect(by.reduce((sum, group) => sum + group.deliveries, 0)).toBe(deliveries)
    const bounded = (bound: string) => cli.run(['report', '--fail-if', bound], { env })
    expect(await bounded('completion<0.01')).toMatchObject({ exitCode: 0 })
    const broken = await bounded('completion<1.01')
    expect(broken).toMatchObject({ exitCode: 9 })
    expect(broken.stderr).toContain('Out of bounds: completion<1.01.')
    expect(await bounded('deliveries<100000')).toMatchObject({ exitCode: 9 })
    const nobody = ['report', '--from', '2026-06-20', '--to', '2026-06-21', '--fail-if', 'onTime<0.95']
    const unjudged = await cli.run(nobody, { env })
    expect(unjudged).toMatchObject({ exitCode: 0 })
    expect(unjudged.stderr).toContain('Not judged: onTime<0.95, because the period has no deliveries.')
    const { stdout } = await cli.run(['report', '--by', 'store', '-o', 'csv'], { env })
    const durations = stdout.split('\n').filter((line) => /^(?:drive|etaError),/.test(line))
    expect(durations.length).toBeGreaterThan(5)
    expect(durations.filter((line) => /\d\.\d{4,}/.test(line))).toEqual([])
  })

  it('keeps the promises of a file', async () => {
    const file = join(cli.home, 'promises.csv')
    const delivered = events.find(({ eventType }) => eventType === 'delivery.delivered')
    const { clientOrderReference } = (delivered?.data as { delivery: { clientOrderReference: string } }).delivery
    writeFileSync(
      file,
      `\uFEFFstore;clientOrderReference;promisedBy\n1;${clientOrderReference};${delivered?.occurredAt}\n`,
    )
    const { metrics } = await cli.json<Report>(['report', '--from', '14d', '--promise', file], { env })
    expect(metrics.onTime.promise).toBe('firstEta')
    for (const wrong of ['noon', 'March 5', '1', '2026-02-30T10:00:00Z', '2h', '']) {
      writeFileSync(file, `clientOrderReference,promisedBy\n${clientOrderReference},${wrong}\n`)
      const refused = await cli.run(['report', '--promise', file], { env })
      expect(refused).toMatchObject({ exitCode: 2 })
      expect(refused.stderr).toContain(`line 2: "${wrong}" is not a time`)
    }
  })

  it('is one page of HTML without a script, a request or a name', async () => {
    const page = join(cli.home, 'report.html')
    expect(await cli.run(['report', '--html', page, '--by', 'store'], { env })).toMatchObject({
      exitCode: 0,
    })
    const html = readFileSync(page, 'utf8')
    expect(html).not.toMatch(/<script|https?:|url\(|<link|<img|@import/i)
    const names = new Set(
      events.map(
        ({ data }) => (data as { delivery: { dropoff: { contactName: string } } }).delivery.dropoff.contactName,
      ),
    )
    expect([...names].filter((name) => html.includes(name))).toEqual([])
    expect(html).toContain('STORE-001')
  })
})

it('an order that was created with a quote is measured by what the quote promised', async () => {
  const cli = createCli()
  const promise = async () => (await cli.json<Report>(['report', '--from', '1h'])).metrics.onTime
  const order = ['--file', 'examples/order.json', '--ref', 'QUOTED-1']
  // Within the hours of the store, whatever the time is.
  await cli.run(['sandbox', 'clock', 'set', '2031-03-04T18:00:00Z'])
  const { quotes } = await cli.json<{ quotes: { quoteId: string }[] }>(['quotes', 'create', ...order])
  const quote = ['--quote', quotes[0]?.quoteId ?? '']
  const { deliveryId } = await cli.json<{ deliveryId: string }>(['deliveries', 'create', ...order, ...quote])
  await cli.json(['simulate', deliveryId, '--to', 'delivered'])
  // What simulate does lies some milliseconds ahead.
  await until('the delivery to be over', async () => (await promise()).n === 1)
  expect(await promise()).toEqual({ value: 1, n: 1, promise: 'quote' })
  const kept = sentOf(cli)
  expect(JSON.stringify(kept)).not.toMatch(/Reyes|\+1/)
  const dry = ['deliveries', 'create', ...order.slice(0, 2), '--ref', 'DRY-1', ...quote, '--dry-run']
  expect((await cli.run(dry)).exitCode).toBe(0)
  expect(sentOf(cli)).toEqual(kept)
  // The quotes that --cheapest takes, for one order and for a run.
  await cli.json(['deliveries', 'create', ...order.slice(0, 2), '--ref', 'CHEAP-1', '--cheapest'])
  const orders = ['CHEAP-2', 'CHEAP-3'].map((clientOrderReference) => ({ ...exampleOrder, clientOrderReference }))
  const run = ['deliveries', 'create', '--file', '-', '--cheapest', '-o', 'ndjson', '--results', join(cli.home, 'run')]
  expect((await cli.run(run, { stdin: JSON.stringify(orders) })).exitCode).toBe(0)
  for (const reference of ['CHEAP-1', 'CHEAP-2', 'CHEAP-3'])
    await cli.json(['simulate', reference, '--to', 'delivered'])
  await until('four deliveries to be over', async () => (await promise()).n === 4)
  expect((await promise()).promise).toBe('quote')
  // A line that somebody has edited takes nothing away from the report.
  const database = new DatabaseSync(join(cli.home, '.local/share/dlv/orders.db'))
  database
    .prepare("INSERT INTO changes (account, reference, at_ms, line) VALUES (1, 'CHEAP-1', 1, '{\"quoteId\":')")
    .run()
  database.close()
  expect((await promise()).promise).toBe('quote')
})

it('a report of a service is a table with a header, and a wrong bound asks it nothing', async () => {
  const nowMs = Date.parse('2026-11-20T15:00:00Z')
  const pricing = { currency: 'USD', deliveryFeeCents: 900, totalPriceCents: 1_200, tipAmountCents: 300 }
  const step = (deliveryId: string, status: string, minutes: number, statusReasonCode?: string) => ({
    eventId: `evt_${deliveryId}_${status}`,
    eventType: `delivery.${status}`,
    occurredAt: new Date(nowMs - minutes * 60_000).toISOString(),
    deliveryId,
    data: { delivery: { deliveryId, clientOrderReference: deliveryId, status, statusReasonCode, pricing } },
  })
  const events = [
    step('del_s', 'scheduled', 90),
    step('del_s', 'accepted', 60),
    step('del_a', 'accepted', 50),
    step('del_f', 'accepted', 45),
    step('del_s', 'delivered', 20),
    step('del_a', 'delivered', 20),
    step('del_f', 'failed', 10, 'gate_closed'),
  ]
  const service = await startJsonServer((path) =>
    JSON.stringify(
      path.startsWith('/events')
        ? { events, nextCursor: null }
        : { status: 'healthy', checkedAt: new Date(nowMs).toISOString() },
    ),
  )
  onTestFinished(() => service.close())
  const cli = createCli(onTestFinished)
  const options = { env: service.env, nowMs: () => nowMs }
  for (const bound of ['onTme<0.9', 'onTime', 'timeToAssign>9'])
    expect(await cli.run(['report', '--fail-if', bound], options)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(`--fail-if "${bound}"`),
    })
  for (const [words, said] of [
    ['report --tz Nowhere/Atall', '--tz "Nowhere/Atall" is not a time zone'],
    ['report --from 1d --to 7d', 'The period is empty: --from 2026-11-19T15:00:00.000Z is not before --to 2026-11-13'],
    ['report --from today --to yesterday', 'The period is empty'],
    ['report --from 2026-11-19 --to 2026-11-19', 'The period is empty'],
    ['report --from 2026-11-19T10:00:00Z --to never', '--to must be a time such as'],
    ['report --from never --to 2026-11-19', '--from must be a time such as'],
    ['events list --since soon', '--since must be a time such as'],
    ['events list --since 1h --until 2h', 'The period is empty: --since 2026-11-20T14:00:00.000Z'],
    ['events tail --since 32.13.2026', '--since must be a time such as'],
    ['deliveries list --from 1d --to 2d', 'The period is empty: --from'],
    ['deliveries list --from 2026-11-19 --to 2026-11-18', 'The period is empty: --from'],
    ['deliveries board --from Monday', '--from must be a time such as'],
    ['webhooks gaps --since 1hour', '--since must be a time such as'],
    ...['report', 'sync', 'drift', 'doctor', 'webhooks gaps', 'deliveries board --once'].map((words) => [
      `${words} --columns eventIds`,
      '--columns: unknown column "eventIds"',
    ]),
    ['deliveries list --limit 0', '--limit must be at least 1, got 0'],
    ['webhooks listen --pull --since soon', '--since must be a time such as'],
    ['sync --from soon', '--from must be a time such as'],
    ['sync --backfill 2026-02-30', '--backfill must be a time such as'],
  ] as const)
    expect(await cli.run(words.split(' '), options), words).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(said),
    })
  expect(service.asked).toEqual([])
  // Whether one time is before the other is for the service's clock to say, which is one request.
  const ahead = await cli.run(['report', '--from', '2030-01-01'], options)
  expect(ahead).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('The period is empty') })
  expect(service.asked.filter((path) => !path.startsWith('/health'))).toEqual([])
  const { stdout } = await cli.run(['report', '--from', '1d', '--sla', '1h', '-o', 'csv'], options)
  const [header, ...rows] = stdout.trim().split(/\r?\n/)
  expect(header).toBe('metric,key,value,p50,p90,p95,n,before')
  expect(rows).toEqual(
    expect.arrayContaining([
      'deliveries,,3,,,,3,0',
      'clickToDoor,,,1800,1800,1800,1,',
      'onTime,,1,,,,2,',
      'money.pricePerDropCents,,1200,,,,2,',
      'money.tipsCents,,600,,,,2,',
      'reasons.gate_closed,,1,,,,1,',
    ]),
  )
  const grouped = (await cli.run(['report', '--from', '1d', '--by', 'store', '-o', 'csv'], options)).stdout
  expect(grouped).toContain('money.tipsCents,(all),600,')
  expect(grouped).toContain('reasons.gate_closed,(all),1,')
  const { leftOut } = await cli.json<Report>(['report', '--from', '1d'], options)
  expect(leftOut).toContainEqual({ name: 'noWindow', why: 'scheduled without a known window', count: 1 })
})

it('a report can be of all days that events are kept', async () => {
  const cli = createCli()
  await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'WHOLE-1'])
  const { exitCode, stderr } = await cli.run(['report', '--from', '30d'])
  expect({ exitCode, stderr: stderr.includes('too early') }).toEqual({ exitCode: 0, stderr: false })
})

it.each([
  [['--from', 'today', '--to', 'yesterday'], 'The period is empty'],
  [['--from', '40d'], 'too early'],
  [['--tz', 'Mars/Olympus'], '"Mars/Olympus" is not a time zone'],
  [['--by', 'moon'], 'moon'],
])('dlv report %j is wrong usage', async (words, message) => {
  const { exitCode, stderr, stdout } = await createCli().run(['report', ...words])
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})
