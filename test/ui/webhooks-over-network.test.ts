import { expect, it } from 'vitest'
import type { GapList, WebhookOverview } from '../../src/ui/wire/webhooks.js'
import { startHttpServer } from '../support/http-server.js'
import { serveUi } from '../support/ui/inspector.js'

/** An account over the network with an event every second, whose allowance other programs use up now and then. */
async function busyAccount(count: number) {
  const startMs = Date.now() - (count + 60) * 1_000
  const eventOf = (at: number) => {
    const head = { eventId: `evt_${at}`, eventType: 'delivery.accepted', livemode: false, deliveryId: `del_${at}` }
    const occurredAt = new Date(startMs + at * 1_000).toISOString()
    const data = { ...head, occurredAt, delivery: { deliveryId: `del_${at}`, clientOrderReference: `ORDER-${at}` } }
    return { ...head, occurredAt, deliveryAttempts: 1, lastDeliveryStatus: null, lastAttemptAt: occurredAt, data }
  }
  const account = { baseUrl: '', events: Array.from({ length: count }, (_, at) => eventOf(at)), asked: 0, refusals: 0 }
  const page = ({ searchParams }: URL) => {
    const [since, until] = [searchParams.get('since') ?? '', searchParams.get('until') ?? '9']
    const found = account.events.filter(({ occurredAt }) => occurredAt >= since && occurredAt < until)
    const start = Number(searchParams.get('cursor') ?? 0)
    const end = start + Number(searchParams.get('limit'))
    return { events: found.slice(start, end), nextCursor: end < found.length ? String(end) : null }
  }
  const origin = await startHttpServer((request, response) => {
    request.resume()
    const url = new URL(request.url ?? '', 'http://service')
    const isList = url.pathname.endsWith('/events')
    if (isList) account.asked++
    const isRefused = isList && account.refusals > 0
    if (isRefused) account.refusals--
    const refusal = {
      error: { code: 'RATE_LIMIT_EXCEEDED', message: 'More than 20 requests in 1 s.', requestId: 'req_1' },
    }
    response.writeHead(isRefused ? 429 : 200, {
      'content-type': 'application/json',
      ...(isRefused && { 'retry-after': '1' }),
    })
    response.end(JSON.stringify(isRefused ? refusal : isList ? page(url) : { status: 'healthy' }))
  })
  account.baseUrl = `${origin}/delivery/v1`
  return { account, add: () => account.events.push(eventOf(account.events.length)) }
}

it('of an account over the network reads only what is new, and waits its turn beside other programs', async () => {
  const { account, add } = await busyAccount(1_050)
  const env = { DLV_BASE_URL: account.baseUrl, DLV_API_KEY: 'dlvk_sbx_1', DLV_ENVIRONMENT: 'sandbox' }
  const secret = { DLV_WEBHOOK_SECRET: `whsec_${Buffer.from('a key of this test, of 32 bytes.').toString('base64')}` }
  const served = await serveUi('test', {
    env,
    before: async (cli) => {
      const listening = cli.start(['webhooks', 'listen', '-o', 'ndjson'], { env: { ...env, ...secret } })
      await listening.line((line) => line.includes('"ready"'))
      await listening.kill()
    },
  })
  const overview = () => served.read<WebhookOverview>('/webhooks')
  account.refusals = 1
  expect(await overview()).toMatchObject({ matching: 1_000, reach: 'newest', events: { length: 100 } })
  add()
  const askedForNewest = account.asked
  const [{ events }] = await Promise.all([overview(), overview()])
  expect(events[0]).toMatchObject({ eventId: 'evt_1050', reference: 'ORDER-1050', lastDeliveryStatus: 'delivered' })
  expect(account.asked - askedForNewest).toBe(1)
  // The gaps need the whole day, which the overview has from then on.
  expect(await served.read<GapList>('/webhooks/gaps')).toMatchObject({ isCut: true, gaps: { length: 500 } })
  add()
  const askedForAll = account.asked
  expect(await served.read<GapList>('/webhooks/gaps')).toMatchObject({ isCut: true })
  expect(await overview()).toMatchObject({ matching: 1_052, reach: 'day' })
  expect(account.asked - askedForAll).toBe(2)
})
