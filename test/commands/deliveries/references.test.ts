import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type JsonServer, startJsonServer } from '../../support/cli/json-server.js'
import { createCli } from '../../support/cli/program.js'
import { startHttpServer, takeAll } from '../../support/http-server.js'
import { jsonLines } from '../../support/json-lines.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

interface ManifestCommand {
  id: string
  args: Record<string, { description?: string }>
  flags: Record<string, { name: string; summary?: string }>
}

const manifest = JSON.parse(readFileSync('oclif.manifest.json', 'utf8')) as {
  commands: Record<string, ManifestCommand>
}

/** What an argument called `id` or `ids` can be besides the id of a delivery. */
const otherIds = /^(?:Driver|Event|Endpoint) ids?\b/

/** Every command that takes the id of a delivery, and where. */
function placesOfIds(): string[] {
  return Object.values(manifest.commands)
    .flatMap(({ id, args, flags }) => [
      ...Object.entries(args).flatMap(([name, { description = '' }]) =>
        /\bdelivery\b/i.test(description) || (/^ids?$/.test(name) && !otherIds.test(description)) ? [id] : [],
      ),
      ...Object.keys(flags).flatMap((name) => (name === 'delivery' ? [`${id} --delivery`] : [])),
    ])
    .sort()
}

const reference = 'Bestellung 7/ü 🚚'
const sandbox = serveSandbox()
const cli = createCli(afterAll)
const env = () => ({ ...sandbox.env(), DLV_WEBHOOK_SECRET: sandbox.running.webhookSecret })
const run = (words: string[], stdin = '') => cli.run(words, { env: env(), stdin })
const lookups = (stderr: string) => stderr.match(/GET \S*clientOrderReference=/g)?.length ?? 0
let deliveryId = ''
let receiverUrl = ''
let closeReceiver = () => {}

/** What to type for each place, with the name of the delivery. */
const lines: Record<string, (name: string) => string[]> = {
  'deliveries:get': (name) => ['deliveries', 'get', name],
  'deliveries:watch': (name) => ['deliveries', 'watch', name],
  'deliveries:cancel': (name) => ['deliveries', 'cancel', name, '--dry-run'],
  'deliveries:update': (name) => ['deliveries', 'update', name, '--tip-cents', '500', '--dry-run'],
  'deliveries:open': (name) => ['deliveries', 'open', name],
  'deliveries:proof': (name) => ['deliveries', 'proof', name],
  explain: (name) => ['explain', name],
  simulate: (name) => ['simulate', name, '--list'],
  'sandbox:inspect': (name) => ['sandbox', 'inspect', name],
  'events:list --delivery': (name) => ['events', 'list', '--delivery', name],
  'events:tail --delivery': (name) => ['events', 'tail', '--since', '1h', '--delivery', name],
  'events:replay --delivery': (name) => ['events', 'replay', '--to', receiverUrl, '--delivery', name, '-q'],
  'webhooks:log --delivery': (name) => ['webhooks', 'log', '--delivery', name],
}

/** A tail ends with Ctrl-C; a dry run refuses what a delivery that was delivered does not allow. */
const exitCodes: Record<string, number> = {
  'events:tail --delivery': 130,
  'deliveries:cancel': 5,
  'deliveries:update': 5,
}

/** Runs a line to its end; a tail ends with Ctrl-C once the delivery was delivered. */
async function ended(words: string[]) {
  if (words[1] !== 'tail') return run([...words, '--verbose'])
  const tail = cli.start([...words, '--verbose'], { env: env() })
  await Promise.race([tail.line((line) => line.includes('delivery.delivered')), tail.ended])
  return tail.kill('SIGINT')
}

beforeAll(async () => {
  const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref']
  for (const other of [reference, 'OTHER-1']) await run([...create, other])
  deliveryId = (await run(['deliveries', 'get', reference, '--jq', '.deliveryId'])).stdout.trim()
  await run(['simulate', reference, '--to', 'delivered'])
  receiverUrl = await startHttpServer(takeAll, (end) => {
    closeReceiver = end
  })
  const listener = cli.start(['webhooks', 'listen', '--port', '0', '--pull', '--since', '1h', '-o', 'ndjson'], {
    env: env(),
  })
  await listener.line((line) => line.includes('delivery.delivered'))
  await listener.kill('SIGINT')
})
afterAll(() => closeReceiver())

describe('The reference of an order', () => {
  it('is taken by every command that takes the id of a delivery', () => {
    expect(placesOfIds()).toEqual(Object.keys(lines).sort())
  })

  it.each(Object.keys(lines))('stands for the id in %s, for one lookup', async (place) => {
    const [byId, byReference] = [
      await ended(lines[place]?.(deliveryId) ?? []),
      await ended(lines[place]?.(reference) ?? []),
    ]
    expect(byReference.stdout).toBe(byId.stdout)
    expect(byId.exitCode).toBe(exitCodes[place] ?? 0)
    if (byId.exitCode === 5) for (const { stderr } of [byId, byReference]) expect(stderr).toContain(deliveryId)
    expect(byReference.exitCode).toBe(byId.exitCode)
    expect(lookups(byId.stderr)).toBe(0)
    // The journal needs no service.
    expect(lookups(byReference.stderr)).toBe(place === 'webhooks:log --delivery' ? 0 : 1)
  })

  it.each(Object.keys(lines))('ends %s with 4 if no delivery has it', async (place) => {
    const { exitCode, stdout, stderr } = await run([...(lines[place]?.('ORDER-9') ?? []), '--json'])
    expect(stdout).toBe('')
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'DELIVERY_NOT_FOUND', status: null, exitCode: 4 })
    expect(exitCode).toBe(4)
  })

  it('that begins with del_ is an id, unless ref: stands in front', async () => {
    await run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'del_ORDER'])
    const asId = await run(['deliveries', 'get', 'del_ORDER'])
    expect(asId.exitCode).toBe(4)
    expect(asId.stderr).toContain('A reference that begins with del_ is written ref:del_….')
    const named = await run(['deliveries', 'get', 'ref:del_ORDER', '--jq', '.clientOrderReference'])
    expect(named.stdout).toBe('del_ORDER\n')
    expect((await run(['deliveries', 'get', `id:${deliveryId}`, '-q'])).stdout).toBe(`${deliveryId}\n`)
  })

  it('leads to the newest delivery if an earlier one has ended', async () => {
    await run(['sandbox', 'switches', 'duplicates=active'])
    onTestFinished(async () => void (await run(['sandbox', 'switches', 'duplicates=forever'])))
    const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'TWICE', '--new-key', '-q']
    const first = (await run(create)).stdout.trim()
    await run(['deliveries', 'cancel', first])
    const api = ['api', 'POST', '/deliveries', '-H', 'Idempotency-Key: again', '--input', '-', '--jq', '.deliveryId']
    const order = { ...JSON.parse(readFileSync('examples/order.json', 'utf8')), clientOrderReference: 'TWICE' }
    const second = (await run(api, JSON.stringify(order))).stdout.trim()
    expect(second).toMatch(/^del_/)
    expect(second).not.toBe(first)
    expect((await run(['deliveries', 'get', 'TWICE', '-q'])).stdout.trim()).toBe(second)
  })

  it('of several deliveries lists them and ends with 5', async () => {
    const deliveries = ['delivered', 'accepted'].map((status, day) => ({
      deliveryId: `del_${day}`,
      clientOrderReference: 'TWICE',
      status,
      createdAt: `2026-03-0${day + 1}T15:00:00Z`,
    }))
    const server = await startJsonServer(() => JSON.stringify({ deliveries, nextCursor: null }))
    onTestFinished(() => server.close())
    const { exitCode, stderr } = await cli.run(['deliveries', 'cancel', 'TWICE', '--yes'], { env: server.env })
    expect(exitCode).toBe(5)
    expect(stderr).toBe(
      [
        'error: 2 deliveries have the reference "TWICE". (AMBIGUOUS_REFERENCE)',
        '  del_0  delivered  2026-03-01T15:00:00Z',
        '  del_1  accepted  2026-03-02T15:00:00Z',
        'hint: Use the id of the one that you mean.',
        '',
      ].join('\n'),
    )
    expect(server.asked).toEqual(['/deliveries?clientOrderReference=TWICE'])
    const json = await cli.run(['deliveries', 'get', 'TWICE', '--json'], { env: server.env })
    expect(JSON.parse(json.stderr).error.details.candidates).toEqual(
      deliveries.map(({ deliveryId, status, createdAt }) => ({ deliveryId, status, createdAt })),
    )
  })

  it.each([
    ['with no character', '', 'is empty'],
    ['with nothing after ref:', 'ref:', 'is empty'],
    ['of more than 128 characters', 'ü'.repeat(129), 'has 129 characters; 128 is the most'],
  ])('%s is refused before anything is sent', async (_name, name, message) => {
    const { exitCode, stderr } = await run(['deliveries', 'get', name, '--verbose'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('GET')
  })

  it.each([
    ['--'],
    ['-x'],
    ['line\nbreak'],
    ['\u202emirrored'],
    ['&from=2026'],
    ['..'],
    ['ref:x'],
    ['a\'b"c'],
    ['#1'],
  ])('can be %j', async (name) => {
    const create = [
      'deliveries',
      'create',
      '--file',
      'examples/order.json',
      '--set',
      `clientOrderReference=${JSON.stringify(name)}`,
    ]
    const created = await run([...create, '-q'])
    expect(created.exitCode, created.stderr).toBe(0)
    expect((await run(['deliveries', 'get', `ref:${name}`, '-q'])).stdout).toBe(created.stdout)
  })
})

describe('References on standard input', () => {
  it('are read one per line, with spaces, beside ids', async () => {
    const { exitCode, stdout } = await run(
      ['deliveries', 'get', '-', '-q'],
      `${reference}\n${deliveryId} delivered\nOTHER-1\taccepted\n`,
    )
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').slice(0, 2)).toEqual([deliveryId, deliveryId])
    expect(stdout.split('\n')[2]).toMatch(/^del_/)
  })

  it('that are unknown are named, and the others shown', async () => {
    const { exitCode, stdout, stderr } = await run(['deliveries', 'get', '-', '-q'], `NO SUCH\n${deliveryId}\n`)
    expect(stdout).toBe(`${deliveryId}\n`)
    expect(stderr).toContain('warning: NO SUCH: No delivery has the reference "NO SUCH".')
    expect(exitCode).toBe(9)
  })

  it('cancel their deliveries; an unknown one fails alone', async () => {
    for (const name of ['BULK 1', 'BULK 2'])
      await run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', name])
    const { exitCode, stdout } = await run(['deliveries', 'cancel', '-', '-o', 'ndjson'], 'BULK 1\nNO SUCH\nBULK 2\n')
    const rows = jsonLines(stdout)
    expect(rows.sort((a, b) => a.row - b.row)).toMatchObject([
      { row: 1, outcome: 'cancelled', status: 'cancelled' },
      {
        row: 2,
        clientOrderReference: 'NO SUCH',
        outcome: 'failed',
        error: { message: 'No delivery has the reference "NO SUCH".' },
      },
      { row: 3, outcome: 'cancelled', status: 'cancelled' },
    ])
    expect(exitCode).toBe(9)
  })

  it('are a column of their own in the rows of a cancellation', async () => {
    for (const name of ['BULK 4', 'BULK.5'])
      await run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', name])
    const csv = 'clientOrderReference,reason\nBULK 4,customer_cancelled\n'
    expect((await run(['deliveries', 'cancel', '-'], csv)).exitCode).toBe(0)
    expect((await run(['deliveries', 'get', 'BULK 4', '--jq', '.status'])).stdout).toBe('cancelled\n')
    // A line with a dot is no header of CSV.
    expect((await run(['deliveries', 'cancel', '-'], 'BULK.5\n')).exitCode).toBe(0)
    const missing = await run(['deliveries', 'cancel', '-', '-o', 'ndjson'], 'reason,reasonNotes\nlate,\n')
    expect(missing.exitCode).not.toBe(0)
  })

  it('may be a megabyte long: the row fails, and the results hold its beginning', async () => {
    const { exitCode, stdout } = await run(['deliveries', 'cancel', '-', '-o', 'ndjson'], `${'x'.repeat(1_048_576)}\n`)
    expect(exitCode).toBe(9)
    expect(stdout.length).toBeLessThan(1_000)
    expect(JSON.parse(stdout).error.message).toContain('has 1048576 characters; 128 is the most')
  })

  it('name the delivery in the rows of an update that have no deliveryId, which is always an id', async () => {
    await run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'BULK 3'])
    const csv = (name: string) => `${name},dropoff.instructions\nBULK 3,Ring twice\n`
    expect((await run(['deliveries', 'update', '-'], csv('deliveryId'))).exitCode).toBe(9)
    expect((await run(['deliveries', 'update', '-'], csv('clientOrderReference'))).exitCode).toBe(0)
    expect((await run(['deliveries', 'get', 'BULK 3', '--jq', '.dropoff.instructions'])).stdout).toBe('Ring twice\n')
  })
})

describe('Ids that do not begin with del_', () => {
  const home = mkdtempSync(join(tmpdir(), 'ids-'))
  let server: JsonServer
  let unlisted: string[] = []
  const deliveries: Record<string, { deliveryId: string; clientOrderReference: string; status: string }> = {}
  const add = (deliveryId: string, clientOrderReference: string) => {
    deliveries[deliveryId] = { deliveryId, clientOrderReference, status: 'accepted' }
    return deliveries[deliveryId]
  }
  const writes = () => server.asked.filter((asked) => asked.startsWith('POST') || asked.startsWith('PATCH'))
  const ask = (words: string[], stdin = '') => {
    server.asked.length = 0
    return cli.run(words, { env: { ...server.env, DLV_DATA_DIR: home }, stdin })
  }

  beforeEach(async () => {
    unlisted = []
    for (const id of Object.keys(deliveries)) delete deliveries[id]
    // The reference of one is the id of the other.
    add('W-1', 'A-1')
    add('W-2', 'W-1')
    server = await startJsonServer((path, response) => {
      const { method = '' } = response.req
      server.asked[server.asked.length - 1] = `${method} ${path}`
      const [, , id = '', action] = new URL(path, 'http://service.test').pathname.split('/')
      if (method === 'POST' && action === undefined) {
        response.statusCode = 201
        return JSON.stringify(add('W-3', 'W-2'))
      }
      const all = Object.values(deliveries).filter(({ deliveryId }) => !unlisted.includes(deliveryId))
      const reference = new URL(path, 'http://service.test').searchParams.get('clientOrderReference')
      if (id === '') {
        const found = all.filter(
          ({ clientOrderReference }) => (reference ?? clientOrderReference) === clientOrderReference,
        )
        return JSON.stringify({ deliveries: found, nextCursor: null })
      }
      const delivery = deliveries[id]
      if (delivery !== undefined) return JSON.stringify(delivery)
      response.statusCode = 404
      return JSON.stringify({ error: { code: 'DELIVERY_NOT_FOUND', message: 'Unknown.' } })
    })
    return () => server.close()
  })

  it.each([
    ['cancel', 'rows.json', '[{"deliveryId":"W-1"}]', 'POST /deliveries/W-1/cancel'],
    ['update', 'rows.csv', 'deliveryId,tipAmountCents\nW-1,500\n', 'PATCH /deliveries/W-1'],
  ])('are ids in the deliveryId of rows, whatever is referred to by them: %s', async (command, name, text, sent) => {
    const file = join(mkdtempSync(join(home, 'run-')), name)
    writeFileSync(file, text)
    const { exitCode, stderr } = await ask(['deliveries', command, '--file', file, '--yes'])
    expect(exitCode, stderr).toBe(0)
    expect(writes()).toEqual([sent])
    expect(server.asked.filter((path) => path.includes('clientOrderReference'))).toEqual([])
  })

  it('are printed so that they are read back as ids', async () => {
    const { stdout } = await ask(['deliveries', 'list', '-q'])
    expect(stdout).toBe('id:W-1\nid:W-2\n')
    expect((await ask(['deliveries', 'get', '-', '-q'], stdout)).stdout).toBe(stdout)
    expect((await ask(['deliveries', 'cancel', '-', '--yes'], 'id:W-1\n')).exitCode).toBe(0)
    expect(writes()).toEqual(['POST /deliveries/W-1/cancel'])
  })

  it.each([
    [['deliveries', 'cancel', 'W-1', '--yes']],
    [['deliveries', 'cancel', 'W-1', '--dry-run']],
    [['deliveries', 'update', 'W-1', '--tip-cents', '500', '--yes']],
    [['simulate', 'W-1', '--to', 'delivered']],
    [['deliveries', 'get', 'W-1']],
  ])('are refused where they are a reference too, in %j', async (words) => {
    const { exitCode, stdout, stderr } = await ask(words)
    expect(exitCode).toBe(5)
    expect(stdout).toBe('')
    expect(stderr).toContain('"W-1" is the id of one delivery and the reference of another. (AMBIGUOUS_REFERENCE)')
    expect(stderr).toContain('Write id:W-1 for the first, or ref:W-1 for the other, W-2.')
    expect(writes()).toEqual([])
  })

  it('are shown, but nothing is done to them unless id: says that they are ids', async () => {
    expect((await ask(['deliveries', 'get', 'W-2', '--jq', '.clientOrderReference'])).stdout).toBe('W-1\n')
    for (const words of [['cancel'], ['cancel', '--dry-run'], ['update', '--tip-cents', '1'], ['create', '--from']]) {
      const { exitCode, stderr } = await ask(['deliveries', ...words, 'W-2'])
      expect(exitCode).toBe(4)
      expect(stderr).toContain('No delivery has the reference "W-2".')
      expect(stderr).toContain("If it is the delivery's id, write id:W-2.")
      expect(writes()).toEqual([])
    }
    const piped = await ask(['deliveries', 'cancel', '-', '--yes', '-o', 'ndjson'], 'W-2\n')
    expect(JSON.parse(piped.stdout).error.hint).toContain('write id:W-2.')
    expect(writes()).toEqual([])
    expect((await ask(['deliveries', 'cancel', 'id:W-2', '--yes'])).exitCode).toBe(0)
    expect(writes()).toEqual(['POST /deliveries/W-2/cancel'])
  })

  it('give way to the reference that was just sent from here, before the service lists it', async () => {
    unlisted = ['W-3']
    expect((await ask(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'W-2', '-q'])).stdout).toBe(
      'id:W-3\n',
    )
    // The word is the id of another delivery, which must be said.
    const both = await ask(['deliveries', 'cancel', 'W-2', '--yes'])
    expect(both.exitCode).toBe(5)
    expect(both.stderr).toContain('ref:W-2 for the other, W-3')
    expect(writes()).toEqual([])
    delete deliveries['W-2']
    const dry = await ask(['deliveries', 'cancel', 'W-2', '--dry-run'])
    expect(dry.stderr).toContain('W-2 is the reference of W-3.')
    for (const name of ['W-2', 'ref:W-2']) {
      expect((await ask(['deliveries', 'cancel', name, '--yes'])).exitCode).toBe(0)
      expect(writes()).toEqual(['POST /deliveries/W-3/cancel'])
    }
  })
})
