import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/shared/canonical-json.js'
import { createCli, type RunOptions } from '../support/cli/program.js'
import { faults, serveScripted } from '../support/client/scripted-server.js'
import { jsonLines } from '../support/json-lines.js'

const cli = createCli(afterAll)
const { server, env } = serveScripted()

const run = (words: readonly string[], options: RunOptions = {}) =>
  cli.run(words, { ...options, env: { ...env(), ...options.env } })

describe('A single order', () => {
  const words = [
    'deliveries',
    'create',
    '--ref',
    'S-1',
    '--store',
    'STORE-001',
    '--to',
    '300 Hay St, Fayetteville, NC 28301',
  ]

  test('has its key and body hash on the disk before it is sent, and nothing of a person', async () => {
    const someone = createCli()
    const folder = join(someone.home, 'data')
    let kept = ''
    server.always = (turn) => {
      const ledger = new DatabaseSync(join(folder, 'orders.db'), { readOnly: true })
      kept = JSON.stringify(ledger.prepare('SELECT * FROM orders').all())
      ledger.close()
      turn.send(turn.execute())
    }
    const texts = ['package.description=Cake for Maya', 'metadata.from=Maya', 'dropoff.instructions=Ask for Maya']
    const { exitCode } = await someone.run(
      [...words, '--name', 'Maya Reyes', ...texts.flatMap((text) => ['--set', text])],
      { env: { ...env(), DLV_DATA_DIR: folder } },
    )
    expect(exitCode).toBe(0)
    const key = server.requests[0]?.headers['idempotency-key']
    expect(JSON.parse(kept)).toMatchObject([
      { reference: 'S-1', idempotency_key: key, body_hash: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ])
    expect(kept).not.toMatch(/Maya|Hay St/)
    expect(kept.match(/sha256 [0-9a-f]{12}/g)).toHaveLength(3)
  })

  const clockAt = (days: number) => ({ nowMs: () => Date.now() + days * 86_400_000 })

  test.each([
    ['right', 0, 0],
    ['set back ten days', 0, -10],
    ['two days ahead at first', 2, 0],
  ])('that was sent before is looked up before it is sent again, with a clock that is %s', async (_, then, since) => {
    const someone = createCli()
    const folders = { ...env(), DLV_DATA_DIR: join(someone.home, 'data') }
    expect((await someone.run(words, { env: folders, ...clockAt(then) })).exitCode).toBe(0)
    server.service.forgetKeys()
    server.requests.length = 0
    const again = await someone.run(words, { env: folders, ...clockAt(since) })
    expect(again.exitCode).toBe(0)
    expect(again.stderr).toContain('This order already exists; nothing was dispatched.')
    expect(server.requests.map(({ method }) => method)).toEqual(['GET'])
    expect(server.service.creations).toBe(1)
  })

  const unnamed = words.filter((word) => !['--ref', 'S-1'].includes(word))

  test('without a reference is known by the delivery that it became', async () => {
    const someone = createCli()
    server.service.freesReferences = true
    expect((await someone.run(unnamed, { env: env() })).exitCode).toBe(0)
    server.service.passDay()
    const again = await someone.run([...unnamed, '--jq', '.status'], { env: env() })
    expect([again.exitCode, again.stdout]).toEqual([0, 'delivered\n'])
    expect(server.service.creations).toBe(1)
    expect((await someone.run([...unnamed, '--new-key'], { env: env() })).exitCode).toBe(0)
    expect(server.service.creations).toBe(2)
  })

  test('without a reference and without an answer is sent again only while the service surely knows its key', async () => {
    const someone = createCli()
    server.always = faults.resetAfter()
    expect((await someone.run([...unnamed, '--timeout', '1s'], { env: env() })).exitCode).toBe(8)
    server.always = undefined
    const later = await someone.run(unnamed, { env: env(), ...clockAt(1) })
    expect(later.exitCode).toBe(2)
    expect(later.stderr).toContain('has no reference to look it up by')
    expect(later.stderr).toContain('--new-key dispatches it again')
    expect((await someone.run(unnamed, { env: env() })).exitCode).toBe(0)
    expect(server.service.creations).toBe(1)
  })

  test('that was sent before is sent again under the same key where nothing is found', async () => {
    const someone = createCli()
    const sender = { env: { ...env(), DLV_DATA_DIR: join(someone.home, 'data') } }
    server.play(faults.refuse(422, 'NO_ELIGIBLE_PROVIDERS'))
    expect((await someone.run(words, sender)).exitCode).toBe(6)
    expect((await someone.run(words, sender)).exitCode).toBe(0)
    const keys = server.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  test('is sent all the same where nothing can be kept, with its key named', async () => {
    const { exitCode, stderr } = await run(words, { env: { DLV_DATA_DIR: '/proc/none' } })
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/Cannot record this order .*dlv_/)
  })

  test('has its body hashed once', async () => {
    const hashed = join(cli.home, 'hashed')
    const settings = {
      NODE_OPTIONS: `--require ${join(process.cwd(), 'test/support/cli/hashed-texts.cjs')}`,
      DLV_TEST_HASHED_TEXTS: hashed,
    }
    const file = 'examples/order.json'
    const { exitCode, stderr } = await cli.runProcess(['deliveries', 'create', '--file', file], {
      env: { ...env(), ...settings },
    })
    expect(exitCode, stderr).toBe(0)
    const body = canonicalJson(JSON.parse(readFileSync(file, 'utf8')))
    const texts = jsonLines(readFileSync(hashed, 'utf8'))
    expect(texts.filter((text) => text === body)).toHaveLength(1)
  })
})

describe('A lost answer', () => {
  const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'LOST 1']
  const limit = ['--timeout', '300ms', '--json']
  const lostOnce = () => {
    server.play(faults.resetAfter())
    server.always = faults.refuse(503, 'SERVICE_UNAVAILABLE')
  }
  const ways: [way: string, begin: () => void][] = [
    [
      'breaks off',
      () => {
        server.always = faults.resetAfter()
      },
    ],
    [
      'is a 500',
      () => {
        server.always = faults.refuseAfter(500, 'INTERNAL_ERROR')
      },
    ],
    ['is lost before the service goes down', lostOnce],
  ]

  const referenceIn = (body: string) => (JSON.parse(body) as { clientOrderReference: string }).clientOrderReference

  /** Someone with a key in the file of profiles, and a delivery that the service has. */
  async function someone() {
    const person = createCli()
    const words = ['profiles', 'add', 'acme', '--base-url', server.baseUrl, '--api-key-stdin', '--use']
    await person.run([...words, '--environment', 'sandbox'], { stdin: 'key' })
    const { deliveryId } = await person.json<{ deliveryId: string }>([...order.slice(0, -1), 'THERE'])
    server.requests.length = 0
    const hintOf = async (words: string[]) => {
      const { exitCode, stderr } = await person.run([...words, ...limit])
      expect(exitCode, stderr).toBe(8)
      return (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: { hint: string } }).error.hint
    }
    const writes = () => server.requests.filter(({ method }) => method !== 'GET')
    return { person, deliveryId, hintOf, writes }
  }

  test.each(
    ways,
  )('to a create that %s says what was sent, that it can be repeated, and what looks', async (_, begin) => {
    const { person, hintOf, writes } = await someone()
    begin()
    const hint = await hintOf(order)
    const [, key] =
      /The order was sent with the idempotency key (dlv_\S+) and may have been dispatched\./.exec(hint) ?? []
    expect(key, hint).toBeDefined()
    for (const { headers } of writes()) expect(headers['idempotency-key']).toBe(key)
    expect(hint).toContain('For 24 hours, the same request with this key dispatches nothing more.')
    expect(hint).toMatch(/ Running the same command again is safe\. Next: dlv deliveries get --ref 'LOST 1'$/)
    begin()
    const other = await hintOf([...order.slice(0, -1), 'LOST 2', '--new-key'])
    expect(other).toMatch(/Repeat it with --idempotency-key \S+, not with --new-key\./)
    server.always = undefined
    expect((await person.run(order)).exitCode).toBe(0)
    // A busy machine may spend the time limit before the service has read a request: then this one dispatches it.
    const orders = writes().map(({ headers, body }) => [referenceIn(body), headers['idempotency-key']])
    expect(orders.filter(([reference]) => reference === 'LOST 1')).not.toEqual([])
    for (const [reference, sentUnder] of orders) expect(sentUnder === key).toBe(reference === 'LOST 1')
    const created = [...server.service.deliveries.values()].map((delivery) => delivery.clientOrderReference)
    expect(created.filter((reference) => reference === 'LOST 1')).toHaveLength(1)
    expect(server.service.creations).toBe(new Set(created).size)
  })

  test.each(ways)('to an update or a cancellation that %s says the same', async (way, begin) => {
    const { person, deliveryId, hintOf, writes } = await someone()
    begin()
    const hint = await hintOf(['deliveries', 'update', deliveryId, '--items', '3'])
    const tail = ` Running the same command again is safe. Next: dlv deliveries get ${deliveryId}`
    expect(hint).toContain(
      `The changes were sent and may have been applied. Sent again, they set the same values.${tail}`,
    )
    if (way.includes('lost')) lostOnce()
    const cancelled = await hintOf(['deliveries', 'cancel', deliveryId])
    const [, key, rest] =
      /sent with the idempotency key (dlv_\S+) and may have been executed\.(.*)$/.exec(cancelled) ?? []
    expect(rest).toBe(` The same request with this key costs no second fee.${tail}`)
    server.always = undefined
    expect((await person.run(['deliveries', 'cancel', deliveryId])).exitCode).toBe(0)
    expect(writes().at(-1)?.headers['idempotency-key']).toBe(key)
  })

  test('is not spoken of where the service has refused, or nothing was sent', async () => {
    const { person } = await someone()
    server.play(faults.resetAfter(), faults.refuse(422, 'NO_ELIGIBLE_PROVIDERS'))
    expect((await person.run(order)).stderr).not.toContain('may have been')
    await server.close()
    expect((await person.run([...order, ...limit])).stderr).not.toContain('may have been')
  })
})
