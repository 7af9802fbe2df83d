import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { jsonLines } from '../../support/json-lines.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
const cli = createCli(afterAll)
const run = (words: string[], stdin = '', apiKey?: string) => cli.run(words, { env: sandbox.env(apiKey), stdin })
const production = () => ({ ...sandbox.env(), DLV_ENVIRONMENT: 'production' })
let count = 0
let reference = ''

async function createAt(status: string, apiKey?: string): Promise<string> {
  const name = `EFFECT-${++count}`
  await run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', name], '', apiKey)
  if (status !== 'accepted') await run(['simulate', name, '--to', status], '', apiKey)
  return name
}

describe('What a cancellation costs', () => {
  it.each([
    ['accepted', 0, 'Cancelling now costs $0.00.'],
    ['driver_assigned', 300, 'Cancelling now costs $3.00.'],
  ])('is shown by --dry-run: %s', async (status, cancellationFeeCents, sentence) => {
    const { stdout, stderr } = await run(['deliveries', 'cancel', await createAt(status), '--dry-run', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', cancellationFeeCents })
    expect(stderr).toContain(sentence)
  })

  it('is not known, rather than nothing, where the service does not say', async () => {
    const name = await createAt('driver_assigned', 'dlvk_sbx_noreturns')
    const words = ['deliveries', 'cancel', name, '--dry-run', '--json']
    const { stdout, stderr } = await run(words, '', 'dlvk_sbx_noreturns')
    expect(JSON.parse(stdout)).toMatchObject({ cancellationFeeCents: null })
    expect(stderr).toContain('The cancellation fee is not known.')
    const gone = await run(['deliveries', 'cancel', 'del_missing', '--dry-run'])
    expect([gone.exitCode, gone.stderr]).toEqual([4, expect.stringContaining('DELIVERY_NOT_FOUND')])
  })

  it('stands in the question on production, with what the reference led to', async () => {
    const name = await createAt('driver_assigned')
    const person = cli.startAsking(['deliveries', 'cancel', name], { env: production(), columns: 200 })
    await person.shows('[y/N]')
    person.type('n\r')
    const { stdout } = await person.ended
    expect(stdout).toMatch(
      new RegExp(`Cancel del_\\w+ \\(${name}, driver_assigned, cancelling now costs \\$3\\.00\\) on production`),
    )
    expect(stdout).toContain('Nothing was sent.')
  })

  it('is summed for many, by --dry-run, in the question, and after the run', async () => {
    const names = [await createAt('driver_assigned'), await createAt('accepted'), await createAt('driver_assigned')]
    const ended = await createAt('delivered')
    const input = [...names, ended].join('\n')
    const rows = [...names, ended].map((clientOrderReference) =>
      JSON.stringify({ clientOrderReference, reason: 'customer_cancelled' }),
    )
    const dry = await run(['deliveries', 'cancel', '-', '--dry-run'], rows.join('\n'))
    expect(dry.stderr).toContain('Cancelling now costs $6.00; 1 cannot be cancelled, because they have ended.')
    expect(dry.stderr).not.toContain('is not a field')
    const file = `${cli.home}/names.txt`
    await cli.shell(`printf '%s' '${input}' > ${file}`)
    const person = cli.startAsking(['deliveries', 'cancel', '--file', file], { env: production(), columns: 200 })
    await person.shows('[y/N]')
    person.type('y\r')
    const { stdout } = await person.ended
    expect(stdout).toContain('(4 rows: cancelling now costs $6.00; 1 cannot be cancelled, because they have ended)')
    expect(stdout).toContain('Cancellation fees of this run: $6.00.')
  })

  it('is on the card of a delivery under way, and not part of its price', async () => {
    const { stdout } = await cli.run(['deliveries', 'get', await createAt('driver_assigned'), '--no-color'], {
      env: sandbox.env(),
      columns: 200,
    })
    expect(stdout).toMatch(/Price +\$\d+\.\d\d \(fee \$\d+\.\d\d, tip \$4\.00\); cancelling now costs \$3\.00/)
  })
})

type Refused = { code: string } | null

describe('A dry run of many', () => {
  const rows = async (...words: string[]) => {
    const { stdout, exitCode } = await run([...words, '-o', 'ndjson'])
    const ends = jsonLines<{ row: number; outcome: string; status: string | null; error: Refused }>(stdout).sort(
      (a, b) => a.row - b.row,
    )
    return { exitCode, ends: ends.map(({ outcome, status, error }) => [outcome, status, error?.code]) }
  }
  const refused = 'INVALID_STATE_TRANSITION'
  const isFailed = (outcome: unknown) => outcome === 'failed' || outcome === 'conflict'

  it.each([
    ['cancel', []],
    ['update', ['--instructions', 'Ring twice']],
    ['update', ['--items', '3']],
  ])('reads the stage of each delivery and refuses what the run refuses: %s %s', async (verb, flags) => {
    const names = [
      ...(await Promise.all(['accepted', 'pickup_complete', 'delivered', 'cancelled'].map((at) => createAt(at)))),
      'id:del_missing',
    ]
    const dry = await rows('deliveries', verb, ...names, ...flags, '--dry-run')
    expect(dry.ends.map(([, status]) => status)).toEqual([
      'accepted',
      'pickup_complete',
      'delivered',
      'cancelled',
      null,
    ])
    expect(dry.ends[2]).toEqual(['failed', 'delivered', refused])
    expect(dry.ends[4]).toEqual(['failed', null, 'DELIVERY_NOT_FOUND'])
    const real = await rows('deliveries', verb, ...names, ...flags)
    expect(dry.exitCode).toBe(real.exitCode)
    const failures = ({ ends }: typeof dry) => ends.map(([outcome, , code]) => [isFailed(outcome), code])
    expect(failures(dry)).toEqual(failures(real))
  })

  it('says on a terminal why a row cannot be changed', async () => {
    const words = ['deliveries', 'update', await createAt('delivered'), await createAt('accepted'), '--items', '3']
    const { stdout } = await cli.run([...words, '--dry-run', '--no-color'], { env: sandbox.env(), columns: 200 })
    expect(stdout).toContain('package.itemsCount cannot be updated once a delivery is delivered.')
  })
})

describe('What an update changed', () => {
  beforeEach(async () => {
    reference = await createAt('accepted')
  })
  const update = async (...flags: string[]) =>
    (await cli.run(['deliveries', 'update', reference, ...flags, '--no-color'], { env: sandbox.env(), columns: 200 }))
      .stdout

  it('is shown on a terminal: each field before and after, and the price', async () => {
    const stdout = await update('--instructions', 'Side door', '--tip-cents', '500', '--room', '7', '--items', '3')
    const [, changed] = stdout.split('\nChanged\n')
    const lines = changed
      ?.trim()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/))
    expect(lines).toEqual([
      ['dropoff.instructions', 'Side door, past the green gate. Please ring twice. → Side door'],
      ['dropoff.unit.room', 'none → 7'],
      ['package.itemsCount', '3 (the service does not show it)'],
      ['tipAmountCents', '$4.00 → $5.00'],
      ['price', expect.stringMatching(/^\$\d+\.\d\d → \$\d+\.\d\d \(\+\$1\.00\)$/)],
    ])
    expect(await update('--instructions', 'Side door')).toContain('Side door (unchanged)')
    const before = '418 Ramsey Street, Fayetteville, NC 28301'
    expect(await update('--set', 'dropoff.address.line1=1 Hay St')).toMatch(
      new RegExp(`dropoff\\.address +${before} → 1 Hay St, Fayetteville, NC 28301`),
    )
    expect(await update('--clear', 'dropoff.instructions')).toContain('Side door → none')
    expect(await update('--clear', 'package.itemsCount')).toContain('removed (the service does not show it)')
  })

  it('costs a script no request, and its output nothing beside the delivery', async () => {
    const { stdout, stderr } = await run(['deliveries', 'update', reference, '--tip-cents', '1', '--json', '--verbose'])
    expect(JSON.parse(stdout)).toMatchObject({ clientOrderReference: reference, pricing: { tipAmountCents: 1 } })
    expect(stderr.match(/GET \S*\/deliveries\/del_/g)).toBeNull()
  })

  it('stands in the question on production where it may raise the price', async () => {
    const words = ['deliveries', 'update', reference, '--tip-cents', '900']
    const person = cli.startAsking(words, { env: production(), columns: 200 })
    await person.shows('[y/N]')
    person.type('n\r')
    expect((await person.ended).stdout).toContain('(tipAmountCents $4.00 → $9.00) on production')
    const moved = cli.startAsking([...words, '--to', '1 Hay St, Fayetteville, NC 28301'], {
      env: production(),
      columns: 300,
    })
    await moved.shows('[y/N]')
    moved.type('n\r')
    expect((await moved.ended).stdout).toContain(
      'dropoff.address 418 Ramsey Street, Fayetteville, NC 28301 → 1 Hay St, Fayetteville, NC 28301',
    )
  })
})

describe('Several deliveries that are named', () => {
  it('are cancelled together, each with its result, and the fees are asked for once', async () => {
    const names = [await createAt('driver_assigned'), await createAt('accepted'), await createAt('delivered')]
    const person = cli.startAsking(['deliveries', 'cancel', ...names], { env: production(), columns: 200 })
    await person.shows('[y/N]')
    person.type('n\r')
    expect((await person.ended).stdout).toContain(
      'Cancel 3 deliveries (3 rows: cancelling now costs $3.00; 1 cannot be cancelled, because they have ended) on production',
    )
    const { exitCode, stdout, stderr } = await run(['deliveries', 'cancel', ...names, 'NO-SUCH', '-o', 'ndjson'])
    const rows = jsonLines(stdout)
    expect(rows.sort((a, b) => a.row - b.row)).toMatchObject([
      { outcome: 'cancelled', status: 'cancelled' },
      { outcome: 'cancelled', status: 'cancelled' },
      { outcome: 'conflict', status: 'delivered' },
      { outcome: 'failed', clientOrderReference: 'NO-SUCH' },
    ])
    expect(exitCode).toBe(9)
    expect(stderr).toContain('Cancellation fees of this run: $3.00.')
    const again = await run(['deliveries', 'cancel', ...names.slice(0, 2)])
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('2 replayed.')])
    for (const wrong of [['-'], ['--file', 'x'], ['--idempotency-key', 'k']])
      expect((await run(['deliveries', 'cancel', 'del_1', 'del_2', ...wrong])).exitCode).toBe(2)
  })
})
