import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type JsonServer, startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'

const cli = createCli(afterAll)
const skewMs = 170_000
const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))
let server: JsonServer
let references = 0
let reference = ''
/** What the service does next: answers that are lost, reads that find nothing, and whether the reference is taken. */
let next = { lost: 0, missing: 0, taken: false }

const run = (words: string[]) => cli.run(words, { env: server.env })
const create = ['deliveries', 'create', '--file', 'examples/order.json']

function orders(): string {
  const file = join(cli.home, `${reference}.ndjson`)
  const rows = [0, 1].map((row) => JSON.stringify({ ...order, clientOrderReference: `${reference}-${row}` }))
  writeFileSync(file, rows.join('\n'))
  return file
}

beforeEach(async () => {
  reference = `LAG-${++references}`
  next = { lost: 0, missing: 0, taken: false }
  const missed = new Map<string, number>()
  const replayed = new Set<unknown>()
  server = await startJsonServer((path, response) => {
    const { method, headers } = response.req
    const url = new URL(path, 'http://service.test')
    const [, , id] = url.pathname.split('/')
    const nowMs = Date.now() + skewMs
    response.setHeader('Date', new Date(nowMs).toUTCString())
    const found = (clientOrderReference: string) => ({
      deliveryId: `del_${clientOrderReference}`,
      clientOrderReference,
      status: 'accepted',
      createdAt: new Date(nowMs - 60_000).toISOString(),
      updatedAt: new Date(nowMs - 60_000).toISOString(),
      pricing: { deliveryFeeCents: 1_000, tipAmountCents: 400, totalPriceCents: 1_400, currency: 'USD' },
    })
    if (method === 'POST' && id === undefined) {
      if (next.taken) {
        response.statusCode = 409
        return JSON.stringify({ error: { code: 'DUPLICATE_ORDER', message: 'Taken.' } })
      }
      const key = headers['idempotency-key']
      if (next.lost > 0 && !replayed.has(key)) {
        next.lost--
        replayed.add(key)
        response.req.socket.destroy()
        return undefined
      }
      response.statusCode = 201
      if (replayed.has(key)) response.setHeader('Idempotency-Replayed', 'true')
      json(response.req).then((sent) =>
        response.end(JSON.stringify(found((sent as { clientOrderReference: string }).clientOrderReference))),
      )
      return undefined
    }
    if (id === undefined)
      return JSON.stringify({
        deliveries: [found(url.searchParams.get('clientOrderReference') ?? '')],
        nextCursor: null,
      })
    const misses = missed.get(id) ?? 0
    missed.set(id, misses + 1)
    if (misses < next.missing) {
      response.statusCode = 404
      return JSON.stringify({ error: { code: 'DELIVERY_NOT_FOUND', message: 'Not here.' } })
    }
    return JSON.stringify(found(id.replace('del_', '')))
  })
})
afterEach(() => server.close())

describe('A service whose copies are a moment behind', () => {
  it('has the delivery that it lists: its row exists, and is unknown at worst', async () => {
    next = { lost: 0, missing: 1, taken: true }
    const there = await run(['deliveries', 'create', '--file', orders()])
    expect(there.stderr).toContain('2 existing.')
    expect(there.exitCode).toBe(0)
    next = { lost: 0, missing: 100, taken: true }
    reference += 'B'
    const never = await run(['deliveries', 'create', '--file', orders()])
    expect(never.stderr).toContain('2 unknown.')
    expect(never.exitCode).toBe(9)
  })

  it.each([
    ['get', ['deliveries', 'get']],
    ['watch', ['deliveries', 'watch', '--until', 'accepted']],
    ['cancel', ['deliveries', 'cancel', '--yes']],
    ['update', ['deliveries', 'update', '--tip-cents', '100', '--yes']],
  ])('finds a delivery that was just created from here: %s', async (_name, words) => {
    const id = (await run([...create, '--ref', `${reference}-0`, '-q'])).stdout.trim()
    expect(id).toBe(`del_${reference}-0`)
    next.missing = 1
    const { exitCode, stderr } = await run([...words, id])
    expect(exitCode, stderr).toBe(0)
  })

  it('does not wait for a delivery that nobody here has seen', async () => {
    next.missing = 1
    expect((await run(['deliveries', 'get', 'del_OTHER'])).exitCode).toBe(4)
    expect(server.asked).toEqual(['/deliveries/del_OTHER'])
  })
})

describe('A stored answer after one that was lost', () => {
  it('is the delivery that this run created, with its money', async () => {
    next.lost = 1
    const single = await run([...create, '--ref', `${reference}-0`, '-q'])
    expect(single.stdout).toBe(`del_${reference}-0\n`)
    expect(single.stderr).not.toContain('nothing was dispatched')
    reference += 'B'
    next.lost = 2
    const { stderr, exitCode } = await run(['deliveries', 'create', '--file', orders()])
    expect(stderr).toContain('2 created for $20.00 without tips, tips $8.00.')
    expect(exitCode).toBe(0)
  })

  it('is timed by the clock of the service where it was there before', async () => {
    next.taken = true
    const { stderr } = await run([...create, '--ref', `${reference}-0`, '-q'])
    expect(stderr).toMatch(
      /This order already exists; nothing was dispatched\. Accepted (?:1m|59s|1m 1s)(?: 0s)? ago\./,
    )
  })
})
