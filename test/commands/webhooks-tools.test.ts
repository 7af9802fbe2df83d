import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { eventTypes } from '../../src/contract/index.js'
import {
  expressReceiver,
  isDeliveryEvent,
  newSecret,
  sampleEvent,
  sendEvent,
  verify,
} from '../../src/webhooks/index.js'
import { createCli, fewAtATime } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { startTestApp } from '../support/listener/test-app.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const cli = createCli(afterAll)
const secret = newSecret()
const env = { DLV_WEBHOOK_SECRET: secret }
const run = (...words: string[]) => cli.run(words, { env })

function createFile(name: string, content: string): string {
  const file = join(cli.home, name)
  writeFileSync(file, content)
  return file
}

describe('webhooks sign', () => {
  it('signs as the service does, with every secret, and verify takes it', async () => {
    const file = createFile('body.json', '{ "eventId":"evt_9", "odd":1.0 }\n')
    const old = createFile('old.txt', newSecret())
    const files = ['--secret-file', createFile('new.txt', secret), '--secret-file', old]
    const headers = await cli.json<Record<string, string>>(['webhooks', 'sign', '--file', file, ...files])
    expect(Object.keys(headers)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
    const flags = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
    expect((await run('webhooks', 'verify', '--file', file, ...flags)).exitCode).toBe(0)
    expect((await cli.run(['webhooks', 'verify', '--file', file, ...flags, '--secret-file', old])).exitCode).toBe(0)
  })

  it('gives the known answer', async () => {
    const known = ['--id', 'msg_p5jXN8AQM9LWM0D4loKWxJek', '--at', '1614265330']
    const secretFile = createFile('known.txt', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    const { stdout } = await cli.run(['webhooks', 'sign', '--file', '-', ...known, '--secret-file', secretFile, '-q'], {
      stdin: '{"test": 2432232314}',
    })
    expect(stdout).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\n')
  })

  it('asks for an id if the body has none', async () => {
    const { exitCode, stderr } = await run('webhooks', 'sign', '--file', createFile('plain.txt', 'no JSON'))
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('use --id')])
  })
})

describe('webhooks send', () => {
  it('makes up an event of every type, which a receiver verifies', async () => {
    const app = await startTestApp()
    const codes = await fewAtATime(
      eventTypes,
      async (type) => (await run('webhooks', 'send', type, '--to', app.url)).exitCode,
    )
    expect(new Set(codes)).toEqual(new Set([0]))
    const types = app.arrived.map(({ rawHeaders, body }) => {
      const verdict = verify({ secrets: [secret], headers: rawHeaders, body })
      return verdict.ok ? verdict.event?.eventType : verdict.reason
    })
    expect(types.sort()).toEqual([...eventTypes].sort())
  })

  it('sets fields, takes an id, and sends a file byte for byte', async () => {
    const app = await startTestApp()
    const sets = [
      '--set',
      'delivery.statusReasonCode=gate_closed',
      '--set',
      'delivery.pricing.tipAmountCents=5',
      '--set',
      'eventId=evt_mine',
    ]
    await run('webhooks', 'send', 'delivery.failed', '--to', app.url, ...sets)
    const text = '{ "eventId" : "evt_file", "n": 1.0 }\r\n'
    await run('webhooks', 'send', '--file', createFile('event.json', text), '--to', app.url)
    await run('webhooks', 'send', '--file', createFile('event.json', text), '--to', app.url, '--id', 'evt_other')
    expect(app.ids()).toEqual(['evt_mine', 'evt_file', 'evt_other'])
    const bodies = app.arrived.map(({ body }) => body.toString())
    expect(JSON.parse(bodies[0] ?? '').delivery).toMatchObject({
      statusReasonCode: 'gate_closed',
      pricing: { tipAmountCents: 5 },
    })
    expect(bodies.slice(1)).toEqual([text, text])
  })

  it('ends with 9 where it is not taken, 8 where nobody answers, 2 where it is not to be sent', async () => {
    const app = await startTestApp((_, response) => {
      response.statusCode = 401
      response.end('who are you?')
    })
    const send = (...words: string[]) => run('webhooks', 'send', ...words)
    const refused = await send('delivery.accepted', '--to', app.url)
    expect([refused.exitCode, refused.stdout]).toEqual([9, expect.stringContaining('who are you?')])
    const nobody = await send('delivery.accepted', '--to', 'http://127.0.0.1:9/')
    expect([nobody.exitCode, nobody.stdout]).toEqual([8, expect.stringContaining('is your app up?')])
    const misspelt = await send('delivery.faild', '--to', app.url)
    expect(misspelt.stderr).toMatch(/"delivery.faild" is not an event type\.\n.*Did you mean "delivery.failed"/)
    const file = createFile('both.json', '{}')
    const wrong = [
      ['delivery.teleported', '--to', app.url],
      ['--to', app.url],
      ['delivery.accepted', '--file', file, '--to', app.url],
      ['--file', file, '--set', 'a=1', '--to', app.url],
      ['delivery.accepted', '--to', 'localhost:3000'],
      ['delivery.accepted'],
    ]
    const codes = await fewAtATime(wrong, async (words) => {
      const { exitCode, stderr } = await send(...words)
      return [exitCode, stderr.startsWith('error: ')]
    })
    expect(codes).toEqual(wrong.map(() => [2, true]))
  })
})

describe('a signing secret', () => {
  const body = () => createFile('any.json', '{"eventId":"evt_1"}')
  const commands = (): [string, string[]][] => [
    ['sign', ['--file', body()]],
    ['verify', ['--file', body(), '--header', 'webhook-id: evt_1']],
    ['send', ['delivery.accepted', '--to', 'http://127.0.0.1:9/']],
    ['test', ['--to', 'http://127.0.0.1:9/']],
    ['listen', ['--expect', 'driver.created', '--within', '1ms']],
  ]

  it('that is malformed is wrong usage in every command, which names it and never quotes it', async () => {
    for (const [command, words] of commands()) {
      const malformed = { DLV_WEBHOOK_SECRET: `${secret},whsec_not-base64!` }
      const { exitCode, stdout, stderr } = await cli.run(['webhooks', command, ...words], { env: malformed })
      expect([command, exitCode, stdout]).toEqual([command, 2, ''])
      expect(stderr).toContain('DLV_WEBHOOK_SECRET 2: the webhook secret cannot be used: it is not base64')
      expect(stderr).not.toContain('not-base64!')
    }
  })

  it('that is short is warned of in every command', async () => {
    const short = {
      DLV_WEBHOOK_SECRET: `whsec_${Buffer.from('guess me, please').toString('base64')}`,
      DLV_BASE_URL: 'https://api.example.com/v1',
      DLV_API_KEY: 'key_1',
    }
    for (const [command, words] of commands()) {
      const { stderr } = await cli.run(['webhooks', command, ...words], { env: short })
      expect(stderr).toContain('warning: DLV_WEBHOOK_SECRET: the key has 16 bytes; at least 24 are recommended.')
    }
  })
})

describe('--journal', () => {
  const sandbox = serveSandbox()
  const alone = {
    env: { DLV_BASE_URL: 'https://api.example.com/v1', DLV_ENVIRONMENT: 'sandbox', DLV_API_KEY: 'key_1', ...env },
  }
  const absent = '--journal no/such.db cannot be read: no such file or directory.'

  it.each([
    ['webhooks', 'log'],
    ['webhooks', 'log', 'evt_1'],
    ['webhooks', 'gaps'],
    ['events', 'replay', '--to', 'http://127.0.0.1:9/'],
    ['ui', '--port', '0'],
  ])('of a file that does not exist is refused: %s %s', async (...words) => {
    const { exitCode, stderr } = await createCli().run([...words, '--journal', 'no/such.db'], alone)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(absent)])
  })

  it('says where the secret of a sandbox on this machine is to be found', async () => {
    const { exitCode, stderr } = await createCli().run(['webhooks', 'listen'], { env: sandbox.env() })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the signing secret that dlv sandbox start prints')])
  })

  it('of a directory is refused', async () => {
    const { exitCode, stderr } = await createCli().run(['webhooks', 'listen', '--journal', '.'], alone)
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--journal \. is a directory\.\n.*Name a file in it/)])
  })

  it('of a file that does not exist is a problem for doctor, in the same words', async () => {
    const { exitCode, stdout } = await createCli().run(['doctor', '--journal', 'no/such.db', '--json'], { env })
    expect(exitCode).toBe(9)
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ check: 'journal', finding: absent }))
  })
})

describe('webhooks log', () => {
  it('lists what came, filtered, and shows one in full: masked, its headers, where it went', async () => {
    const anyone = createCli()
    const alone = {
      env: { DLV_BASE_URL: 'https://api.example.com/v1', DLV_ENVIRONMENT: 'sandbox', DLV_API_KEY: 'key_1', ...env },
    }
    expect((await anyone.run(['webhooks', 'log', '--json'], alone)).stdout.trim()).toBe('[]')
    for (const [flag, value] of [
      ['--type', 'delivery.delivred'],
      ['--since', 'nonsense'],
    ] as const) {
      const { exitCode, stderr } = await anyone.run(['webhooks', 'log', flag, value], alone)
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`"${value}"`)])
    }
    expect(await anyone.run(['webhooks', 'log', 'evt_1'], alone)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(/No webhooks were received yet; dlv webhooks listen/),
    })
    const app = await startTestApp()
    const listener = anyone.start(['webhooks', 'listen', '-o', 'ndjson', '--forward-to', app.url], alone)
    const { url } = JSON.parse(await listener.line((line) => line.includes('ready')))
    for (const [index, type] of ['delivery.accepted', 'driver.created', 'delivery.failed'].entries()) {
      const body = JSON.stringify(sampleEvent(type, { eventId: `evt_${index}`, deliveryId: `del_${index}` }))
      await sendEvent({ url, secrets: [secret], body })
    }
    await listener.line((line) => JSON.parse(line).type === 'forwarded' && JSON.parse(line).eventId === 'evt_2')
    await listener.kill()
    const ids = async (...words: string[]) =>
      (await anyone.run(['webhooks', 'log', '-q', ...words], alone)).stdout.trim().split('\n')
    expect(await ids()).toEqual(['evt_0', 'evt_1', 'evt_2'])
    expect(await ids('--limit', '2')).toEqual(['evt_1', 'evt_2'])
    expect(await ids('--type', 'driver.*')).toEqual(['evt_1'])
    expect(await ids('--delivery', 'del_2', '--since', '1h')).toEqual(['evt_2'])
    expect(await ids('--since', '+1h')).toEqual([''])
    const none = await anyone.runOnTerminal(['webhooks', 'log', '--delivery', 'del_9'], { ...alone, columns: 80 })
    expect(none.stdout).toContain('No received webhooks match these filters.')
    const one = await anyone.json<{
      headers: string[][]
      forwards: object[]
      event: { delivery: { dropoff: { contactPhone: string } } }
    }>(['webhooks', 'log', 'evt_2'], alone)
    expect(one.forwards).toEqual([{ url: app.url, state: 'delivered', attempts: 1, status: 200 }])
    expect(one.headers.map(([name]) => name)).toContain('webhook-signature')
    expect(one.event.delivery.dropoff.contactPhone).toMatch(/^\+1\*+\d{3}$/)
    const shown = await anyone.run(['webhooks', 'log', 'evt_2'], { ...alone, columns: 80 })
    expect(shown.stdout).toMatch(/delivery\.failed\S*\s+evt_2[\s\S]*Forwarded[\s\S]*delivered[\s\S]*Headers[\s\S]*Body/)
    const list = await anyone.run(['webhooks', 'log'], { env: { ...alone.env, NO_COLOR: '1' }, columns: 80 })
    const lines = list.stdout.replaceAll(anyone.home, '/home/person').split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    const unknown = await anyone.run(['webhooks', 'resend', 'evt_never', '--to', app.url], alone)
    expect([unknown.exitCode, unknown.stderr]).toEqual([4, expect.stringContaining('dlv webhooks log')])
    const nowhere = await anyone.run(['webhooks', 'resend', 'evt_1'], alone)
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringContaining('Use --to URL')])
    const piped = await anyone.run(['webhooks', 'resend', '-', '--to', app.url, '-q'], {
      ...alone,
      stdin: 'evt_1\nevt_0\n',
    })
    expect([piped.exitCode, piped.stdout, app.ids().slice(-2)]).toEqual([0, 'evt_1\nevt_0\n', ['evt_1', 'evt_0']])
    await anyone.run(['webhooks', 'resend', 'evt_0', '--to', app.url, '--verbatim'], alone)
    expect(app.arrived.at(-1)?.headers['webhook-signature']).toBe(app.arrived[0]?.headers['webhook-signature'])
  })
})

describe('webhooks test', () => {
  const newest = new Map<string, string>()
  const receive = expressReceiver({
    secrets: [secret],
    onEvent(event) {
      const id = isDeliveryEvent(event) ? event.delivery.deliveryId : ''
      if ((newest.get(id) ?? '') > event.occurredAt) return 'outdated'
      newest.set(id, event.occurredAt)
      return 'processed'
    },
  })

  it('finds nothing wrong with a correct receiver, all 8 attempts included, and writes JUnit and JSON', async () => {
    const receiver = await startHttpServer((request, response) => void receive(request, response))
    const junit = join(cli.home, 'report.xml')
    const words = ['--to', `${receiver}/`, '--junit', junit, '--time-scale', '100000', '--json']
    const { exitCode, stdout } = await run('webhooks', 'test', ...words)
    expect(exitCode).toBe(0)
    const report = JSON.parse(stdout) as { passed: boolean; cases: { id: string; status: string }[] }
    expect(report.passed).toBe(true)
    expect(report.cases.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(report.cases.map(({ id }) => id)).toContain('schedule')
    expect(readFileSync(junit, 'utf8')).toContain(`tests="${report.cases.length}" failures="0"`)
  })

  it('finds that a receiver checks nothing, and ends with 9', async () => {
    const app = await startTestApp()
    const junit = join(cli.home, 'faults.xml')
    const { exitCode, stdout } = await cli.run(['webhooks', 'test', '--to', app.url, '--junit', junit], {
      columns: 80,
      env: { ...env, NO_COLOR: '1' },
    })
    expect(exitCode).toBe(9)
    expect(stdout).toContain('✗ signature: a receiver rejects what was not signed with its secret.')
    expect(stdout).toContain('4 broken rules')
    const piped = (await run('webhooks', 'test', '--to', app.url)).stdout.split('\n').map((line) => line.split('\t'))
    const rowOf = (wanted: string) => piped.find(([id]) => id === wanted)?.slice(4)
    expect(rowOf('no-id')).toEqual(['signature', expect.stringMatching(/^Verify webhook-signature before anything/)])
    expect(rowOf('valid')).toEqual(['accepts_events', ''])
    expect(readFileSync(junit, 'utf8')).toContain('<failure message=')
  })

  it('ends with 8 where nobody answers, and with 2 before any work where the report cannot be written', async () => {
    expect((await run('webhooks', 'test', '--to', 'http://127.0.0.1:9/')).exitCode).toBe(8)
    const { exitCode, stderr } = await run(
      'webhooks',
      'test',
      '--to',
      'http://127.0.0.1:9/',
      '--junit',
      'package.json/x.xml',
    )
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--junit package.json/x.xml cannot be written')])
  })
})

describe('events tail', () => {
  it('prints events as they happen, of the types asked for, and ends with 130 on Ctrl-C', async () => {
    const anyone = createCli()
    const tail = anyone.start([
      'events',
      'tail',
      '--interval',
      '200ms',
      '--since',
      '1m',
      '--type',
      'delivery.driver_assigned',
      '-o',
      'ndjson',
    ])
    const { deliveryId } = await anyone.json<{ deliveryId: string }>([
      'deliveries',
      'create',
      '--file',
      'examples/order.json',
    ])
    await anyone.json(['simulate', deliveryId, '--to', 'delivered'])
    const event = JSON.parse(await tail.line((line) => line !== ''))
    expect(event).toMatchObject({ eventType: 'delivery.driver_assigned', deliveryId })
    const { exitCode, stdout } = await tail.kill('SIGINT')
    expect([exitCode, stdout.trim().split('\n').length]).toEqual([130, 1])
  })
})
