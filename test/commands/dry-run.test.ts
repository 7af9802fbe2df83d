import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { faults, serveScripted } from '../support/client/scripted-server.js'
import { jsonLines } from '../support/json-lines.js'

const cli = createCli(afterAll)
const { server } = serveScripted()

interface Shown {
  method: string
  url: string
  headers: Record<string, string>
  body?: unknown
}

const window = (start: string, end: string) => ({ deliveryMode: 'scheduled', dropoff: { start, end } })

describe('A dry run', () => {
  test.each([
    ['deliveries create', ['deliveries', 'create', '--file', 'examples/order.json', '--set', 'package.itemsCount=3']],
    [
      'deliveries create with a key',
      ['deliveries', 'create', '--file', 'examples/order.json', '--idempotency-key', 'k 1'],
    ],
    ['deliveries update', ['deliveries', 'update', 'del_1', '--instructions', 'Ring twice']],
    ['deliveries cancel', ['deliveries', 'cancel', 'id:del/1', '--reason', 'customer_cancelled']],
    ['quotes create', ['quotes', 'create', '--file', 'examples/order.json']],
  ])('of %s prints what arrives when it is sent, its key redacted', async (_, words) => {
    const env = { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'dlvk_sbx_canary' }
    server.always = faults.answer({ status: 200, headers: {}, body: '{"deliveryId":"del_1","status":"accepted"}' })
    const { method, url, headers, body } = await cli.json<Shown>([...words, '--dry-run'], { env })
    // The delivery is read: its status, and what a cancellation costs.
    expect(server.requests.filter((request) => request.method !== 'GET')).toEqual([])
    server.requests.length = 0
    server.always = faults.refuse(422, 'VALIDATION_ERROR')
    await cli.run(words, { env })
    const [sent] = server.requests
    expect([sent?.method, `${server.origin}${sent?.path}`]).toEqual([method, url])
    expect(sent?.body === '' ? undefined : JSON.parse(sent?.body ?? '')).toEqual(body)
    const { host, connection, 'content-length': length, ...rest } = sent?.headers ?? {}
    const shown = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    expect({ ...rest, authorization: 'Bearer dlvk_sbx_[redacted]' }).toEqual({
      ...Object.fromEntries(shown),
      authorization: 'Bearer dlvk_sbx_[redacted]',
    })
    expect(headers.Authorization).toBe('Bearer [redacted]')
  })

  test('does not open the sandbox of this machine', async () => {
    const shown = await cli.json<Shown>(['deliveries', 'create', '--file', 'examples/order.json', '--dry-run'])
    expect(shown.headers).toMatchObject({ Authorization: 'Bearer [redacted]', 'Content-Type': 'application/json' })
    expect(existsSync(join(cli.home, '.local/share/dlv/sandbox.db'))).toBe(false)
  })

  test('of rows shows store, phone, window and tip, and a script the body', async () => {
    const order = JSON.parse(readFileSync('examples/order.json', 'utf8')) as Record<string, unknown>
    const timeWindows = window('2030-03-02T20:00:00Z', '2030-03-02T22:00:00Z')
    const rows = [1, 2].map((tip) => ({
      ...order,
      clientOrderReference: `DRY-${tip}`,
      tipAmountCents: tip,
      timeWindows,
    }))
    const file = join(cli.home, 'dry.ndjson')
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'))
    const words = ['deliveries', 'create', '--file', file, '--dry-run']
    const { stdout } = await cli.run([...words, '--no-color'], { columns: 200 })
    expect(stdout).toMatch(
      /DRY-2 +ready +STORE-001 +Dana Whitfield +418 Ramsey Street, Fayetteville, NC 28301 +\+1\d{10} +dropoff 2030-03-02 20:00–22:00 UTC +\$0\.02/,
    )
    expect((await cli.json<{ body: unknown }[]>(words)).map(({ body }) => body)).toEqual(rows)
  })

  test('refuses what could not be sent', async () => {
    const words = ['deliveries', 'cancel', 'id:..', '--dry-run']
    expect((await cli.run(words)).exitCode).toBe(2)
  })

  test('refuses what the real run refuses', async () => {
    const person = createCli()
    const file = (name: string, text: string) => {
      writeFileSync(join(person.home, name), text)
      return join(person.home, name)
    }
    const [orders, order, past] = [{}, {}, { timeWindows: window('2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z') }].map(
      (more) => JSON.stringify({ ...JSON.parse(readFileSync('examples/order.json', 'utf8')), ...more }),
    )
    const run = file('orders.ndjson', `${orders}\n${order}\n`)
    const changes = file('changes.csv', 'deliveryId,clientOrderReference\ndel_1,OTHER\n')
    expect((await person.run(['deliveries', 'create', '--file', run])).exitCode).toBe(0)
    for (const [words, exitCode, said] of [
      [['update', '--file', changes, '--results', `${run}.results.ndjson`], 2, 'is the record of createDelivery'],
      [['update', 'del_1', '--ref', 'OTHER'], 2, 'clientOrderReference (--ref): cannot be updated.'],
      [['update', '--file', changes, '-o', 'ndjson'], 9, 'clientOrderReference: cannot be updated'],
    ] as const)
      for (const dry of [['--dry-run'], []]) {
        const { stdout, stderr, ...ended } = await person.run(['deliveries', ...words, ...dry])
        expect(stdout + stderr).toContain(said)
        expect(ended.exitCode).toBe(exitCode)
      }
    const late = await person.run(['deliveries', 'create', '--file', file('past.json', past ?? ''), '--dry-run'])
    expect([late.exitCode, late.stderr]).toEqual([2, expect.stringContaining('timeWindows.dropoff: is in the past.')])
  })

  test('exits for one delivery that its stage does not allow as the real run does', async () => {
    const person = createCli()
    const { deliveryId } = await person.json([
      'deliveries',
      'create',
      '--file',
      'examples/order.json',
      '--ref',
      'ENDED',
    ])
    await person.json(['simulate', String(deliveryId), '--to', 'delivered'])
    for (const words of [
      ['update', 'ENDED', '--tip-cents', '700'],
      ['cancel', 'ENDED'],
    ])
      for (const dry of [['--dry-run'], []]) {
        const { exitCode, stdout, stderr } = await person.run(['deliveries', ...words, ...dry, '--yes'])
        expect([exitCode, stdout, stderr]).toEqual([5, '', expect.stringContaining('INVALID_STATE_TRANSITION')])
      }
  })

  test('skips the rows that an earlier run is done with, as the real run does', async () => {
    const person = createCli()
    const sample = JSON.parse(readFileSync('examples/order.json', 'utf8'))
    const file = join(person.home, 'day.ndjson')
    const write = (...references: string[]) =>
      writeFileSync(
        file,
        references.map((reference) => `${JSON.stringify({ ...sample, clientOrderReference: reference })}\n`).join(''),
      )
    const words = ['deliveries', 'create', '--file', file]
    write('DONE-1', 'DONE-2')
    expect((await person.run(words)).exitCode).toBe(0)
    write('DONE-1', 'DONE-2', 'NEW-1')
    const dry = await person.run([...words, '--dry-run', '-o', 'ndjson'])
    expect(jsonLines(dry.stdout).map(({ clientOrderReference }) => clientOrderReference)).toEqual(['NEW-1'])
    expect(dry.stderr).toContain('1 row is ready, 2 done in an earlier run. Nothing was sent.')
    expect((await person.run(words)).stderr).toMatch(/3 created \(2 of them in an earlier run/)
  })
})
