import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
let orders = 0

const order = [
  ...['--store', 'STORE-001', '--to', '200 Hay St, Fayetteville, NC 28301', '--name', 'Maya Reyes'],
  ...['--phone', '+19105550123', '--instructions', 'Ring twice', '--tip-cents', '300', '--value-cents', '5000'],
]

interface ErrorShown {
  error: {
    code: string
    message: string
    exitCode: number
    hint: string
    fieldErrors: { field: string; message: string }[]
  }
}

/** A person whose order has been created, with a reference that nobody else has. */
async function afterOne() {
  const cli = createCli(onTestFinished)
  const reference = `SAME-${++orders}`
  const words = ['deliveries', 'create', '--ref', reference, ...order, '--json']
  const options = { env: sandbox.env() }
  const { deliveryId } = await cli.json<{ deliveryId: string }>(words.slice(0, -1), options)
  const create = async (more: string[] = [], env: NodeJS.ProcessEnv = {}) => {
    const { exitCode, stdout, stderr } = await cli.run([...words, ...more], { env: { ...options.env, ...env } })
    const shown = exitCode === 5 ? (JSON.parse(stderr) as ErrorShown).error : undefined
    return {
      exitCode,
      stdout,
      stderr,
      shown,
      differences: shown?.fieldErrors.map((one) => `${one.field}: ${one.message}`),
    }
  }
  return { cli, deliveryId, reference, create, options }
}

describe('An order under a reference that is taken', () => {
  test.each([
    ['alone', (reference: string) => ['--items', '9', '--ref', reference, ...order]],
    ['with a quote', (reference: string) => ['--items', '9', '--ref', reference, ...order, '--quote', 'cheapest']],
    ['in a file', () => ['--file', 'other.csv']],
    ['in a file, with quotes', () => ['--file', 'other.csv', '--max-total', '500']],
  ])('changes nothing of what is known of the delivery: %s', async (_, wordsOf) => {
    const { cli, deliveryId, reference, options } = await afterOne()
    const shown = async () => (await cli.json<{ sent: unknown }>(['deliveries', 'get', deliveryId], options)).sent
    const before = await shown()
    expect(before).toMatchObject({ package: { valueCents: 5000 } })
    const lines = [
      'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone,package.itemsCount',
      `${reference},STORE-001,"200 Hay St, Fayetteville, NC 28301",Maya Reyes,+19105550123,9`,
    ]
    writeFileSync(join(cli.home, 'other.csv'), `${lines.join('\n')}\n`)
    const { exitCode } = await cli.run(['deliveries', 'create', ...wordsOf(reference)], { ...options, cwd: cli.home })
    expect([5, 9]).toContain(exitCode)
    expect(await shown()).toEqual(before)
  })

  test.each([
    ['tip', ['--set', 'tipAmountCents=500'], ['tipAmountCents: 500 here, 300 there']],
    [
      'instructions',
      ['--set', 'dropoff.instructions=Ring once'],
      ['dropoff.instructions: "Ring once" here, "Ring twice" there'],
    ],
    ['room', ['--room', '12'], ['dropoff.unit.room: "12" here, nothing there']],
    ['value', ['--set', 'package.valueCents=9000'], ['package.valueCents: 9000 here, 5000 there']],
    [
      'cargo',
      ['--contains', 'perishable_cold_chain'],
      ['package.contains: ["perishable_cold_chain"] here, nothing there'],
    ],
    [
      'verification',
      ['--verify', 'signature=required'],
      ['verification.dropoff.signature.level: "required" here, nothing there'],
    ],
    [
      'phone',
      ['--set', 'dropoff.contactPhone="+19105550199"'],
      ['dropoff.contactPhone: "+19105550199" here, "+19105550123" there'],
    ],
  ])('that differs in the %s is a conflict with the list of what differs', async (_, changed, differences) => {
    const { create, deliveryId, reference } = await afterOne()
    const conflict = await create(changed)
    expect([conflict.exitCode, conflict.stdout]).toEqual([5, ''])
    expect(conflict.differences).toEqual(differences)
    expect(conflict.shown?.message).toBe(`${reference} is taken by ${deliveryId}, which differs from this order`)
    expect(conflict.shown?.hint).toContain(`dlv deliveries update ${deliveryId}`)
    expect(conflict.shown?.hint).toContain(`Next: dlv deliveries get ${deliveryId}`)
  })

  test('is told from another by what was sent from here, which the delivery does not show', async () => {
    const { create } = await afterOne()
    const window = ['--window', '+20h/+22h']
    const [inWindow, items] = [await create(window), await create(['--set', 'package.items=[{"name":"Aspirin"}]'])]
    expect(inWindow.differences?.map((text) => text.split(':')[0])).toContain('timeWindows.deliveryMode')
    expect(items.differences).toEqual([
      expect.stringMatching(/^package\.items: "sha256 [0-9a-f]{12}" here, nothing there$/),
    ])
  })

  test('is the same one, from another machine too, if all that is shown agrees', async () => {
    const { cli, create, options, deliveryId } = await afterOne()
    for (const env of [{}, { DLV_DATA_DIR: join(cli.home, 'other') }]) {
      const again = await create(['--new-key'], env)
      expect([again.exitCode, JSON.parse(again.stdout).deliveryId]).toEqual([0, deliveryId])
      expect(again.stderr).toContain('This order already exists; nothing was dispatched.')
    }
    expect((await cli.json<unknown[]>(['deliveries', 'list', '--from', '1h', '--all'], options)).length).toBe(orders)
  })

  test('says its status now, not what the first answer was', async () => {
    const { cli, create, options, deliveryId } = await afterOne()
    await cli.run(['simulate', deliveryId, '--to', 'delivered'], options)
    // The key is known to the service: it repeats its first answer.
    for (const [env, said] of [
      [{}, 'This order already exists; '],
      [{ DLV_DATA_DIR: join(cli.home, 'other') }, 'Already created by an earlier run of this command; '],
    ] as const) {
      const again = await create([], env)
      expect([again.exitCode, JSON.parse(again.stdout).status]).toEqual([0, 'delivered'])
      expect(again.stderr).toMatch(/nothing was dispatched\. Delivered (?:just now|\d+s ago)\./)
      expect(again.stderr).toContain(said)
    }
  })

  test('is the same one after the delivery was updated, if it was sent from here', async () => {
    const { cli, create, options, deliveryId } = await afterOne()
    await cli.run(['deliveries', 'update', deliveryId, '--tip-cents', '900', '--yes'], options)
    expect((await create()).exitCode).toBe(0)
    const elsewhere = await create(['--new-key'], { DLV_DATA_DIR: join(cli.home, 'other') })
    expect(elsewhere.differences).toEqual(['tipAmountCents: 300 here, 900 there'])
  })

  test('is no success if its delivery has ended unhappily', async () => {
    const { cli, create, options, deliveryId, reference } = await afterOne()
    await cli.run(['deliveries', 'cancel', deliveryId, '--yes'], options)
    const again = await create()
    expect(again.exitCode).toBe(5)
    expect(again.shown?.message).toBe(
      `${reference} is taken by ${deliveryId}, which ended as cancelled (cancelled_by_merchant)`,
    )
    expect(again.shown?.hint).toContain('give it a new clientOrderReference')
  })

  test('prints the differences for people, and the log beside it holds nothing of a person', async () => {
    const { cli, options, reference } = await afterOne()
    const words = ['deliveries', 'create', '--ref', reference, ...order, '--set', 'tipAmountCents=500']
    const { exitCode, stderr } = await cli.run([...words, '--set', 'package.description=Pills for Maya'], options)
    expect(exitCode).toBe(5)
    expect(stderr).toContain('\n  tipAmountCents: 500 here, 300 there\n')
    const log = readFileSync(join(cli.home, '.local/share/dlv/orders.db'), 'latin1')
    expect(log).toContain(reference)
    expect(log).not.toMatch(/Maya|Hay St|0123|Pills|Ring/)
  })
})

describe('Rows of a bulk run under a reference that is taken', () => {
  test('are told apart alike', async () => {
    const { cli, options, reference } = await afterOne()
    const json = await cli.json(['deliveries', 'create', '--ref', reference, ...order, '--dry-run'], options)
    const { body } = json as { body: Record<string, unknown> }
    const rows = [
      { ...body, clientOrderReference: 'ROW-1', package: { valueCents: 1 } },
      { ...body, clientOrderReference: 'ROW-1', package: { valueCents: 2 } },
      { ...body, tipAmountCents: 500 },
      body,
    ]
    const stdin = rows.map((row) => JSON.stringify(row)).join('\n')
    const words = ['deliveries', 'create', '--file', '-', '--new-key', '--concurrency', '1', '-o', 'ndjson']
    const { exitCode, stdout } = await cli.run(words, { ...options, stdin })
    const results = jsonLines(stdout)
    expect(exitCode).toBe(9)
    expect(
      results.map(({ outcome, error }) => [
        outcome,
        error?.fieldErrors?.map((one: { message: string }) => one.message),
      ]),
    ).toEqual([
      ['created', undefined],
      ['conflict', ['2 here, 1 there']],
      ['conflict', ['500 here, 300 there']],
      ['existing', undefined],
    ])
  })

  test('say on a terminal what differs, and the command that changes the delivery', async () => {
    const { cli, options, reference, deliveryId } = await afterOne()
    const words = ['deliveries', 'create', '--ref', reference, ...order, '--dry-run']
    const { body } = await cli.json<{ body: object }>(words, options)
    writeFileSync(
      join(cli.home, 'rows.ndjson'),
      `${JSON.stringify({ ...body, tipAmountCents: 500 })}\n${JSON.stringify(body)}\n`,
    )
    const env = { ...options.env, NO_COLOR: '1' }
    const { exitCode, stdout, stderr } = await cli.run(['deliveries', 'create', '--file', 'rows.ndjson', '--new-key'], {
      env,
      cwd: cli.home,
      columns: 200,
    })
    const screen = `${stdout}${stderr}`.replace(/\s+/g, ' ')
    expect([exitCode, screen]).toEqual([
      9,
      expect.stringContaining('which differs from this order: tipAmountCents: 500 here, 300 there'),
    ])
    expect(screen).toContain(
      `To change the delivery of a conflict: dlv deliveries update ${deliveryId} --set PATH=VALUE`,
    )
    expect(screen).not.toContain('--rejects')
  })
})

test.each([
  ['is no JSON', '{"package":'],
  ['is nested too deep', `${'{"metadata":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
])('A record of a sent order that %s counts as none', async (_, sent) => {
  const { cli, create } = await afterOne()
  const ledger = new DatabaseSync(join(cli.home, '.local', 'share', 'dlv', 'orders.db'))
  ledger.prepare('UPDATE orders SET sent = ?').run(sent)
  ledger.close()
  expect(await create(['--set', 'tipAmountCents=500'])).toMatchObject({
    exitCode: 5,
    differences: ['tipAmountCents: 500 here, 300 there'],
  })
  const again = await create()
  expect([again.exitCode, again.stderr]).toEqual([0, expect.not.stringContaining('bug')])
})
