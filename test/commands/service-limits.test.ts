import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testCertificate } from '../support/certificate.js'
import { createCli } from '../support/cli/program.js'
import { type ConnectProxy, startConnectProxy, trustForTest } from '../support/client/connect-proxy.js'
import { type ScriptedServer, startScriptedServer, type Turn } from '../support/client/scripted-server.js'
import { until } from '../support/until.js'

const certificate = testCertificate(['service.test'])
const cli = createCli(afterAll)
let server: ScriptedServer
let proxy: ConnectProxy

/** The service's clock is a year behind, so that nothing can be mistaken for this machine's. */
const serviceMs = Math.floor((Date.now() - 365 * 86_400_000) / 1_000) * 1_000
const date = new Date(serviceMs).toUTCString()

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'content-type': 'application/json', date, ...headers },
  body: JSON.stringify(body),
})
const limited = (seconds: number, status = 429, code = 'RATE_LIMIT_EXCEEDED') =>
  json({ error: { code, message: 'Later.', requestId: 'r' } }, status, { 'retry-after': String(seconds) })

/** Every list is empty, and `GET /health` is over its limit. */
function serve({ request, send }: Turn): void {
  const time = new Date(serviceMs - 60_000).toISOString()
  const delivery = {
    deliveryId: 'del_1',
    clientOrderReference: 'A',
    status: 'accepted',
    createdAt: time,
    updatedAt: time,
  }
  if (request.path.endsWith('/health')) send(limited(41))
  else if (request.path.endsWith('/del_1')) send(json(delivery))
  else send(json({ deliveries: [], events: [], nextCursor: null }))
}

beforeAll(async () => {
  server = await startScriptedServer({ tls: certificate })
  proxy = await startConnectProxy(() => Number(new URL(server.origin).port))
  server.always = serve
})
afterAll(async () => {
  proxy.close()
  await server.close()
})
beforeEach(() => {
  trustForTest(certificate.cert)
  server.requests.length = 0
})

const env = () => ({
  DLV_BASE_URL: 'https://service.test/delivery/v1',
  DLV_API_KEY: 'key_of_a_shop',
  DLV_ENVIRONMENT: 'sandbox',
  HTTPS_PROXY: proxy.url,
})
const asked = () => server.requests.map(({ path }) => path.replace('/delivery/v1', '').replace(/\?.*/, ''))

describe('GET /health that is over its limit', () => {
  it.each([
    [['deliveries', 'list', '--from', '2h'], '/deliveries', 'from', 7_200_000],
    [['events', 'list', '--since', '3h'], '/events', 'since', 10_800_000],
    [['deliveries', 'board', '--once', '--from', '1d'], '/events', 'since', 86_400_000],
  ] as const)('is asked once by dlv %s, which takes the time from its Date', async (words, path, name, backMs) => {
    const { exitCode, stderr } = await cli.run(words, { env: env(), columns: 100 })
    expect([exitCode, asked().filter((path) => path === '/health')], stderr).toEqual([0, ['/health']])
    const listed = server.requests.find((request) => request.path.includes(`${path}?`))
    const from = Date.parse(new URL(listed?.path ?? '', server.origin).searchParams.get(name) ?? '')
    expect(Math.abs(serviceMs - backMs - from)).toBeLessThan(60_000)
  })

  it('is not asked where an answer has told the time, and only once by the doctor', async () => {
    const { stdout } = await cli.run(['deliveries', 'get', 'del_1'], { env: env(), columns: 100 })
    expect([asked(), stdout]).toEqual([['/deliveries/del_1', '/events'], expect.stringMatching(/1 ?m(?:in)? ago/)])
    server.requests.length = 0
    const { stdout: findings } = await cli.run(['doctor', '--json'], { env: env() })
    expect(asked().filter((path) => path === '/health')).toHaveLength(1)
    const { verdict, finding } = (JSON.parse(findings) as { check: string; verdict: string; finding: string }[]).find(
      ({ check }) => check === 'service',
    ) ?? { verdict: '', finding: '' }
    expect([verdict, finding]).toEqual(['ok', expect.stringContaining('429')])
  })
})

describe('The hint of an error', () => {
  it.each([
    [429, 'RATE_LIMIT_EXCEEDED'],
    [503, 'SERVICE_UNAVAILABLE'],
  ])('says how long to wait after %s, and names no other request', async (status, code) => {
    server.always = ({ send }) => send(limited(40, status, code))
    const hints = await Promise.all(
      [
        ['deliveries', 'get', 'del_1', '--timeout', '2s'],
        ['teams', 'list', '--timeout', '2s'],
      ].map(async (words) => (await cli.run(words, { env: env() })).stderr),
    )
    server.always = serve
    for (const hint of hints) {
      expect(hint).toMatch(/wait 40 ?s/i)
      expect(hint).not.toMatch(/Next:|dlv capabilities|dlv health/)
    }
  })

  it('keeps the journal of the command line', async () => {
    const journal = 'postgres://u@127.0.0.1:1/x'
    const { stderr } = await cli.run(['webhooks', 'log', '--journal', journal, '-P', 'local'], { env: env() })
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`dlv doctor --journal ${journal} -P local`)
  })
})

describe('Waiting on a terminal', () => {
  it('is announced after two seconds, counts down, and leaves no line behind', async () => {
    const late: Record<string, (turn: Turn) => void> = {
      '/capabilities': ({ send }) => send(limited(3)),
      '/teams': ({ send }) => send(limited(3, 503, 'SERVICE_UNAVAILABLE')),
      '/drivers': ({ send }) => void setTimeout(() => send(json([])), 2_600),
    }
    server.always = (turn) => {
      const path = turn.request.path.replace('/delivery/v1', '')
      const first = late[path]
      delete late[path]
      if (first !== undefined) first(turn)
      else turn.send(json(path === '/capabilities' ? { accountType: 'marketplace', capabilities: {} } : []))
    }
    const lines = await Promise.all(
      [['capabilities'], ['teams', 'list'], ['drivers', 'list']].map(async (words) => {
        const { stdout, exitCode } = await cli.run(words, { env: env(), columns: 100 })
        const [, line] = /\u001b\[2K([^\r\u001b]*)\r\u001b\[2K/.exec(stdout) ?? []
        // The last line that was drawn is erased.
        return [exitCode, line, stdout.lastIndexOf('Ctrl-C stops.') < stdout.lastIndexOf('\u001b[2K')]
      }),
    )
    server.always = serve
    expect(lines).toEqual([
      [0, expect.stringMatching(/^Rate limited; retrying in [12] s\. Ctrl-C stops\.$/), true],
      [0, expect.stringMatching(/^The service is unavailable; retrying in [12] s\. Ctrl-C stops\.$/), true],
      [0, expect.stringMatching(/^Waiting for an answer for [23] s\. Ctrl-C stops\.$/), true],
    ])
  })

  it('is said by commands that stay, and the board shows no count before it has read', async () => {
    const seen = new Set<string>()
    const delivered = { deliveryId: 'del_1', clientOrderReference: 'A', status: 'delivered', createdAt: null }
    server.always = ({ request, send }) => {
      const path = request.path.replace(/\?.*/, '')
      const isFirst = !seen.has(path)
      seen.add(path)
      if (path.endsWith('/health')) send(json({ status: 'healthy' }))
      else if (isFirst) send(limited(4, 503, 'SERVICE_UNAVAILABLE'))
      else if (path.endsWith('/deliveries/del_1')) send(json(delivered))
      else if (path.startsWith('/board/')) send(json({ deliveries: [], events: [], nextCursor: null }))
      else send(json({ error: { code: 'UNAUTHORIZED', message: 'No.', requestId: 'r' } }, 401))
    }
    const variables = (name: string) => ({
      ...env(),
      DLV_BASE_URL: `https://service.test/${name}/delivery/v1`,
      DLV_WEBHOOK_SECRET: `whsec_${Buffer.from('a key of this test, of 32 bytes.').toString('base64')}`,
    })
    const board = cli.startOnTerminal(['deliveries', 'board'], {
      columns: 140,
      env: { ...variables('board'), NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
    })
    const pull = ['webhooks', 'listen', '--pull', '--port', '0', '--expect', 'delivery.x', '--within', '4s']
    const said = await Promise.all(
      [['events', 'tail'], ['deliveries', 'watch', 'del_1'], pull].map(async (words) => {
        const { stdout } = await cli.run(words, { env: variables(words[0] ?? ''), columns: 100 })
        return /The service is unavailable; retrying in [1-4] s\./.test(stdout)
      }),
    )
    await until('the counts', () => /0 under way.*PROBLEMS\S* 0/s.test(board.screen()))
    const [unread = ''] = board.screen().split('0 under way')
    said.push(/The service is unavailable; retrying in [1-4] s\./.test(unread), /not read yet/.test(unread))
    said.push(!/\d problems|PROBLEMS\S* \d/.test(unread))
    board.type('q')
    expect((await board.ended).exitCode).toBe(0)
    server.always = serve
    expect(said).toEqual([true, true, true, true, true, true])
  })
})
