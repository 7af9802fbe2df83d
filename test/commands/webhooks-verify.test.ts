import { chmodSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { newSecret, signatureHeaders } from '../../src/webhooks/index.js'
import { createCli, type Ended, fewAtATime } from '../support/cli/program.js'
import { vectorSecret } from '../support/webhooks/verdict-vectors.js'

const nowSeconds = 1_772_463_600
const atItsTime = ['--at', String(nowSeconds)]
const body = '{ "eventId":"evt_1", "eventType" : "delivery.accepted","occurredAt":"2026-03-02T15:00:00.000Z" }\n'
const cli = createCli(afterAll)

function createFile(name: string, content: string | Uint8Array): string {
  const file = join(cli.home, name)
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

const secretFile = () => createFile('secret.txt', `${vectorSecret}\n`)
const bodyFile = (text: string | Uint8Array = body) => createFile('body.json', text)

/** The three headers, as flags. */
function signedWith(secret = vectorSecret, at = nowSeconds, signedBody: string = body): string[] {
  const headers = signatureHeaders({ secrets: [secret], id: 'evt_1', timestampSeconds: at, body: signedBody })
  return Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
}

const verify = (...words: string[]) => cli.run(['webhooks', 'verify', ...words])
const errorOf = ({ stderr }: Ended) => JSON.parse(stderr).error as Record<string, unknown>

describe('a secret file that other users can read', () => {
  const signed = () => ['--file', bodyFile(), ...atItsTime, '--secret-file']
  it.each([
    ['webhooks verify', () => ['webhooks', 'verify', ...signedWith(), ...signed()]],
    ['webhooks sign', () => ['webhooks', 'sign', '--id', 'evt_1', ...signed()]],
    ['webhooks send', () => ['webhooks', 'send', 'delivery.failed', '--to', 'http://127.0.0.1:9/', '--secret-file']],
    ['events replay', () => ['events', 'replay', 'evt_1', '--to', 'http://127.0.0.1:9/', '--secret-file']],
    ['sandbox endpoints add', () => ['sandbox', 'endpoints', 'add', 'http://127.0.0.1:9/', '--secret-file']],
  ])('is said by %s, with the command that ends it', async (_, words) => {
    const file = secretFile()
    chmodSync(file, 0o644)
    const warning = `Other users can read ${file}; run: chmod 600 ${file}`
    expect((await cli.run([...words(), file])).stderr).toContain(warning)
    chmodSync(file, 0o600)
    expect((await cli.run([...words(), file])).stderr).not.toContain('Other users')
  })
})

describe('webhooks verify', () => {
  it('says by which secret, when, and how far the clocks differ', async () => {
    const env = { DLV_WEBHOOK_SECRET: `${newSecret()}, ${newSecret()} ${vectorSecret}` }
    const at = String(nowSeconds + 12)
    const { exitCode, stdout } = await cli.run(
      ['webhooks', 'verify', '--file', bodyFile(), ...signedWith(), '--at', at],
      {
        env,
        columns: 80,
      },
    )
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/Verified\S*\s+evt_1/)
    expect(stdout).toContain('DLV_WEBHOOK_SECRET 3 (3 of 3)')
    expect(stdout).toContain('differ by 12s')
  })

  it.each([
    ['an empty secret', ''],
    ['a prefix alone', 'whsec_'],
    ['what is not base64', 'whsec_!!!'],
    ['white space within', 'whsec_MfKQ9r8GKYqr TwjUPD8ILPZIo2LaLaSw'],
  ])('refuses %s where it is configured, and shows nothing of it', async (_, secret) => {
    const ended = await verify('--file', bodyFile(), ...signedWith(), '--secret-file', createFile('bad.txt', secret))
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toMatch(/^error: .*secret/)
    expect(ended.stderr).not.toContain('MfKQ9r8GKYqr')
  })

  it('takes several secrets, by file as well', async () => {
    const other = createFile('other.txt', newSecret())
    const words = ['--file', bodyFile(), ...signedWith(), ...atItsTime, '--secret-file', other]
    expect((await verify(...words)).exitCode).toBe(9)
    expect((await verify(...words, '--secret-file', secretFile())).exitCode).toBe(0)
  })

  it('judges the age by --at and --tolerance, and says how to judge an old one', async () => {
    const words = ['--file', bodyFile(), ...signedWith(), '--secret-file', secretFile()]
    const old = await verify(...words, '--json')
    expect(errorOf(old)).toMatchObject({ code: 'SIGNATURE_ERROR', exitCode: 9, hint: expect.stringContaining('--at') })
    const later = String(nowSeconds + 400)
    expect((await verify(...words, '--at', later)).exitCode).toBe(9)
    expect((await verify(...words, '--at', later, '--tolerance', '400')).exitCode).toBe(0)
    expect((await verify(...words, '--at', '2026-03-02T15:00:00Z')).exitCode).toBe(0)
  })

  it('takes a request as it came over the wire, with its own framing', async () => {
    const headers = signatureHeaders({
      secrets: [vectorSecret],
      id: 'evt_1',
      timestampSeconds: nowSeconds,
      body,
    })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const size = Buffer.byteLength(body)
    const chunks = `5\r\n${body.slice(0, 5)}\r\n${(size - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`
    const captures = {
      'plain.http': ['POST /hooks HTTP/1.1', ...lines, '', body].join('\r\n'),
      'unix.http': [...lines, '', body].join('\n'),
      'edited.http': ['POST /hooks HTTP/1.1', `Content-Length: ${size}`, ...lines, '', `${body}\n`].join('\r\n'),
      'chunked.http': ['POST /hooks HTTP/1.1', 'Transfer-Encoding: chunked', ...lines, '', chunks].join('\r\n'),
      'second-version.http': [':method: POST', ':path: /hooks', ...lines, '', body].join('\n'),
    }
    // Written once: these runs read it at the same time.
    const secret = secretFile()
    const codes = await fewAtATime(Object.entries(captures), async ([name, text]) => {
      const { exitCode, stderr } = await verify(
        '--request',
        createFile(name, text),
        ...atItsTime,
        '--secret-file',
        secret,
      )
      return [name, exitCode, stderr]
    })
    expect(codes).toEqual(Object.keys(captures).map((name) => [name, 0, '']))
    const cut = createFile(
      'cut.http',
      ['POST / HTTP/1.1', `Content-Length: ${size + 1}`, ...lines, '', body].join('\r\n'),
    )
    const { exitCode, stderr } = await verify('--request', cut, '--secret-file', secretFile())
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('truncated')])
  })

  it('takes a HAR file, and asks which where it holds several webhooks', async () => {
    const entryOf = (at: number) => {
      const headers = signatureHeaders({ secrets: [vectorSecret], id: 'evt_1', timestampSeconds: at, body })
      const pairs = Object.entries({ ':method': 'POST', ...headers }).map(([name, value]) => ({ name, value }))
      return { request: { method: 'POST', headers: pairs, postData: { mimeType: 'application/json', text: body } } }
    }
    const other = { request: { method: 'GET', headers: [{ name: 'accept', value: '*/*' }] } }
    const words = [...atItsTime, '--secret-file', secretFile()]
    const one = createFile('one.har', JSON.stringify({ log: { entries: [other, entryOf(nowSeconds)] } }))
    expect((await verify('--request', one, ...words)).exitCode).toBe(0)
    const entry = entryOf(nowSeconds)
    const base64 = { text: Buffer.from(body).toString('base64'), encoding: 'base64' }
    const alone = createFile('entry.har', JSON.stringify({ request: { ...entry.request, postData: base64 } }))
    expect((await verify('--request', alone, ...words)).exitCode).toBe(0)
    const two = createFile(
      'two.har',
      JSON.stringify({ log: { entries: [entryOf(nowSeconds - 900), entryOf(nowSeconds)] } }),
    )
    const asked = await verify('--request', two, ...words)
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('--entry 1 to --entry 2')])
    expect((await verify('--request', two, '--entry', '1', ...words)).exitCode).toBe(9)
    expect((await verify('--request', two, '--entry', '2', ...words)).exitCode).toBe(0)
    const none = await verify('--request', createFile('none.har', '{"log":{"entries":[]}}'), ...words)
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('HAR')])
  })

  it('finds the webhook in what gateways, queues and inspectors make of it', async () => {
    const own = signatureHeaders({ secrets: [vectorSecret], id: 'evt_1', timestampSeconds: nowSeconds, body })
    const headers: Record<string, string> = { ...own }
    const base64 = Buffer.from(body).toString('base64')
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    const pairs = Object.entries(headers).map(([name, value]) => ({ name, value }))
    const attributes = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, { stringValue: value }]),
    )
    const wrapped: Record<string, unknown> = {
      'rest-api.json': { httpMethod: 'POST', headers: null, multiValueHeaders: upper, body, isBase64Encoded: false },
      'http-api.json': { version: '2.0', rawPath: '/hooks', headers, body: base64, isBase64Encoded: true },
      'load-balancer.json': { requestContext: { elb: {} }, headers, body, isBase64Encoded: false },
      'push.json': { message: { data: base64, attributes: headers }, subscription: 'projects/p/subscriptions/s' },
      'queue.json': { Records: [{ body, messageAttributes: attributes }] },
      'queued-event.json': { Records: [{ body: JSON.stringify({ headers, body }) }] },
      'edge.json': { Records: [{ cf: { request: { headers: upper, body: { data: base64, encoding: 'base64' } } } }] },
      'inspector.json': { uuid: '1', content: body, headers: upper },
      'azure.json': { method: 'POST', headers, rawBody: body, body: JSON.parse(body) },
      'logged.json': { req: { headers: pairs, body: Buffer.from(body) } },
    }
    const secret = secretFile()
    const ended = await fewAtATime(Object.entries(wrapped), async ([name, event]) => {
      const file = createFile(name, JSON.stringify(event))
      const words = [...atItsTime, '--secret-file', secret]
      return [name, (await verify('--request', file, ...words)).stderr, (await verify('--file', file, ...words)).stderr]
    })
    expect(ended).toEqual(Object.keys(wrapped).map((name) => [name, '', '']))
    const raw = `POST / HTTP/1.1\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join('')}\n${body}`
    const utf16 = createFile('utf16.http', Buffer.from(`\ufeff${raw}`, 'utf16le'))
    expect((await verify('--request', utf16, ...atItsTime, '--secret-file', secret)).exitCode).toBe(0)
    const parsed = createFile('parsed.json', JSON.stringify({ headers, body: JSON.parse(body) }))
    expect((await verify('--request', parsed, '--secret-file', secret)).stderr).toContain(
      'as parsed JSON, not its bytes',
    )
    for (const postData of [undefined, { mimeType: 'application/json', text: '' }, { mimeType: 'application/json' }]) {
      const har = createFile(
        'bodiless.har',
        JSON.stringify({ log: { entries: [{ request: { headers: pairs, postData } }] } }),
      )
      const { exitCode, stderr } = await verify('--request', har, '--secret-file', secret)
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/does not hold the body[\s\S]*hardump/)])
    }
  })

  it('reads the body from standard input, byte for byte', async () => {
    const words = ['--file', '-', ...signedWith(), ...atItsTime, '--secret-file', secretFile()]
    expect((await cli.run(['webhooks', 'verify', ...words], { stdin: body })).exitCode).toBe(0)
    const trimmed = await cli.run(['webhooks', 'verify', ...words], { stdin: body.trimEnd() })
    expect([trimmed.exitCode, trimmed.stderr]).toEqual([
      9,
      expect.stringMatching(/newline .* added or dropped[\s\S]*--data-binary/),
    ])
  })

  it('names the profile whose secret it is, and never the secret', async () => {
    const production = newSecret()
    const file = createFile('production.txt', production)
    const words = ['profiles', 'add', 'shop', '--environment', 'production', '--base-url', 'https://api.example.com/v1']
    const added = await cli.run([...words, '--api-key-stdin', '--webhook-secret-file', file], { stdin: 'key_1' })
    expect(added.stderr).not.toContain('error')
    const ended = await verify(
      '--file',
      bodyFile(),
      ...signedWith(production),
      ...atItsTime,
      '--secret-file',
      secretFile(),
    )
    expect(ended.exitCode).toBe(9)
    expect(ended.stderr).toContain('profile shop')
    expect(ended.stderr).not.toContain(production.slice(6))
    // The profile's own secrets count where no other is given.
    expect((await verify('-P', 'shop', '--file', bodyFile(), ...signedWith(production), ...atItsTime)).exitCode).toBe(0)
  })

  it('masks what is personal in its JSON unless it is told otherwise', async () => {
    const personal =
      '{"eventId":"evt_1","eventType":"delivery.accepted","occurredAt":"2026-03-02T15:00:00Z","delivery":{"dropoff":{"contactName":"Dana Whitfield"}}}'
    const words = ['--file', bodyFile(personal), ...signedWith(vectorSecret, nowSeconds, personal), ...atItsTime]
    const shown = (await verify(...words, '--secret-file', secretFile(), '--json')).stdout
    expect(JSON.parse(shown).event.delivery.dropoff.contactName).toBe('D*** W********')
    const whole = (await verify(...words, '--secret-file', secretFile(), '--json', '--unmask')).stdout
    expect(JSON.parse(whole).event.delivery.dropoff.contactName).toBe('Dana Whitfield')
  })

  it('refuses a request of 700 MB without reading it whole, from a file or a pipe', async () => {
    const large = createFile('large.http', '')
    truncateSync(large, 700 * 1_048_576)
    const secret = ['--secret-file', secretFile()]
    expect(await verify('--request', large, ...secret)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`--request ${large} is larger than 64 MB.`),
    })
    const piped = await cli.shell(`head -c 70000000 /dev/zero | dlv webhooks verify --request - ${secret.join(' ')}`)
    expect([piped.exitCode, piped.stderr]).toEqual([2, expect.stringContaining('--request - is larger than 64 MB.')])
  })

  it.each([
    ['neither a file nor a request', [], 'Expected --file'],
    ['a file that is not there', ['--file', 'package.json-that-is-not'], 'no such file'],
    ['a header that is none', ['--file', 'package.json', '--header', 'webhook-id'], "'name: value'"],
    ['a request without a body', ['--request', 'LICENSE-that-is-not'], 'no such file'],
    ['a time that is none', ['--file', 'package.json', '--at', 'teatime'], '--at must be a time'],
  ])('refuses %s with a remedy', async (_, words, said) => {
    const { exitCode, stderr, stdout } = await verify(...words, '--secret-file', secretFile())
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(said)
  })
})
