import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readJournal, startListener } from '../../src/listener/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { newSecret, sendEvent, signatureHeaders } from '../../src/webhooks/index.js'
import { sendRaw, spoken } from '../support/listener/raw-request.js'
import { launchListener, postEvent, testEvent } from '../support/listener/test-listener.js'
import { createTempDir } from '../support/temp-dir.js'
import { until } from '../support/until.js'

/** An address of this machine that is not its loopback one. */
const remote = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

describe('a listener', () => {
  it('says it is ready after it has posted to itself, which leaves no event', async () => {
    const listener = await launchListener()
    expect(listener.records).toEqual([{ type: 'ready', url: listener.url, journal: listener.journalFile }])
    await listener.close()
    const journal = await readJournal(listener.journalFile)
    expect(await journal.count()).toBe(0)
    await journal.close()
  })

  it('reports an event as one record, with the secret that verified it', async () => {
    const [older, newer] = [newSecret(), newSecret()]
    const listener = await launchListener({
      secrets: [
        { name: 'new', secret: newer },
        { name: 'old', secret: older },
      ],
    })
    const event = testEvent('del_1')
    expect(await postEvent(listener.url, older, event)).toBe(200)
    expect(listener.recordsOf('event')).toEqual([
      {
        type: 'event',
        eventId: event.id,
        eventType: 'delivery.accepted',
        deliveryId: 'del_1',
        occurredAt: '2026-03-02T15:00:00.000Z',
        receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        verified: true,
        secret: 'old',
        secretNumber: 2,
        secretCount: 2,
        duplicate: false,
        conflict: false,
        source: 'webhook',
        warnings: [],
        event: JSON.parse(event.body.toString()),
      },
    ])
    expect(listener.countBySecret()).toEqual([
      { name: 'new', verified: 0 },
      { name: 'old', verified: 1 },
    ])
  })

  it('takes a repetition with 2xx and keeps one row, after a restart and with a new timestamp too', async () => {
    const first = await launchListener()
    const event = testEvent()
    const nowMs = Date.now()
    expect(await postEvent(first.url, first.secret, event, nowMs)).toBe(200)
    expect(await postEvent(first.url, first.secret, event, nowMs)).toBe(200)
    await first.close()
    const { journalFile, secret } = first
    const second = await launchListener({ journalFile, secrets: [{ name: 'test', secret }] })
    expect(await postEvent(second.url, secret, event, nowMs)).toBe(200)
    expect(await postEvent(second.url, secret, event, nowMs - 5_000)).toBe(200)
    expect([...first.recordsOf('event'), ...second.recordsOf('event')].map(({ duplicate }) => duplicate)).toEqual([
      false,
      true,
      true,
      true,
    ])
    await second.close()
    const journal = await readJournal(journalFile)
    expect(await Array.fromAsync(journal.list())).toMatchObject([{ id: event.id, repeats: 3 }])
    await journal.close()
  })

  it('keeps the first body of an id and flags another one', async () => {
    const listener = await launchListener()
    const event = testEvent('del_1')
    await postEvent(listener.url, listener.secret, event)
    const changed = { id: event.id, body: Buffer.from(event.body.toString().replace('del_1', 'del_2')) }
    expect(await postEvent(listener.url, listener.secret, changed)).toBe(200)
    expect(listener.recordsOf('event')[1]).toMatchObject({ duplicate: true, conflict: true })
  })

  it('names the usual mistake in its record, and tells a stranger nothing of it', async () => {
    const listener = await launchListener({ otherSecrets: [{ name: 'production', secret: newSecret() }] })
    const event = testEvent()
    const undecoded = Buffer.from(listener.secret.slice(6)).toString('base64')
    const outcome = await sendEvent({ url: listener.url, secrets: [undecoded], ...event })
    expect(listener.recordsOf('rejected')).toMatchObject([
      { reason: 'no_matching_signature', status: 401, hint: expect.stringContaining('without decoding its base64') },
    ])
    expect(outcome.answered && outcome.body.toString()).not.toContain('decoding')
  })

  it.each([
    ['another path', { path: '/elsewhere' }, 404],
    ['a GET', { method: 'GET' }, 405],
    ['a rebound name', { headers: [['Host', 'attacker.example']] as [string, string][] }, 421],
    ['a web page', { headers: [['Origin', 'https://attacker.example']] as [string, string][] }, 403],
  ])('refuses %s', async (_, change, status) => {
    const listener = await launchListener()
    const event = testEvent()
    const signed = signatureHeaders({
      secrets: [listener.secret],
      ...event,
      timestampSeconds: Math.floor(Date.now() / 1000),
    })
    const headers = [...Object.entries(signed), ...('headers' in change ? change.headers : [])]
    const answer = await sendRaw(listener.url, { ...event, ...change, headers })
    expect(answer.status).toBe(status)
    expect(listener.recordsOf('event')).toEqual([])
  })

  it('listens on an address of IPv6 as it prints it', async () => {
    const { url = '', adminUrl = '' } = await launchListener({ host: '[::1]', adminHost: '[::1]', adminPort: 0 })
    expect([url, adminUrl]).toEqual([
      expect.stringMatching(/^http:\/\/\[::1\]:\d+/),
      expect.stringMatching(/^http:\/\/\[::1\]:\d+$/),
    ])
    const sandbox = await startSandbox({ host: '[::1]' })
    onTestFinished(() => sandbox.close())
    expect(sandbox.baseUrl).toMatch(/^http:\/\/\[::1\]:\d+\//)
  })

  it.each([
    ['Tunnel.example'],
    ['tunnel.example:8443'],
    ['https://tunnel.example/hooks'],
  ])('takes requests that a tunnel addresses to its own name, where %s is allowed', async (...allowedHosts) => {
    const listener = await launchListener({ allowedHosts })
    const event = testEvent()
    const signed = signatureHeaders({
      secrets: [listener.secret],
      ...event,
      timestampSeconds: Math.floor(Date.now() / 1000),
    })
    const headers: [string, string][] = [...Object.entries(signed), ['Host', 'tunnel.example']]
    expect((await sendRaw(listener.url, { ...event, headers })).status).toBe(200)
  })

  it.each([
    ['a check of HAProxy', 'OPTIONS / HTTP/1.0\r\n\r\n', 200],
    ['a check of Apache', 'OPTIONS * HTTP/1.0\r\n\r\n', 200],
    ['a check by GET, HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', 405],
    ['a check by HEAD without Host', 'HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n', 405],
    [
      'a preflight of a browser',
      'OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\nConnection: close\r\n\r\n',
      403,
    ],
    ['a check by a foreign name', 'OPTIONS / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n', 421],
    [
      'an absolute target of a foreign name',
      'GET http://a.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      421,
    ],
  ])('answers a server in front: %s', async (_, request, status) => {
    const { url = '' } = await launchListener()
    expect(await spoken(url, request)).toContain(`HTTP/1.1 ${status} `)
  })

  it.each([
    ['/readyz', 'GET /readyz HTTP/1.0\r\n\r\n', 200],
    ['/healthz', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 200],
    ['OPTIONS', 'OPTIONS / HTTP/1.0\r\n\r\n', 200],
    ['POST', 'POST /readyz HTTP/1.0\r\nContent-Length: 0\r\n\r\n', 405],
    ['a foreign name', 'GET /readyz HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n', 403],
  ])('answers a check of its admin port: %s', async (_, request, status) => {
    const { adminUrl = '' } = await launchListener({ adminPort: 0 })
    expect(await spoken(adminUrl, request)).toContain(`HTTP/1.1 ${status} `)
  })

  it.each([
    ['PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\nPOST / HTTP/1.1\r\n\r\n', 'the PROXY protocol'],
    ['\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c', 'the PROXY protocol'],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HTTP/2 without TLS'],
    ['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 'speaks TLS'],
  ])('names what is spoken instead of HTTP: %j', async (bytes, said) => {
    const { url = '', recordsOf } = await launchListener()
    expect(await spoken(url, bytes)).toContain('HTTP/1.1 400 ')
    expect(recordsOf('rejected')).toMatchObject([{ reason: 'not_http', message: expect.stringContaining(said) }])
  })

  it('takes an identity encoding, an absolute target and HTTP/1.0, and keeps the path with its query', async () => {
    const { url = '', secret, journalFile } = await launchListener({ path: '/hooks' })
    const { host } = new URL(url)
    const event = testEvent()
    const signed = signatureHeaders({ secrets: [secret], ...event, timestampSeconds: Math.floor(Date.now() / 1000) })
    const headers = [
      ...Object.entries({ ...signed, 'Content-Encoding': 'identity', 'Content-Length': event.body.length }),
    ]
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    for (const start of [
      `POST http://${host}/hooks?a=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close`,
      'POST /hooks?b=2 HTTP/1.0',
      `POST /hooks HTTP/1.1\r\nHost: ${host}\r\nConnection: close`,
    ])
      expect(await spoken(url, `${start}\r\n${lines}\r\n${event.body}`)).toContain('HTTP/1.1 200 ')
    const journal = await readJournal(journalFile)
    onTestFinished(() => journal.close())
    expect((await journal.get(event.id))?.rawHeaders.slice(-2)).toEqual([':path', '/hooks?a=1'])
  })

  it('keeps its admin port on loopback, for loopback names, unless it is told otherwise', async () => {
    const metrics = async (options: object, name: string) => {
      const { adminUrl = '' } = await launchListener({ host: '0.0.0.0', adminPort: 0, ...options })
      return new Promise<number>((resolve, reject) => {
        get(`${adminUrl.replace('127.0.0.1', remote ?? '')}/metrics`, { headers: { host: name } }, ({ statusCode }) =>
          resolve(statusCode ?? 0),
        ).on('error', reject)
      })
    }
    if (remote !== undefined) await expect(metrics({}, 'localhost')).rejects.toThrow('ECONNREFUSED')
    expect(await metrics({ adminHost: '0.0.0.0' }, 'pod.example')).toBe(200)
    const { adminUrl = '' } = await launchListener({ adminPort: 0 })
    const named = (host: string) =>
      new Promise((resolve) =>
        get(`${adminUrl}/metrics`, { headers: { host } }, (answer) => resolve(answer.statusCode)),
      )
    expect([await named('localhost:9090'), await named('rebound.example')]).toEqual([200, 403])
  })

  it('refuses to start without a secret, with a bad one, on a taken port, and on a journal in use', async () => {
    const listener = await launchListener()
    const start = (change: object) =>
      startListener({
        secrets: [{ name: 'a', secret: newSecret() }],
        journal: join(createTempDir(), 'j.db'),
        ...change,
      })
    await expect(start({ secrets: [] })).rejects.toThrow('needs a secret')
    await expect(start({ journal: '' })).rejects.toThrow('needs a journal')
    await expect(start({ secrets: [{ name: 'a', secret: 'whsec_!!!' }] })).rejects.toThrow('cannot be used')
    await expect(start({ port: listener.port })).rejects.toThrow('is in use')
    await expect(start({ journal: listener.journalFile })).rejects.toThrow('in use by process')
    await expect(start({ tls: { cert: 'x', key: 'y' } })).rejects.toThrow('certificate')
    await expect(start({ forward: { routes: [{ url: 'localhost:3000' }] } })).rejects.toThrow(
      'The forward target must be a URL',
    )
  })
})

describe('a listener under pressure', () => {
  it('answers 503 with Retry-After past its queue, and loses nothing that it took', async () => {
    const listener = await launchListener({ limits: { queue: 4 } })
    const events = Array.from({ length: 64 }, () => testEvent())
    const gate = await slowSenders(listener, events)
    const answers = await gate.finish()
    const taken = answers.filter(({ status }) => status === 200)
    const turnedAway = answers.filter(({ status }) => status === 503)
    expect(taken).toHaveLength(4)
    expect(turnedAway).toHaveLength(60)
    expect(new Set(turnedAway.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['1']))
    // The sender comes again, as the contract has it, until every event is there.
    const known = await listener.has(events.map(({ id }) => id))
    const missing = events.filter(({ id }) => !known.has(id))
    expect(missing).toHaveLength(60)
    for (const event of missing) expect(await postEvent(listener.url, listener.secret, event)).toBe(200)
    expect((await listener.has(events.map(({ id }) => id))).size).toBe(events.length)
  })

  it('turns senders away while nobody reads its records, and reports a flood in a few of them', async () => {
    let isBehind = false
    const listener = await launchListener({ isBehind: () => isBehind })
    isBehind = true
    const event = testEvent()
    for (let time = 0; time < 20; time++) expect(await postEvent(listener.url, listener.secret, event)).toBe(503)
    expect(listener.recordsOf('rejected').map(({ reason }) => reason)).toEqual(['reader_behind'])
    await until('two rejections', () => listener.recordsOf('rejected').length === 2)
    expect(listener.recordsOf('rejected')[1]).toMatchObject({ status: 503, count: 19 })
    isBehind = false
    expect(await postEvent(listener.url, listener.secret, event)).toBe(200)
  })

  it('bounds the memory that waiting bodies hold', async () => {
    const listener = await launchListener({ limits: { queuedBytes: 100_000 } })
    const sender = connect(listener.port, '127.0.0.1')
    onTestFinished(() => void sender.destroy())
    sender.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900000\r\n\r\n${'x'.repeat(400_000)}`)
    await until('a 503', async () => (await postEvent(listener.url, listener.secret, testEvent())) === 503)
    sender.destroy()
    await until('a 200', async () => (await postEvent(listener.url, listener.secret, testEvent())) === 200)
  })

  it('gives up on headers that are too large and on requests that never end', async () => {
    const listener = await launchListener({ limits: { requestTimeMs: 500, headerBytes: 4_096 } })
    const large = await sendRaw(listener.url, { headers: [['x-padding', 'x'.repeat(5_000)]], body: Buffer.from('{}') })
    expect(large.status).toBe(431)
    const dripping = connect(listener.port, '127.0.0.1')
    dripping.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n12')
    const [answer] = await once(dripping, 'data')
    expect(String(answer)).toContain('408')
    expect(listener.recordsOf('rejected').map(({ reason }) => reason)).toEqual(['headers_too_large', 'too_slow'])
  })

  it('finishes what is under way when it is closed, and takes nothing new', async () => {
    const listener = await launchListener()
    const event = testEvent()
    const sender = await slowSenders(listener, [event])
    const closed = listener.close()
    await until('no answer', async () => (await postEvent(listener.url, listener.secret, testEvent())) === 0)
    const [answer] = await sender.finish()
    expect(answer?.status).toBe(200)
    await closed
    const journal = await readJournal(listener.journalFile)
    expect(await journal.has([event.id])).toEqual(new Set([event.id]))
    await journal.close()
  })
})

/** Opens a connection for each event and sends all but the last byte of each; `finish` sends the rest. */
async function slowSenders(
  listener: { port: number; secret: string; url: string },
  events: { id: string; body: Buffer }[],
) {
  const senders = events.map((event) => {
    const signed = signatureHeaders({
      secrets: [listener.secret],
      ...event,
      timestampSeconds: Math.floor(Date.now() / 1000),
    })
    const head = Object.entries({
      Host: '127.0.0.1',
      'Content-Length': event.body.length,
      Connection: 'close',
      Expect: '100-continue',
      ...signed,
    })
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const socket = connect(listener.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (piece) => {
      answer += piece
    })
    const ended = once(socket, 'close')
    socket.write(`POST / HTTP/1.1\r\n${lines}\r\n`)
    socket.write(event.body.subarray(0, -1))
    return { socket, ended, last: event.body.subarray(-1), answer: () => answer }
  })
  // "100 Continue" says that the request has been looked at.
  await until('every sender to be answered', () => senders.every(({ answer }) => answer().startsWith('HTTP/1.1 100')))
  return {
    async finish() {
      for (const { socket, last } of senders) socket.write(last)
      await Promise.all(senders.map(({ ended }) => ended))
      return senders.map(({ answer }) => {
        const lines = (answer().split('\r\n\r\n')[1] ?? '').split('\r\n')
        const headers = new Map(lines.slice(1).map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]]))
        return { status: Number(lines[0]?.split(' ')[1]), headers }
      })
    },
  }
}
