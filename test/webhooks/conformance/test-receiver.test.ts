import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { junitOf, newSecret, type Rule, testReceiver, verify } from '../../../src/webhooks/index.js'
import { mistakes } from '../../../src/webhooks/verdict.js'
import { startHttpServer, takeAll } from '../../support/http-server.js'
import { type ReceiverFault, startTestReceiver } from '../../support/webhooks/faulty-receiver.js'

const secret = newSecret()
const brokenRule: Record<Exclude<ReceiverFault, 'no check'>, Rule> = {
  'parse first': 'raw_body',
  'reads Latin-1': 'utf8',
  'decodes each piece': 'utf8',
  'no dedupe': 'dedupe',
  'no tolerance': 'tolerance',
  slow: 'in_time',
  '500 on unknown types': 'open_contract',
  'order by arrival': 'order',
  'first signature only': 'rotation',
  'small body limit': 'large_events',
}

const hmac = (key: string | Buffer, signed: string, encoding: 'base64' | 'hex' = 'base64') =>
  createHmac('sha256', key).update(signed).digest(encoding)

describe('the conformance test', () => {
  it.each([
    'outcome header',
    'outcome body',
    'state',
  ] as const)('passes a correct receiver that shows %s', async (shows) => {
    const { url, stateUrl } = await startTestReceiver({ secret, shows })
    const report = await testReceiver({ url, secret, timeScale: 1e6, ...(shows === 'state' ? { stateUrl } : {}) })
    expect(report.brokenRules).toEqual([])
    expect(report.passed).toBe(true)
    expect(report.cases.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(report.cases.length).toBeGreaterThan(25)
  })

  it.each(
    Object.keys(brokenRule) as (keyof typeof brokenRule)[],
  )('finds that a receiver has "%s", and nothing else', async (fault) => {
    const { url } = await startTestReceiver({ secret, fault, shows: 'outcome header' })
    const limit = fault === 'slow' ? { responseTimeoutMs: 250 } : {}
    const { brokenRules, passed } = await testReceiver({ url, secret, concurrency: 8, ...limit })
    expect(brokenRules.map(({ rule }) => rule)).toEqual([brokenRule[fault]])
    expect(passed).toBe(false)
    expect(brokenRules[0]?.advice).toMatch(/.{20}/)
  })

  it('fails a receiver that accepts everything in every negative case', async () => {
    const report = await testReceiver({ url: await startHttpServer(takeAll), secret })
    const negative = [
      ...['wrong-secret', 'tampered-body', 'tampered-id', 'no-signature', 'no-id', 'no-timestamp'],
      ...['empty-signature', 'cut-signature', 'unknown-scheme', 'changed-timestamp'],
      ...['reserialised', 'stale', 'future', 'oversized'],
    ]
    const withStatus = (wanted: string) => report.cases.filter(({ status }) => status === wanted).map(({ id }) => id)
    expect(withStatus('failed').sort()).toEqual(negative.sort())
    expect(withStatus('skipped')).toEqual([])
    expect(report.brokenRules.map(({ rule }) => rule)).toEqual(['signature', 'raw_body', 'tolerance', 'bounded'])
  })

  it.each(['no dedupe', 'order by arrival'] as const)('finds "%s" by the state alone', async (fault) => {
    const { url, stateUrl } = await startTestReceiver({ secret, fault, shows: 'state' })
    const { brokenRules } = await testReceiver({ url, stateUrl, secret })
    expect(brokenRules.map(({ rule }) => rule)).toEqual([brokenRule[fault]])
  })

  it('reports what a receiver does not show as not observable', async () => {
    const { url } = await startTestReceiver({ secret, fault: 'no dedupe', shows: 'nothing' })
    const report = await testReceiver({ url, secret })
    expect(report.notObservable).toEqual(['dedupe', 'order'])
    expect(report.cases.find(({ id }) => id === 'duplicate')).toMatchObject({
      status: 'not_observable',
      reason: expect.stringContaining('dlv-outcome'),
    })
  })

  it('plays all 8 attempts of the schedule, and finds a receiver that processes more than one', async () => {
    const { url } = await startTestReceiver({ secret, fault: 'no dedupe', shows: 'outcome header' })
    const { cases } = await testReceiver({ url, secret, timeScale: 1e6 })
    expect(cases.find(({ id }) => id === 'schedule')).toMatchObject({ status: 'failed', rule: 'dedupe' })
  })

  it('tests nothing else if a plain event is rejected', async () => {
    const { url } = await startTestReceiver({ secret: newSecret(), shows: 'nothing' })
    const { brokenRules, cases } = await testReceiver({ url, secret })
    expect(brokenRules).toMatchObject([{ rule: 'accepts_events', reason: expect.stringContaining('401') }])
    expect(cases.slice(1).every(({ status }) => status === 'skipped')).toBe(true)
  })

  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  it.each([
    ['secret_not_decoded', (parts: string, body: string) => `v1,${hmac(secret.replace('whsec_', ''), parts + body)}`],
    [
      'body_reserialised',
      (parts: string, body: string) => `v1,${hmac(key, parts + JSON.stringify(JSON.parse(body), null, 2))}`,
    ],
    ['signature_in_hex', (parts: string, body: string) => hmac(key, parts + body, 'hex')],
  ] as const)('names the mistake %s in a receiver that rejects a plain event', async (mistake, expected) => {
    const url = await startHttpServer(async (request, response) => {
      const parts = `${request.headers['webhook-id']}.${request.headers['webhook-timestamp']}.`
      const isGood = request.headers['webhook-signature'] === expected(parts, await text(request))
      response.writeHead(isGood ? 204 : 401).end()
    })
    const { brokenRules } = await testReceiver({ url, secret })
    const { message, hint } = mistakes[mistake]
    expect(brokenRules).toMatchObject([{ rule: 'accepts_events', reason: expect.stringContaining('answered 401') }])
    expect(brokenRules[0]?.reason).toContain(`${message}. ${hint}`)
  })

  it('names the character set in a receiver that rejects text beyond ASCII', async () => {
    const { url } = await startTestReceiver({ secret, fault: 'reads Latin-1', shows: 'nothing' })
    const { brokenRules } = await testReceiver({ url, secret })
    expect(brokenRules).toMatchObject([
      { rule: 'utf8', reason: expect.stringContaining(mistakes.body_recoded.message) },
    ])
  })

  it('says that nothing listens, and that nothing answers', async () => {
    const { url } = await startTestReceiver({ secret, shows: 'nothing' })
    const unused = url.replace(/:\d+/, ':1')
    expect((await testReceiver({ url: unused, secret })).brokenRules).toMatchObject([
      { rule: 'accepts_events', reason: expect.stringContaining('nothing is listening on http://127.0.0.1:1') },
    ])
    const mute = await startHttpServer(() => {})
    expect((await testReceiver({ url: mute, secret, responseTimeoutMs: 50 })).brokenRules).toMatchObject([
      { rule: 'in_time', reason: expect.stringContaining('no response') },
    ])
  })
})

describe('the JUnit report', () => {
  it('counts failures and skipped cases, and escapes what a receiver says', async () => {
    const { url } = await startTestReceiver({ secret, fault: '500 on unknown types', shows: 'nothing' })
    const report = await testReceiver({ url: `${url}a&b'c`, secret })
    const xml = junitOf(report)
    const [, started] = / timestamp="(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)">/.exec(xml) ?? []
    const minutesAgo = (Date.now() - Date.parse(`${started}Z`)) / 60_000
    expect(Math.floor(minutesAgo)).toBe(0)
    expect(xml).toContain(`tests="${report.cases.length}" failures="1" errors="0" skipped="2"`)
    expect(xml).toContain("a&amp;b'c")
    expect(xml).toMatch(/<testcase classname="open_contract" name="unknown-type: .*"><failure message="it answered 500/)
    expect(xml.match(/<testcase /g)).toHaveLength(report.cases.length)
  })
})

/** A receiver that rejects everything with one answer. */
const rejecting = (status: number, body: string, headers: Record<string, string> = {}) =>
  startHttpServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body))
  })

describe('what a receiver answers', () => {
  it.each([
    [
      401,
      '{"error":{"code":"body_not_raw","message":"something has read the body"}}',
      {},
      'The body was parsed before',
    ],
    [500, 'TypeError: The "data" argument must be of type string or an instance of Buffer', {}, 'The body was parsed'],
    [403, '{"message":"Cross-site POST form submissions are forbidden"}', {}, 'take the route of the webhook out'],
    [
      419,
      '<!DOCTYPE html><html><head><title>Page Expired</title></head></html>',
      {},
      'take the route of the webhook out',
    ],
    [400, '{"message":"Missing required headers"}', {}, 'does not see the headers webhook-id'],
    [404, 'Cannot POST /hook', {}, 'Nothing is routed at this path'],
    [415, '{"code":"FST_ERR_CTP_INVALID_MEDIA_TYPE"}', {}, 'No parser is registered for application/json'],
    [308, '', { location: '/hooks/' }, ': it redirects to /hooks/, which is not followed'],
    [
      302,
      '',
      { location: '/login?next=/hooks' },
      "redirects to /login?…, which is not followed: use that address if it is the receiver's; expected a 2xx. That is a login",
    ],
    [
      307,
      '',
      { location: 'https://u:p@hooks.example.com/in?token=k59' },
      'redirects to https://hooks.example.com/in?…, which',
    ],
    [401, '', { 'www-authenticate': 'Basic realm="staging"' }, 'asks for a login (Basic realm="staging")'],
    [403, '{"message":"Missing Authentication Token"}', {}, 'API Gateway has no such path or stage'],
    [400, '{"message":"Message timestamp too old"}', {}, 'compare its clock'],
    [500, 'RangeError: Input buffers must have the same byte length', {}, 'signatures of different lengths'],
  ] as const)('is shown, and tells the mistake: %i %s', async (status, body, headers, means) => {
    const { brokenRules } = await testReceiver({ url: await rejecting(status, body, headers), secret })
    expect(brokenRules).toMatchObject([{ rule: 'accepts_events' }])
    const { reason = '' } = brokenRules[0] ?? {}
    expect(reason).toContain(`answered ${status} after`)
    expect(reason).toContain(means)
    if (body !== '' && !body.startsWith('<')) expect(reason).toContain(body.slice(0, 60))
  })

  it('blames the case that ended the receiver, and no later rule', async () => {
    const server = createServer(async (request, response) => {
      await text(request)
      if (request.headers['webhook-signature'] !== undefined) return void response.writeHead(204).end()
      request.socket.destroy()
      server.close()
      server.closeAllConnections()
    })
    const url = await startHttpServer(server)
    const { brokenRules, cases } = await testReceiver({ url, secret, concurrency: 1 })
    const { reason } = brokenRules.find(({ rule }) => rule === 'survives') ?? {}
    expect(reason).toMatch(
      /^it ended during "no webhook-signature" \(nothing is listening on .*what came after that was/,
    )
    const later = cases.filter(({ rule }) =>
      ['rotation', 'open_contract', 'large_events', 'utf8', 'bounded'].includes(rule),
    )
    expect(later.map(({ status, reason }) => `${status}: ${reason}`)).toEqual(
      later.map(() => 'skipped: the receiver had stopped answering'),
    )
  })

  it('stops asking a receiver that hangs, and blames the rule on time alone', async () => {
    let isHanging = false
    const url = await startHttpServer(async (request, response) => {
      const body = await text(request)
      const { ok } = verify({ secrets: [secret], headers: request.rawHeaders, body: Buffer.from(body) })
      isHanging ||= body.includes('teleported')
      if (!isHanging) response.writeHead(ok ? 204 : 401).end()
    })
    const { brokenRules, cases } = await testReceiver({ url, secret, responseTimeoutMs: 100, concurrency: 4 })
    expect(brokenRules.map(({ rule }) => rule)).toEqual(['in_time'])
    expect(cases.find(({ id }) => id === 'oversized')?.reason).toBe('the receiver had stopped answering')
  })

  it('skips what the limit of a platform makes impossible, and names the setting of any other', async () => {
    const limited = (answer: (response: ServerResponse) => void) =>
      startHttpServer(async (request, response) => {
        const body = await text(request)
        if (body.length > 200_000) return answer(response)
        const { ok } = verify({ secrets: [secret], headers: request.rawHeaders, body: Buffer.from(body) })
        response.writeHead(ok ? 204 : 401).end()
      })
    const gateway = await limited((response) => response.writeHead(413).end('{"message":"Request Too Long"}'))
    const { cases } = await testReceiver({ url: gateway, secret })
    for (const id of ['large', 'oversized'])
      expect(cases.find((one) => one.id === id)).toMatchObject({
        status: 'skipped',
        reason: expect.stringContaining('the limit of API Gateway'),
      })
    const fastify = await limited((response) => response.writeHead(413).end('{"code":"FST_ERR_CTP_BODY_TOO_LARGE"}'))
    const { brokenRules } = await testReceiver({ url: fastify, secret })
    expect(brokenRules.find(({ rule }) => rule === 'large_events')?.reason).toContain("Raise Fastify's bodyLimit.")
  })
})
