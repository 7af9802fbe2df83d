import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient, JsonNumber } from '../../src/client/index.js'
import { jsonMembers } from '../../src/webhooks/listed-events.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { startEchoService } from '../support/echo-service.js'
import { startHttpServer } from '../support/http-server.js'
import { connectAgent } from '../support/mcp/agent.js'
import { testOrder } from '../support/orders.js'
import { fc, sampleCount } from '../support/samples.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

const served = serveSandbox()
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const numbers =
  '{"a":1.10,"b":1e5,"c":1.0,"d":1E+2,"deep":[{"x":2.50},9007199254740995],"erp":9007199254740993,"limit":5.0,"z":-0}'

/** A shop's person whose service gives metadata back as it was sent. */
async function startJourney() {
  const cli = createCli()
  const service = await startEchoService(served)
  Object.assign(cli.env, service.env, { DLV_WEBHOOK_SECRET: secret })
  return { cli, service }
}

function orderText(reference: string, metadata: string): string {
  return `${JSON.stringify(testOrder(reference)).slice(0, -1)},"metadata":${metadata}}`
}

/** The metadata in a text, wherever it is, without white space. */
function metadataIn(text: string): string {
  const found = /"metadata":\s*/.exec(text)
  if (found === null) return `no metadata in ${text}`
  const rest = Buffer.from(`{"metadata":${text.slice(found.index + found[0].length)}`)
  return Buffer.from(jsonMembers(rest)?.get('metadata') ?? [])
    .toString()
    .replace(/\s/g, '')
}

async function printed(cli: Cli, words: readonly string[], stdin?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await cli.run(words, stdin === undefined ? {} : { stdin })
  return exitCode === 0 ? stdout : `exit ${exitCode}: ${stdout}${stderr}`
}

describe('Numbers that dlv does not compute with', () => {
  test('are sent as they are written, whichever way they come', async () => {
    const { cli, service } = await startJourney()
    const file = (name: string, text: string) => {
      writeFileSync(join(cli.home, name), text)
      return join(cli.home, name)
    }
    const base = file('base.json', JSON.stringify(testOrder('D-0')))
    const sheet =
      'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone,metadata\n' +
      `D-5,STORE-001,"300 Hay St, Fayetteville, NC 28301",Maya,+12025550100,"${numbers.replaceAll('"', '""')}"\n`
    const create = ['deliveries', 'create', '--yes']
    const ways: [words: string[], stdin?: string][] = [
      [[...create, '--file', file('one.json', orderText('D-1', numbers))]],
      [[...create, '--file', file('array.json', `[${orderText('D-2', numbers)}]`)]],
      [[...create, '--file', file('lines.ndjson', `${orderText('D-3', numbers)}\n`)]],
      [[...create, '--file', '-'], orderText('D-4', numbers)],
      [[...create, '--file', file('sheet.csv', sheet)]],
      [[...create, '--file', base, '--ref', 'D-6', '--set', `metadata=${numbers}`]],
      [[...create, '--from', 'D-1', '--ref', 'D-7']],
      [['api', 'POST', '/deliveries', '--input', '-', '-H', 'Idempotency-Key: d-8'], orderText('D-8', numbers)],
      [['deliveries', 'update', 'D-1', '--set', `metadata=${numbers}`]],
      [['deliveries', 'update', 'D-1', '--file', '-'], `{"metadata":${numbers}}`],
    ]
    for (const [words, stdin] of ways) {
      const before = service.received.length
      const result = await cli.run(words, stdin === undefined ? {} : { stdin })
      expect([words, result.exitCode, result.stderr]).toEqual([words, 0, expect.anything()])
      const sent = service.received.slice(before).map(({ body }) => metadataIn(body))
      expect([words, sent]).toEqual([words, [numbers]])
    }
    await printed(cli, [
      ...create,
      '--file',
      base,
      '--ref',
      'D-9',
      '--set',
      'metadata.v=1e5',
      '--set',
      'metadata.w=007',
    ])
    expect(metadataIn(service.received.at(-1)?.body ?? '')).toBe('{"v":1e5,"w":"007"}')
  })

  test('come back in rejects, and are sent as they are once the row is mended', async () => {
    const { cli, service } = await startJourney()
    const [input, rejects] = [join(cli.home, 'in.ndjson'), join(cli.home, 'rejects.ndjson')]
    const wrong = orderText('R-2', numbers).replace('+12025550100', 'none')
    writeFileSync(input, `${orderText('R-1', numbers)}\n${wrong}\n`)
    await cli.run(['deliveries', 'create', '--file', input, '--yes', '--rejects', rejects])
    expect(metadataIn(readFileSync(rejects, 'utf8'))).toBe(numbers)
    writeFileSync(rejects, readFileSync(rejects, 'utf8').replace('"none"', '"+12025550100"'))
    await printed(cli, ['deliveries', 'create', '--file', rejects, '--yes'])
    expect(service.received.map(({ body }) => metadataIn(body))).toEqual([numbers, numbers])
  })

  test('reach the service from an agent, and the agent from the service', async () => {
    const { cli, service } = await startJourney()
    const agent = await connectAgent(cli, [], { answer: () => 'accept' })
    const free = JSON.parse(numbers, (_name, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? new JsonNumber(context?.source ?? '') : value,
    )
    const order = { ...testOrder('M-1'), package: { itemsCount: 2 }, metadata: free }
    const made = await agent.call('delivery_create', { order })
    expect(made.text).toContain('M-1')
    const created = service.received.filter(({ request }) => request.endsWith('/deliveries'))
    expect(created.map(({ body }) => metadataIn(body))).toEqual([numbers])
    const seen = await agent.call('delivery_get', { deliveryId: 'M-1' })
    expect(metadataIn(seen.text)).toBe(numbers)
  })

  test('stay in the sandbox, which checks the fields that it knows', async () => {
    const { cli } = await startJourney()
    await printed(cli, ['deliveries', 'create', '--file', '-'], orderText('S-1', numbers))
    expect(metadataIn(await printed(cli, ['sandbox', 'inspect', 'S-1', '--json']))).toBe(numbers)
    const tip = (text: string) => orderText('S-2', numbers).replace('"metadata"', `"tipAmountCents":${text},"metadata"`)
    const create = ['api', 'POST', '/deliveries', '--input', '-', '-H', 'Idempotency-Key: s-2']
    const refused = await cli.run(create, { stdin: tip('9007199254740993') })
    expect([refused.exitCode, refused.stdout]).toEqual([2, expect.stringContaining('tipAmountCents')])
    expect(await printed(cli, create, tip('300.0'))).toContain('"tipAmountCents":300,')
  })

  test('make another order and another key, and the same ones the same', async () => {
    const { cli, service } = await startJourney()
    const sent = async (metadata: string) => {
      const { exitCode } = await cli.run(['deliveries', 'create', '--file', '-'], { stdin: orderText('K-1', metadata) })
      return exitCode
    }
    expect(await sent('{"erp":9007199254740993}')).toBe(0)
    expect(await sent('{"erp":9007199254740993}')).toBe(0)
    expect(await sent('{"erp":9007199254740992}')).not.toBe(0)
    const keys = service.received.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length === 1 ? 1 : 2)
    const dry = async (metadata: string) => {
      const shown = await printed(
        cli,
        ['deliveries', 'create', '--file', '-', '--dry-run', '--json'],
        orderText('K-2', metadata),
      )
      return /"Idempotency-Key": "([^"]+)"/.exec(shown)?.[1]
    }
    expect(await dry('{"v":1.10}')).toBe(await dry('{"v":1.10}'))
    expect(await dry('{"v":1.10}')).not.toBe(await dry('{"v":1.1}'))
  })
})

test('A value of --set that begins like JSON and is not is refused, with a word on the quotes of the shell', async () => {
  const { cli, service } = await startJourney()
  for (const value of ['[a,b]', '{name:x}', ' [1,', '{"a":1']) {
    const { exitCode, stderr } = await cli.run(['deliveries', 'create', '--ref', 'Q-1', '--set', `metadata.x=${value}`])
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/metadata\.x begins like JSON.*single quotes/s)])
  }
  expect(service.received).toEqual([])
})

test('Drawn numbers pass unchanged from the order to the receiver and back', async () => {
  const { cli, service } = await startJourney()
  const posted: string[] = []
  const app = await startHttpServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces).toString()
    // Orders of other tests have events, too.
    if (body.includes('"P-1"')) posted.push(body)
    response.end()
  })
  const digits = fc.stringMatching(/^(?:0|[1-9][0-9]{0,24})$/)
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.stringMatching(/^(?:|\.[0-9]{1,20})$/),
      fc.stringMatching(/^(?:|[eE][+-]?[0-9]{1,3})$/),
    )
    .map((parts) => parts.join(''))
  const drawn = fc.sample(number, { numRuns: sampleCount(60) })
  const metadata = `{"list":[${drawn.join(',')}],"one":${drawn[0]}}`
  const shows = async (words: string[]) => expect(metadataIn(await printed(cli, words))).toBe(metadata)
  await printed(cli, ['deliveries', 'create', '--file', '-'], orderText('P-1', metadata))
  expect(service.received.map(({ body }) => metadataIn(body))).toEqual([metadata])
  await shows(['deliveries', 'get', 'P-1', '--json'])
  await shows(['deliveries', 'list', '-o', 'ndjson'])
  await shows(['events', 'list', '-o', 'ndjson'])
  await shows(['events', 'list', '--newest', '-o', 'json'])
  const listening = cli.start(['webhooks', 'listen', '--pull', '--since', '1h', '--forward-to', app, '-o', 'ndjson'])
  await until('an event at the app', () => posted.length > 0)
  listening.kill('SIGINT')
  await listening.ended
  expect(posted.map(metadataIn)).toEqual([metadata])
  const { eventId } = JSON.parse(posted[0] ?? '') as { eventId: string }
  await shows(['webhooks', 'log', eventId, '--json'])
  await shows(['webhooks', 'log', '-o', 'ndjson'])
  for (const format of ['http', 'curl']) await shows(['webhooks', 'log', eventId, '--as', format])
  await printed(cli, ['webhooks', 'resend', eventId, '--to', app])
  expect(posted).toEqual([posted[0], posted[0]])
})

describe('A program of its own', () => {
  test('gets numbers, and whole ones that no number holds as JsonNumber', async () => {
    const { cli, service } = await startJourney()
    await printed(cli, ['deliveries', 'create', '--file', '-'], orderText('L-1', numbers))
    const options = { baseUrl: service.env.DLV_BASE_URL ?? '', apiKey: service.env.DLV_API_KEY }
    const read = async (form?: 'as-written') => {
      const client = createClient({ ...options, ...(form === undefined ? {} : { numbers: form }) })
      onTestFinished(() => client.close())
      const [delivery] = await Array.fromAsync(client.each('listDeliveries', { clientOrderReference: 'L-1' }))
      return (delivery as unknown as { metadata: Record<string, unknown> }).metadata
    }
    const metadata = await read()
    expect([metadata.a, metadata.b, metadata.limit]).toEqual([1.1, 100_000, 5])
    expect(metadata.erp).toBeInstanceOf(JsonNumber)
    expect(String(metadata.erp)).toBe('9007199254740993')
    expect(BigInt(String(metadata.erp))).toBe(9007199254740993n)
    expect(JSON.stringify(await read('as-written'))).toBe(numbers)
  })

  test('sends a bigint, a JsonNumber and JSON.rawJSON as their digits', async () => {
    const { service } = await startJourney()
    const client = createClient({ baseUrl: service.env.DLV_BASE_URL ?? '', apiKey: service.env.DLV_API_KEY })
    onTestFinished(() => client.close())
    const metadata = { big: 9007199254740993n, raw: new JsonNumber('1.10') }
    await client.createDelivery({ body: { ...testOrder('B-1'), metadata } })
    await client.createDelivery({ body: { ...testOrder('B-2'), metadata }, idempotencyKey: 'b-2' })
    const sent = '{"big":9007199254740993,"raw":1.10}'
    expect(service.received.map(({ body }) => metadataIn(body))).toEqual([sent, sent])
    for (const text of ['1.', '0x10', '', '01', 'NaN']) expect(() => new JsonNumber(text)).toThrow(SyntaxError)
  })
})
