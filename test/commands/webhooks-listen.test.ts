import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSecret, post, sampleEvent, sendEvent, signatureHeaders, verify } from '../../src/webhooks/index.js'
import { testCertificate, tlsFlags } from '../support/certificate.js'
import { type Cli, createCli, type Running, type RunOptions } from '../support/cli/program.js'
import { spoken } from '../support/listener/raw-request.js'
import { startTestApp } from '../support/listener/test-app.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { createTempDir } from '../support/temp-dir.js'
import { until } from '../support/until.js'

/** A listener needs no service at all where a secret is given. */
const secret = newSecret()
const alone = {
  DLV_BASE_URL: 'https://api.example.com/v1',
  DLV_ENVIRONMENT: 'sandbox',
  DLV_API_KEY: 'key_1',
  DLV_WEBHOOK_SECRET: secret,
}

type Line = Record<string, unknown>

const listen = (words: readonly string[]) => ['webhooks', 'listen', '-o', 'ndjson', ...words]

function launchListener(cli: Cli, words: string[] = [], options: RunOptions = { env: alone }) {
  return readyListener(cli.start(listen(words), options))
}

/** One that gets real signals, runs commands, or is not read. */
function launchListenerProcess(cli: Cli, words: string[] = []) {
  return readyListener(cli.startProcess(listen(words), { env: alone }))
}

async function readyListener<Started extends Pick<Running, 'line'>>(running: Started) {
  const ready = JSON.parse(await running.line((line) => JSON.parse(line).type === 'ready')) as {
    url: string
    adminUrl: string
  }
  const next = async (fits: (line: Line) => boolean) => JSON.parse(await running.line((line) => fits(JSON.parse(line))))
  return { ...running, url: ready.url, adminUrl: ready.adminUrl, next }
}

const linesOf = (running: Pick<Running, 'lines'>) => running.lines().map((line) => JSON.parse(line) as Line)
const send = (url: string, eventType: string, secrets = [secret], eventId?: string) =>
  sendEvent({ url, secrets, body: JSON.stringify(sampleEvent(eventType, eventId === undefined ? {} : { eventId })) })

describe('webhooks listen', () => {
  it('prints its address first, then one object for each webhook, with people masked, and ends with 143 on SIGTERM', async () => {
    const cli = createCli()
    const listener = await launchListenerProcess(cli)
    expect(listener.lines()).toHaveLength(1)
    await send(listener.url, 'delivery.delivered', [secret], 'evt_1')
    const event = await listener.next(({ type }) => type === 'event')
    expect(event).toMatchObject({ eventId: 'evt_1', verified: true, secret: 'DLV_WEBHOOK_SECRET', duplicate: false })
    expect(event.event.delivery.dropoff.contactName).toMatch(/^.\*+ .\*+$/)
    await post({ url: listener.url, headers: {}, body: Buffer.from('{}'), timeoutMs: 5_000 })
    expect(await listener.next(({ type }) => type === 'rejected')).toMatchObject({
      reason: 'missing_header',
      status: 400,
    })
    await spoken(
      listener.url,
      'POST / HTTP/1.1\r\nHost: hooks.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    )
    expect(await listener.next(({ reason }) => reason === 'foreign_host')).toMatchObject({
      hint: 'Allow it with --allow-host hooks.example, or let the server in front rewrite Host.',
    })
    expect((await listener.kill('SIGTERM')).exitCode).toBe(143)
  })

  it('ends like that when its terminal closes, which says so twice, and stays under nohup', async () => {
    const listener = await launchListener(createCli())
    const ends = await Promise.all([listener.kill('SIGHUP'), listener.kill('SIGHUP')])
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([129, 129])
    const detached = await launchListener(createCli(), [], { env: { ...alone, _: '/usr/bin/nohup' } })
    const [, { exitCode }] = await Promise.all([detached.kill('SIGHUP'), detached.kill('SIGTERM')])
    expect(exitCode).toBe(143)
  })

  it('shows people as they are with --unmask', async () => {
    const listener = await launchListener(createCli(), ['--unmask'])
    await send(listener.url, 'delivery.delivered')
    const { event } = await listener.next(({ type }) => type === 'event')
    expect(event.delivery.dropoff.contactName).not.toContain('*')
  })

  it('passes events on by their types, as the flags or the project file say, with the answer on request', async () => {
    const cli = createCli()
    const [deliveries, drivers] = [await startTestApp(), await startTestApp()]
    const routes = { 'delivery.*': deliveries.url, 'driver.*': drivers.url }
    writeFileSync(join(cli.home, '.dlv.json'), JSON.stringify({ routes }))
    const inProject = { env: alone, cwd: cli.home }
    expect((await cli.run(['profiles', 'trust', '--yes'], inProject)).exitCode).toBe(0)
    const listener = await launchListener(cli, ['--show-response'], inProject)
    await send(listener.url, 'delivery.accepted', [secret], 'evt_a')
    await send(listener.url, 'driver.created', [secret], 'evt_b')
    const forwarded = [
      await listener.next(({ type }) => type === 'forwarded'),
      await listener.next(({ type }) => type === 'forwarded'),
    ]
    expect(forwarded.map(({ eventId, body, status }) => [eventId, body, status]).sort()).toEqual([
      ['evt_a', 'done', 200],
      ['evt_b', 'done', 200],
    ])
    expect([deliveries.ids(), drivers.ids()]).toEqual([['evt_a'], ['evt_b']])
    const [{ rawHeaders = [], body = Buffer.of() } = {}] = deliveries.arrived
    expect(verify({ secrets: [secret], headers: rawHeaders, body })).toMatchObject({ ok: true, id: 'evt_a' })
    await listener.kill('SIGTERM')

    // What was received goes out once more by the same routes, or where it is told.
    const again = await cli.run(['webhooks', 'resend'], inProject)
    expect([again.exitCode, drivers.ids()]).toEqual([0, ['evt_b', 'evt_b']])
    const both = await cli.json<object[]>(['webhooks', 'resend', 'evt_b', 'evt_a'], inProject)
    expect(both).toMatchObject([
      { eventId: 'evt_b', url: drivers.url, outcome: 'delivered' },
      { eventId: 'evt_a', url: deliveries.url, outcome: 'delivered' },
    ])
    const other = await startTestApp()
    await cli.run(['webhooks', 'resend', 'evt_a', 'evt_b', '--to', other.url], { env: alone })
    expect(other.ids()).toEqual(['evt_a', 'evt_b'])
    expect(other.arrived[0]?.body).toEqual(body)
  })

  it('says which secret an app behind it verifies with, and shows that of the embedded sandbox only', async () => {
    const cli = createCli()
    const config = createTempDir()
    const acme = { environment: 'sandbox', baseUrl: 'https://api.example.com/v1', apiKey: 'key_1' }
    const profiles = { acme: { ...acme, webhookSecrets: [{ name: 'july', secret }] } }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
    const said = async (env: NodeJS.ProcessEnv, ...flags: string[]) => {
      const listener = cli.start(['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/', ...flags], { env })
      await listener.hasPrinted('post webhooks to')
      return (await listener.kill('SIGTERM')).stderr
    }
    const shown = (await cli.run(['sandbox', 'rotate-secret', '--show', '-q'])).stdout.trim()
    expect(shown).toMatch(/^whsec_/)
    expect(await said({})).toContain(`Your app verifies with the sandbox's signing secret: ${shown}\n`)
    const others = (await said(alone)) + (await said({ DLV_CONFIG_DIR: config }, '-P', 'acme'))
    expect(others).toContain('Your app verifies with the secret of this listener: "DLV_WEBHOOK_SECRET".')
    expect(others).toContain('Your app verifies with the secret of this listener: "july" of profile acme.')
    expect(others).not.toContain(secret.slice(6))
  })

  it('limits what it shows and forwards by --events', async () => {
    const app = await startTestApp()
    const listener = await launchListener(createCli(), [
      '--events',
      'driver.*,delivery.failed',
      '--forward-to',
      app.url,
    ])
    for (const type of ['delivery.accepted', 'driver.created', 'delivery.failed']) await send(listener.url, type)
    await until('2 at the app', () => app.arrived.length === 2)
    await listener.kill('SIGTERM')
    const shown = linesOf(listener).flatMap(({ type, eventType }) => (type === 'event' ? [eventType] : []))
    expect(shown).toEqual(['driver.created', 'delivery.failed'])
  })

  it.each([
    'a terminal',
    'a pipe',
  ])('says on %s once of a target that is down how much waits for it, and when it is back', async (where) => {
    let isDown = true
    const app = await startTestApp((_, response) => {
      response.statusCode = isDown ? 503 : 200
      response.end()
    })
    const cli = createCli()
    const words = ['webhooks', 'listen', '--forward-to', app.url]
    const options = { env: { ...alone, DLV_JOURNAL: join(cli.home, 'journal.db') } }
    const listener =
      where === 'a pipe' ? cli.start(words, options) : cli.startOnTerminal(words, { ...options, columns: 200 })
    const shown = () => ('lines' in listener ? listener.lines().join('\n') : listener.screen())
    await until('the address', () => shown().includes('Ready:'))
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(shown()) ?? []
    for (const id of ['del_1', 'del_2', 'del_3'])
      await sendEvent({
        url,
        secrets: [secret],
        body: JSON.stringify(sampleEvent('delivery.accepted', { deliveryId: id, eventId: `evt_${id}` })),
      })
    await until('the line of the target', () => /down for \d+s.*3 events wait.*retry in .*it answers 503/.test(shown()))
    // Three deliveries have made four attempts each or more by now.
    expect(shown().match(/503 in \d+ ms/g)).toHaveLength(1)
    isDown = false
    await until('its return', () => /answers again after \d+s/.test(shown()))
  })

  it('says that nothing is listening, and gives a debugger all the time it wants', async () => {
    const held: (() => void)[] = []
    const app = await startTestApp((_, response) => held.push(() => response.end()))
    const listener = await launchListener(createCli(), [
      '--forward-timeout',
      '0',
      '--forward-to',
      app.url,
      '--forward-to',
      'http://127.0.0.1:9/',
    ])
    await send(listener.url, 'delivery.accepted')
    const refused = await listener.next(({ type, url }) => type === 'forwarded' && url === 'http://127.0.0.1:9/')
    expect(refused).toMatchObject({ status: null, error: expect.stringContaining('is your app up?') })
    await until('the held request', () => held.length === 1)
    for (const release of held) release()
    expect(await listener.next(({ url }) => url === app.url)).toMatchObject({ status: 200, attempt: 1 })
  })

  it('waits for longer than a timer of Node can, for what is expected and for an answer', async () => {
    const app = await startTestApp()
    const limits = ['--within', '30d', '--forward-timeout', '30d']
    const words = ['--expect', 'delivery.delivered', '--forward-to', app.url, ...limits]
    const listener = await launchListener(createCli(), words)
    await send(listener.url, 'delivery.accepted')
    expect(await listener.next(({ type }) => type === 'forwarded')).toMatchObject({ status: 200, attempt: 1 })
    await send(listener.url, 'delivery.delivered')
    expect((await listener.ended).exitCode).toBe(0)
  })

  it('counts the events that each secret verified', async () => {
    const old = newSecret()
    const listener = await launchListener(createCli(), [], {
      env: { ...alone, DLV_WEBHOOK_SECRET: `${secret} ${old}` },
    })
    for (let time = 0; time < 3; time++) await send(listener.url, 'delivery.accepted')
    expect((await listener.next(({ type }) => type === 'event')).secretNumber).toBe(1)
    await send(listener.url, 'delivery.accepted', [old])
    await listener.next(({ secretNumber }) => secretNumber === 2)
    const { stderr } = await listener.kill('SIGINT')
    expect(stderr).toContain(
      'Events verified by secret: "DLV_WEBHOOK_SECRET 1" 3, "DLV_WEBHOOK_SECRET 2" 1 (4 in total).',
    )
  })

  it('serves https with a certificate, also to the embedded sandbox that trusts its authority', async () => {
    const cli = createCli()
    const certificate = tlsFlags(testCertificate())
    const env = { NODE_EXTRA_CA_CERTS: certificate[certificate.indexOf('--tls-cert') + 1] }
    const listener = await readyListener(cli.startProcess(listen(certificate), { env }))
    expect(listener.url).toMatch(/^https:/)
    expect(await cli.runProcess(['deliveries', 'create', '--file', 'examples/order.json'], { env })).toMatchObject({
      exitCode: 0,
    })
    expect(await listener.next(({ type }) => type === 'event')).toMatchObject({ eventType: 'delivery.accepted' })
  })

  it.each([
    ['a key without its certificate', ['--tls-key', 'package.json'], 'tls-cert'],
    ['a certificate that is none', ['--tls-cert', 'package.json', '--tls-key', 'package.json'], 'PEM'],
    ['a file that is not there', ['--tls-cert', 'no-such.pem', '--tls-key', 'no-such.pem'], 'no such file'],
    ['a target that is no address', ['--forward-to', 'localhost:3000'], 'http://localhost:3000/hooks'],
    ['a path without its slash', ['--path', 'hooks'], 'slash'],
    ['an invalid duration', ['--expect', 'delivery.failed', '--within', 'soon'], '--within must be a duration'],
    ['an address that is not of this machine', ['--host', '203.0.113.1'], '--host'],
    ['a secret that is none', ['--secret-file', 'package.json'], 'secret'],
    ['an expected type that does not exist', ['--expect', 'delivery.faild'], 'Did you mean "delivery.failed"?'],
    ['a shown type that does not exist', ['--events', 'drivers.*'], 'Did you mean "driver"?'],
  ])('refuses %s with a remedy', async (_, words, said) => {
    const { exitCode, stdout, stderr } = await createCli().run(['webhooks', 'listen', ...words], { env: alone })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(said)
  })
})

describe('webhooks listen as a step of a test run', () => {
  const expecting = (...words: string[]) => ['--expect', 'delivery.delivered', ...words]

  it('ends with 0 once what is expected came, each of several types, so often', async () => {
    const listener = await launchListener(createCli(), [
      ...expecting('--expect', 'driver.*', '--count', '2'),
      '--within',
      '20s',
    ])
    for (const type of ['driver.created', 'driver.deleted', 'driver.updated', 'delivery.delivered'])
      await send(listener.url, type)
    await send(listener.url, 'delivery.delivered', [secret], 'evt_last')
    expect((await listener.ended).exitCode).toBe(0)
  })

  it('ends with 9 where it did not, and says what is missing', async () => {
    const { exitCode, stderr } = await createCli().run(['webhooks', 'listen', ...expecting('--within', '200ms')], {
      env: alone,
    })
    expect([exitCode, stderr]).toEqual([
      9,
      expect.stringContaining('Timed out: expected 1 delivery.delivered, got none.'),
    ])
  })

  it('runs a command with the address and the secret, and takes its exit code', async () => {
    const script = `
      const { createHmac } = require('node:crypto')
      const id = 'evt_x', at = Math.floor(Date.now() / 1000)
      const body = JSON.stringify({ eventId: id, eventType: 'delivery.delivered', occurredAt: new Date().toISOString() })
      const key = Buffer.from(process.env.DLV_WEBHOOK_SECRET.slice(6), 'base64')
      const signature = 'v1,' + createHmac('sha256', key).update(id + '.' + at + '.' + body).digest('base64')
      const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature }
      fetch(process.env.DLV_WEBHOOK_URL, { method: 'POST', headers, body }).then(({ status }) => {
        console.log('answered', status)
        process.exitCode = Number(process.env.ENDS_WITH)
      })`
    const cli = createCli()
    const file = join(cli.home, 'step.cjs')
    writeFileSync(file, script)
    const command = `"${process.execPath}" "${file}"`
    const run = (endsWith: string) =>
      cli.runProcess(['webhooks', 'listen', ...expecting('--exec', command)], {
        env: { ...alone, ENDS_WITH: endsWith },
      })
    const good = await run('0')
    expect(good.exitCode).toBe(0)
    expect(good.stderr).toContain('answered 200')
    expect(good.stdout).not.toContain('answered')
    expect((await run('3')).exitCode).toBe(3)
  })
})

describe('the processes of --exec', () => {
  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  /** A command that leaves a process behind, whose id it writes to a file. */
  const leavingBehind = (cli: Cli, then: string) => {
    const file = join(cli.home, 'pid')
    const pid = () => Number(readFileSync(file, 'utf8'))
    return { command: `sleep 1000 & echo $! > "${file}.new"; mv "${file}.new" "${file}"; ${then}`, file, pid }
  }

  it('end with the listener, those that they started too', async () => {
    const cli = createCli()
    const { command, file, pid } = leavingBehind(cli, 'wait')
    const listener = await launchListenerProcess(cli, ['--exec', command])
    await until('the process id', () => existsSync(file))
    expect((await listener.kill('SIGTERM')).exitCode).toBe(143)
    await until('the process to end', () => !isRunning(pid()))
  })

  it('end with the command, also those that do not want to', async () => {
    const cli = createCli()
    const { command, pid } = leavingBehind(cli, 'exit 7')
    const stubborn = `trap "" TERM; ${command}`
    const ended = await cli.runProcess(['webhooks', 'listen', '--exec', stubborn], { env: alone })
    expect(ended.exitCode).toBe(7)
    await until('the process to end', () => !isRunning(pid()))
  })
})

describe('webhooks listen --pull', () => {
  const sandbox = serveSandbox()

  it('takes what no webhook brings, keeps its place, and forwards it signed', async () => {
    const cli = createCli()
    const app = await startTestApp()
    const env = { ...sandbox.env(), DLV_WEBHOOK_SECRET: secret }
    const create = (name: string) =>
      cli.json<{ deliveryId: string }>(['deliveries', 'create', '--file', 'examples/order.json', '--ref', name], {
        env,
      })
    const { deliveryId } = await create('PULLED-1')
    const first = await launchListener(cli, ['--pull', '--since', '1h', '--forward-to', app.url], { env })
    expect(await first.next(({ type }) => type === 'event')).toMatchObject({
      source: 'pull',
      deliveryId,
      verified: true,
    })
    await until('1 at the app', () => app.arrived.length === 1)
    await first.kill('SIGINT')
    const { deliveryId: later } = await create('PULLED-2')
    const second = await launchListener(cli, ['--pull', '--forward-to', app.url], { env })
    expect(await second.next(({ type }) => type === 'event')).toMatchObject({ deliveryId: later })
    await until('2 at the app', () => app.arrived.length === 2)
    for (const { rawHeaders, body } of app.arrived)
      expect(verify({ secrets: [secret], headers: rawHeaders, body })).toMatchObject({ ok: true })
    await second.kill('SIGINT')
    expect(new Set(app.ids()).size).toBe(2)

    // The bytes are those of the service: what is pulled and what is replayed is one and the same.
    const third = await launchListener(cli, [], { env })
    const replayed = await cli.run(['events', 'replay', '--since', '1h', '--to', third.url], { env })
    expect(replayed.exitCode).toBe(0)
    const duplicates = () => linesOf(third).filter(({ type }) => type === 'event')
    await until('both events on its output', () => duplicates().length >= 2)
    expect(duplicates().map(({ duplicate, conflict }) => [duplicate, conflict])).toEqual([
      [true, false],
      [true, false],
    ])
  })

  it('does not count events that it has fetched and signed itself', async () => {
    const cli = createCli()
    const env = { ...sandbox.env(), DLV_WEBHOOK_SECRET: `${secret} ${newSecret()}` }
    await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'FETCHED-1'], { env })
    const listener = await launchListener(cli, ['--since', '1h', '--admin-port', '0'], { env })
    expect(await listener.next(({ type }) => type === 'event')).toMatchObject({ source: 'pull' })
    const metrics = await (await fetch(new URL('/metrics', listener.adminUrl))).text()
    expect(metrics).toContain('dlv_journal_available 1\n')
    expect(metrics).not.toMatch(/^dlv_shards_owned /m)
    const { stderr } = await listener.kill('SIGINT')
    expect(stderr).toContain('No events verified yet.')
  })

  it('has fixed its position when it says that it is ready: a kill right after loses nothing', async () => {
    const cli = createCli()
    const env = { ...sandbox.env(), DLV_WEBHOOK_SECRET: secret }
    const first = await readyListener(cli.startProcess(listen(['--pull']), { env }))
    await first.kill('SIGKILL')
    const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'AFTER-READY']
    const { deliveryId } = await cli.json<{ deliveryId: string }>(create, { env })
    const second = await launchListener(cli, ['--pull'], { env })
    expect(await second.next(({ type }) => type === 'event')).toMatchObject({ deliveryId })
  })
})

describe('webhooks status', () => {
  const service = serveSandbox()

  it('tells how the last fetch went, and why it fails', async () => {
    const cli = createCli()
    const env = { ...service.env(), DLV_WEBHOOK_SECRET: secret, DLV_JOURNAL: join(createTempDir(), 'journal.db') }
    let { DLV_API_KEY: key } = service.env()
    const status = async (...words: string[]) =>
      cli.run(['webhooks', 'status', ...words], { env: { ...env, NO_COLOR: '1', DLV_API_KEY: key }, columns: 100 })
    const pullOf = async () => JSON.parse((await status('--json')).stdout).pull
    const listener = await launchListener(cli, ['--pull'], { env })
    await until('a fetch', async () => (await pullOf())?.at !== undefined)
    expect(await pullOf()).toEqual({ at: expect.stringMatching(/^20.*Z$/), error: null })
    await listener.kill('SIGINT')
    const fetched = await pullOf()
    key = 'sk_sandbox_unknown'
    const refused = await launchListener(cli, ['--pull'], { env: { ...env, DLV_API_KEY: key } })
    await until('its failure', async () => (await pullOf())?.error != null)
    expect((await pullOf()).error).toMatch(/401|key/i)
    expect((await status()).stdout).toMatch(/Last fetched\s+\S+\s+failing {2}\S/)
    await refused.kill('SIGINT')
    // Another account of the same journal has its own.
    key = service.env().DLV_API_KEY
    expect(await pullOf()).toEqual(fetched)
  })

  it('tells of a journal in a file whether its listener runs, where, since when, and what it has seen', async () => {
    const cli = createCli()
    const status = async () => JSON.parse((await cli.run(['webhooks', 'status', '--json'], { env: alone })).stdout)
    const words = ['--forward-to', 'http://127.0.0.1:9/hooks?token=x']
    const listener = await launchListener(cli, words)
    const started = {
      running: true,
      pid: listener.pid,
      url: listener.url,
      since: expect.any(String),
      rejected: 0,
    }
    expect(await status()).toMatchObject({ listener: started, lastEventAt: null, pending: [] })
    await send(listener.url, 'delivery.accepted', [secret], 'evt_1')
    await send(listener.url, 'delivery.accepted', [newSecret()], 'evt_2')
    await until('the rejection', async () => (await status()).listener.rejected === 1)
    const { lastEventAt, pending } = await status()
    expect(Date.parse(lastEventAt)).toBeGreaterThan(Date.parse((await status()).listener.since))
    expect(pending).toEqual([
      {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/hooks#[0-9a-f]{6}$/),
        count: 1,
        oldestSeconds: expect.any(Number),
      },
    ])
    const shown = await cli.run(['webhooks', 'status'], { env: alone })
    const rows = shown.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(rows.map((row) => row.length)).toEqual([7, 7, 7, 7, 7])
    expect(rows.map(([what]) => what)).toEqual(['journal', 'listener', 'rejected', 'last event', 'target'])

    // A listener for another target leaves them, and says so when it starts and when it ends.
    await listener.kill('SIGINT')
    const other = await launchListener(cli, ['--forward-to', 'http://127.0.0.1:9/other'])
    await send(other.url, 'delivery.accepted', [secret], 'evt_3')
    await other.next(({ type }) => type === 'forwarded')
    const { stderr } = await other.kill('SIGINT')
    const left =
      /1 event waits for http:\/\/127\.0\.0\.1:9\/hooks#[0-9a-f]{6}; dlv webhooks listen --forward-to with its whole address/
    expect(stderr.split(left)).toHaveLength(3)
    expect(stderr.split('1 event waits for http://127.0.0.1:9/other;')).toHaveLength(2)
  })

  it('of a killed listener that it runs no longer', async () => {
    const cli = createCli()
    const status = async () => JSON.parse((await cli.run(['webhooks', 'status', '--json'], { env: alone })).stdout)
    const listener = await readyListener(cli.startProcess(listen([]), { env: alone }))
    await send(listener.url, 'delivery.accepted', [newSecret()], 'evt_2')
    await until('the rejection', async () => (await status()).listener.rejected === 1)
    const started = { url: listener.url, since: expect.any(String) }
    // A killed listener leaves its lock file behind, which nobody holds any more.
    await listener.kill('SIGKILL')
    expect((await status()).listener).toEqual({ ...started, running: false, pid: null, rejected: 1 })
  })
})

describe('the keys of a listener on a terminal', () => {
  it('resend, pause, open details, count secrets and quit', async () => {
    const cli = createCli()
    const app = await startTestApp()
    const words = ['webhooks', 'listen', '--forward-to', app.url]
    const terminal = cli.startOnTerminal(words, { env: { ...alone, NO_COLOR: '1' }, columns: 80 })
    await terminal.shows('Keys: r resend')
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(terminal.screen()) ?? []
    await send(url, 'delivery.accepted', [secret], 'evt_1')
    await send(url, 'driver.created', [secret], 'evt_2')
    await until('2 at the app', () => app.arrived.length === 2)
    terminal.type('r')
    await until('3 at the app', () => app.arrived.length === 3)
    expect(app.ids().at(-1)).toBe('evt_2')
    terminal.type('d')
    await terminal.shows('2 of 2.')
    terminal.type('\u001b[A')
    await terminal.shows('1 of 2.')
    await send(url, 'delivery.failed', [secret], 'evt_3')
    await until('4 at the app', () => app.arrived.length === 4)
    terminal.type('s')
    await terminal.shows('(3 in total)')
    expect(terminal.screen()).not.toMatch(/ ✓ failed /)
    terminal.type('\r')
    await terminal.shows('✓ failed')
    terminal.type('p')
    await terminal.shows('Paused')
    terminal.type('pq')
    expect((await terminal.ended).exitCode).toBe(0)
    expect(
      terminal
        .screen()
        .split(/\r?\n/)
        .filter((line) => line.length > 80 && !line.includes('Journal: ')),
    ).toEqual([])
  })

  it('leave Ctrl-C its meaning', async () => {
    const terminal = createCli().startOnTerminal(['webhooks', 'listen'], { env: alone })
    await terminal.shows('Keys: r resend')
    terminal.type('\u0003')
    expect((await terminal.ended).exitCode).toBe(130)
  })
})

describe('webhooks listen with a profile', () => {
  const service = serveSandbox()

  it('follows the secrets of its profile: an added one verifies at once, a removed one no longer', async () => {
    const cli = createCli()
    const [old, next] = [newSecret(), newSecret()]
    const directory = createTempDir()
    const env = { DLV_CONFIG_DIR: directory }
    const config = join(directory, 'config.json')
    const stored = { environment: 'production', baseUrl: service.running.baseUrl, apiKey: service.running.apiKey }
    const webhookSecrets = [{ name: 'old', secret: old }]
    writeFileSync(config, JSON.stringify({ profiles: { acme: { ...stored, webhookSecrets } } }), { mode: 0o600 })
    const listener = await launchListener(cli, ['-P', 'acme', '--ui'], { env })
    const sent = async (by: string) => {
      const outcome = await send(listener.url, 'delivery.accepted', [by])
      return outcome.answered && outcome.status
    }
    const page = JSON.parse(listener.lines()[0] ?? '').uiUrl as string
    const known = async () => {
      const headers = { authorization: `Bearer ${page.split('#token=')[1]}` }
      const shown = await (await fetch(new URL('/ui/api/webhooks', page), { headers })).json()
      return (shown as { secrets: { name: string }[] }).secrets.map(({ name }) => name)
    }
    expect([await sent(old), await sent(next), await known()]).toEqual([200, 401, ['old']])

    const added = await cli.run(['profiles', 'secrets', 'add', 'acme', '-', '--name', 'next'], { stdin: next, env })
    expect(added.exitCode).toBe(0)
    expect([await sent(old), await sent(next)]).toEqual([200, 200])
    expect(await listener.next(({ secret: name }) => name === 'next')).toMatchObject({
      secretNumber: 2,
      secretCount: 2,
    })

    const removed = await cli.run(['profiles', 'secrets', 'remove', 'acme', 'old', '--yes'], { env })
    expect(removed.exitCode).toBe(0)
    expect([await sent(old), await sent(next), await known()]).toEqual([401, 200, ['next']])
    expect(await listener.next(({ secretCount }) => secretCount === 1)).toMatchObject({ secret: 'next' })

    // A file that cannot be read changes nothing.
    writeFileSync(config, '{')
    expect([await sent(old), await sent(next)]).toEqual([401, 200])
    await listener.kill('SIGINT')
  })

  it('follows the secrets of the embedded sandbox, which signs with them', async () => {
    const cli = createCli()
    const listener = await launchListener(cli, [], {})
    const rotate = async (...flags: string[]) =>
      (await cli.json<{ secrets: string[] }>(['sandbox', 'rotate-secret', ...flags])).secrets
    const sent = async (by: string) => {
      const outcome = await send(listener.url, 'delivery.accepted', [by])
      return outcome.answered && outcome.status
    }
    const [next = '', old = ''] = await rotate()
    expect([await sent(old), await sent(next)]).toEqual([200, 200])
    expect(await listener.next(({ secretNumber }) => secretNumber === 2)).toMatchObject({ secretCount: 2 })
    expect(await rotate('--drop-old')).toEqual([next])
    expect([await sent(old), await sent(next)]).toEqual([401, 200])
    expect((await cli.run(['deliveries', 'create', '--file', 'examples/order.json'])).exitCode).toBe(0)
    expect(await listener.next(({ deliveryId = 'del_sample' }) => deliveryId !== 'del_sample')).toMatchObject({
      secretCount: 1,
    })
  })
})

it('an old signature does not reach the journal', async () => {
  const cli = createCli()
  const listener = await launchListener(cli)
  const body = Buffer.from(JSON.stringify(sampleEvent('delivery.accepted', { eventId: 'evt_old' })))
  const timestampSeconds = Math.floor(Date.now() / 1000) - 400
  const headers = { ...signatureHeaders({ secrets: [secret], id: 'evt_old', timestampSeconds, body }) }
  expect(await post({ url: listener.url, headers, body, timeoutMs: 5_000 })).toMatchObject({ status: 401 })
  await listener.kill('SIGTERM')
  const { stdout, stderr } = await cli.run(['webhooks', 'log', '--json'], { env: alone })
  expect([stdout.trim(), stderr]).toEqual(['[]', ''])
})

it('senders wait while the output is not read, and nothing is lost once it is', async () => {
  const listener = await launchListenerProcess(createCli())
  listener.child.stdout?.pause()
  const taken: string[] = []
  for (let turnedAway = false; !turnedAway; ) {
    const id = `evt_${taken.length}`
    const event = { ...sampleEvent('delivery.accepted', { eventId: id }), note: 'x'.repeat(500_000) }
    const sent = await sendEvent({ url: listener.url, secrets: [secret], body: JSON.stringify(event) })
    turnedAway = sent.answered && sent.status === 503 && sent.headers['retry-after'] === '1'
    if (!turnedAway) taken.push(id)
    expect(taken.length).toBeLessThan(60)
  }
  expect(taken.length).toBeGreaterThan(10)
  listener.child.stdout?.resume()
  await listener.next(({ eventId }) => eventId === taken.at(-1))
  expect((await send(listener.url, 'delivery.accepted')).answered).toBe(true)
  await listener.kill('SIGTERM')
  const shown = linesOf(listener).flatMap(({ type, eventId }) => (type === 'event' ? [eventId] : []))
  expect(shown.slice(0, taken.length)).toEqual(taken)
})
