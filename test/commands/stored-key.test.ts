import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { newSecret, sampleEvent, signatureHeaders } from '../../src/webhooks/index.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer, takeAll } from '../support/http-server.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'
import { until } from '../support/until.js'

interface Asked {
  words: string
  /** It runs until it is stopped. */
  runs?: boolean
}

/** How each command asks the service; ID, STORED and EVENT are filled in. */
const asking: Record<string, string | Asked> = {
  __complete: '__complete deliveries get -- ',
  api: 'api GET /capabilities',
  capabilities: 'capabilities',
  'deliveries:board': 'deliveries board --once',
  'deliveries:cancel': 'deliveries cancel CANCELLED',
  'deliveries:create': 'deliveries create --file examples/order.json --ref NEW-1',
  'deliveries:get': 'deliveries get ID',
  'deliveries:list': 'deliveries list --from 1h',
  'deliveries:open': 'deliveries open ID',
  'deliveries:proof': 'deliveries proof ID',
  'deliveries:update': 'deliveries update ID --instructions Ring',
  'deliveries:watch': 'deliveries watch ID --until accepted',
  doctor: 'doctor',
  drift: 'drift',
  'drivers:get': 'drivers get DRIVER',
  'drivers:list': 'drivers list',
  'events:list': 'events list --since 1h',
  'events:replay': 'events replay --since 1h --to URL --secret-file HOME/secret.txt',
  'events:tail': { words: 'events tail --since 1h', runs: true },
  explain: 'explain ORDER-1',
  'installations:check': 'installations check FTBRAGG',
  'installations:get': 'installations get FTBRAGG',
  'installations:list': 'installations list',
  'quotes:create': 'quotes create --file examples/order.json',
  report: 'report --from 1h',
  'sandbox:inspect': 'sandbox inspect STORED',
  'sandbox:policy': 'sandbox policy FTBRAG --set acceptingDeliveries=false',
  sync: 'sync',
  simulate: 'simulate ID --to driver_assigned',
  'teams:list': 'teams list',
  'webhooks:gaps': 'webhooks gaps --since 1h',
  'webhooks:listen': { words: 'webhooks listen --port 0 --pull --secret-file HOME/secret.txt', runs: true },
  'webhooks:log': 'webhooks log EVENT --as http',
}

/** Commands that ask no service with a key: only this machine, only the control API, or with a key of their own. */
const local =
  /^(?:agent|alias|profiles|sandbox|completion$|deliveries:(?:map|results|template)$|health$|openapi$|query$|tour$|webhooks:(?:receiver|resend|send|sign|status|targets|test|verify))/

/** Commands that ask on behalf of somebody else, each with the test of their key. */
const elsewhere = { mcp: 'test/security/project-file.test.ts', ui: 'test/security/served-sandbox.test.ts' }

const secret = newSecret()
const proof = 'a secret that both sides were given'
vi.stubEnv('DLV_SANDBOX_SECRET', proof)
const sandbox = serveSandbox()
const cli = createCli(afterAll)
cli.env.DLV_SANDBOX_SECRET = proof
let closeReceiver = () => {}
const names: Record<string, string> = {}

beforeAll(async () => {
  const profile = {
    environment: 'sandbox',
    baseUrl: sandbox.running.baseUrl,
    keyIn: 'file',
    apiKey: 'dlvk_sbx_ownedfleet',
    webhookSecrets: [{ name: 'own', secret }],
  }
  const folder = join(cli.home, '.config', 'dlv')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const config = { current: 'acme', profiles: { acme: profile } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  writeFileSync(join(cli.home, 'secret.txt'), secret, { mode: 0o600 })
  const create = async (reference: string) => {
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference]
    return String((await cli.json(words)).deliveryId)
  }
  names.ID = await create('STORED')
  names.CANCELLED = await create('CANCELLED')
  await create('ORDER-1')
  const [driver] = await cli.json<{ id: string }[]>(['drivers', 'list'])
  const [event] = await cli.json<{ eventId: string }[]>(['events', 'list', '--since', '1h'])
  names.DRIVER = driver?.id ?? ''
  names.EVENT = event?.eventId ?? ''
  const receiver = await startHttpServer(takeAll, (end) => {
    closeReceiver = end
  })
  names.URL = `${receiver}/`
  names.HOME = cli.home
  // A journal, so that there can be gaps.
  const listener = cli.start(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'])
  const { url } = JSON.parse(await listener.line(() => true)) as { url: string }
  const body = JSON.stringify(sampleEvent('delivery.accepted', { eventId: 'evt_1' }))
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const headers = signatureHeaders({ secrets: [secret], id: 'evt_1', timestampSeconds, body: Buffer.from(body) })
  await fetch(url, { method: 'POST', headers: { ...headers }, body })
  await listener.kill()
})
afterAll(() => {
  closeReceiver()
  vi.unstubAllEnvs()
})

it('Every command is tried with a key that is stored in a profile, or asks no service', () => {
  const { commands } = JSON.parse(readFileSync('oclif.manifest.json', 'utf8')) as { commands: Record<string, object> }
  const tried = (id: string) => id in asking || id in elsewhere || local.test(id) || id === '__webhook-worker'
  expect(Object.keys(commands).filter((id) => !tried(id))).toEqual([])
  expect(Object.keys(asking).filter((id) => !(id in commands))).toEqual([])
})

const seen = new Set<string>()

/** The requests since the last look, without those that need no key. */
async function requests() {
  const log = (await sandbox.running.steer('GET', '/requests')) as { requests: Record<string, string>[] }
  return log.requests.flatMap(({ requestId = '', method, path = '', status }) => {
    if (seen.has(requestId) || path.endsWith('/health')) return []
    seen.add(requestId)
    return [{ request: `${method} ${path}`, status: Number(status) }]
  })
}

it.each(Object.entries(asking))('%s sends the key of its profile', async (_id, asked) => {
  const { words: line, runs = false } = typeof asked === 'string' ? { words: asked } : asked
  const words = line.split(' ').map((word) => word.replace(/\b[A-Z]{2,}\b/, (name) => names[name] ?? name))
  await requests()
  let sent: Awaited<ReturnType<typeof requests>> = []
  if (runs) {
    const running = cli.start(words)
    await until('a request', async () => {
      sent.push(...(await requests()))
      return sent.length > 0
    })
    await running.kill()
  } else {
    const { exitCode, stderr } = await cli.run(words)
    expect([exitCode, stderr]).not.toEqual([3, stderr])
    sent = await requests()
    if (sent.length === 0) throw new Error(`Nothing was sent: ${stderr}`)
  }
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.filter(({ status }) => status === 401)).toEqual([])
})
