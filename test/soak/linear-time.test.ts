import { describe, expect, test } from 'vitest'
import * as client from '../../src/client/index.js'
import * as contract from '../../src/contract/index.js'
import * as listener from '../../src/listener/index.js'
import { canonicalJson } from '../../src/shared/canonical-json.js'
import { timeSpanMs } from '../../src/shared/durations.js'
import { withoutUnsafeKeys } from '../../src/shared/unsafe-keys.js'
import { isLoopback, isLoopbackName } from '../../src/shared/web-address.js'
import * as webhooks from '../../src/webhooks/index.js'
import { hostilePieces, hostileText } from '../support/security/hostile-texts.js'

type Subject = (text: string) => unknown

const schemas = Object.entries(contract).filter(([, value]) => typeof value === 'object' && 'safeParse' in value)
const bodyOf = (text: string) => new TextEncoder().encode(text)
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Every string of a value that a schema accepts, replaced: the deepest that one text can reach. */
function filled(text: string): unknown {
  const stop = {
    address: text,
    contactName: text,
    contactPhone: text,
    instructions: text,
    installation: { code: text },
  }
  const moment = { start: text, end: text }
  return {
    deliveryId: text,
    clientOrderReference: text,
    status: text,
    eventId: text,
    eventType: text,
    occurredAt: text,
    code: text,
    createdAt: text,
    pickup: { storeReference: text },
    dropoff: stop,
    timeWindows: { deliveryMode: text, pickup: moment, dropoff: moment },
    package: { description: text, contains: [text] },
    metadata: { [text]: text },
    error: { code: text, message: text, requestId: text, details: { [text]: text } },
    [text]: text,
  }
}

const serviceOf = (response: () => Response) =>
  client.createClient({
    baseUrl: 'https://service.test/delivery/v1',
    apiKey: 'dlvk_sbx_key',
    retries: { maxRetries: 0 },
    transport: client.fetchTransport(async () => response()),
  })
const headerText = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, ' ').trim()
const signed = (text: string) => ({
  secrets: [secret],
  headers: { 'webhook-id': text, 'webhook-timestamp': text, 'webhook-signature': text, 'content-type': text },
  body: bodyOf(text),
})
const deliveryShape = contract.operationDescriptors.getDelivery.responses[200] as contract.Shape
const orderOf = (text: string) => ({
  clientOrderReference: text,
  pickup: { storeReference: text },
  dropoff: { address: text, contactName: text, contactPhone: text, instructions: text },
})

const subjects: Readonly<Record<string, Subject>> = {
  ...Object.fromEntries(
    schemas.flatMap(([name, schema]) => {
      const { safeParse } = schema as { safeParse(value: unknown): { error?: { issues: never[] } } }
      const explained = (value: unknown) => contract.fieldErrorsOf(safeParse(value).error?.issues ?? [])
      return [
        [`${name} of a text`, explained],
        [`${name} of fields`, (text: string) => explained(filled(text))],
        [`drift of ${name}`, (text: string) => contract.findDrift(schema as never, filled(text))],
      ]
    }),
  ),
  canonicalJson: (text) => canonicalJson(filled(text)),
  timeSpanMs,
  isLoopback,
  withoutUnsafeKeys: (text) => withoutUnsafeKeys(filled(text)),
  parseAddress: contract.parseAddress,
  undeliverableDestination: contract.undeliverableDestination,
  'undeliverableDestination of parts': (text) =>
    contract.undeliverableDestination({ line1: text, city: text, state: text, postalCode: text }),
  isPostOfficeBox: contract.isPostOfficeBox,
  isMilitaryMail: contract.isMilitaryMail,
  isMilitaryZip: contract.isMilitaryZip,
  postalCodeOf: contract.postalCodeOf,
  isKnownErrorCode: contract.isKnownErrorCode,
  isKnownDeliveryStatus: contract.isKnownDeliveryStatus,
  isE164: contract.isE164,
  codePointLength: contract.codePointLength,
  timeMs: contract.timeMs,
  formatQuery: (text) => contract.formatQuery({ [text]: [text, text] }).toString(),
  parseQuery: (text) =>
    contract.parseQuery(contract.EventListQuery, new URLSearchParams({ since: text, eventType: text, limit: text })),
  isRequestField: (text) => contract.isRequestField(contract.DeliveryCreate, text),
  isResponseField: (text) => contract.isResponseField(text),
  matchesShape: (text) => contract.matchesShape(deliveryShape, filled(text)),
  shapeIssues: (text) => contract.shapeIssues(deliveryShape, filled(text)),
  shapeDrift: (text) => contract.shapeDrift(deliveryShape, filled(text)),
  apiErrorOf: (text) => contract.apiErrorOf(400, { error: { code: text, message: text, requestId: text } }),
  'event guards': (text) => contract.isDeliveryEvent(filled(text) as never),

  isLoopbackName,
  milestoneIndex: contract.milestoneIndex,
  reasonCodesFor: contract.reasonCodesFor,
  isKnownStatusReasonCode: contract.isKnownStatusReasonCode,
  areOnlySeen: (text) => contract.areOnlySeen([text, text]),
  'an open enum, a text and a reference': (text) =>
    [contract.openEnum(['a']), contract.textInput(10), contract.referenceInput(1_000_000)].map((schema) =>
      schema.safeParse(text).error?.issues.map(contract.issueText),
    ),
  requestFieldPaths: (text) => contract.requestFieldPaths(contract.DeliveryCreate, text),

  assertSecureBaseUrl: client.assertSecureBaseUrl,
  findByReference: (text) =>
    client.findByReference(
      serviceOf(() => Response.json({ deliveries: [{ deliveryId: text, status: text }] })),
      text,
    ),
  cheapestQuote: (text) =>
    client.cheapestQuote(
      serviceOf(() => Response.json({ quotes: [{ quoteId: text, provider: text }] })),
      orderOf(text) as never,
      {},
    ),
  createOnce: (text) =>
    client.createOnce(
      serviceOf(() => Response.json({ error: { code: text, message: text } }, { status: 409 })),
      { scope: text, order: orderOf(text) } as never,
      { record: async () => [{ wasSent: true }], remember: async () => {} } as never,
    ),
  'a proxy of the environment': (text) =>
    client.networkTransport({ environment: { HTTPS_PROXY: text, NO_PROXY: text } }).send({
      method: 'GET',
      url: 'https://service.invalid/',
      headers: {},
      signal: AbortSignal.abort(),
      maxBytes: 1,
    } as never),
  'a base URL': (text) => client.createClient({ baseUrl: `https://service.test/${text}`, apiKey: 'dlvk_sbx_key' }),
  orderDifferences: (text) => client.orderDifferences(orderOf(text), orderOf(`${text} `) as never),
  bodyHashOf: (text) => client.bodyHashOf(filled(text)),
  cancelKeyOf: (text) => client.cancelKeyOf({ scope: text, deliveryId: text, body: { reason: text } } as never),
  idempotencyKeyOf: (text) => client.idempotencyKeyOf({ scope: text, order: orderOf(text) } as never),
  redactText: client.redactText,
  redactBody: (text) => client.redactBody(bodyOf(text)),
  'redactBody of JSON': (text) => client.redactBody(bodyOf(JSON.stringify(filled(text)))),
  redactHeaders: (text) =>
    client.redactHeaders([
      [text, text],
      ['authorization', text],
    ]),
  redactJson: (text) => client.redactJson(filled(text)),
  'a response': (text) => serviceOf(() => new Response(text)).getDelivery({ deliveryId: 'del_1' }),
  'a response of fields': (text) => serviceOf(() => Response.json(filled(text))).getDelivery({ deliveryId: 'del_1' }),
  'a refusal': (text) =>
    serviceOf(() => Response.json(filled(text), { status: 422 })).getDelivery({ deliveryId: 'del_1' }),
  'headers of a refusal': (text) => {
    const value = headerText(text)
    const names = [
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-Request-Id',
      'X-RateLimit-Reset',
      'Location',
      'Date',
    ]
    const headers = Object.fromEntries(names.map((name) => [name, value]))
    return serviceOf(() => new Response('x', { status: 429, headers })).getHealth({}, { maxWaitMs: 0 })
  },
  'a parameter': (text) => serviceOf(() => new Response('x')).getDelivery({ deliveryId: text }),
  'a raw path': (text) => serviceOf(() => new Response('x')).raw({ method: 'GET', path: `/${text}` }),

  verify: (text) => webhooks.verify(signed(text)),
  'verify of a known body': (text) => {
    const body = JSON.stringify(filled(text))
    const headers = webhooks.signatureHeaders({ id: 'evt_1', timestampSeconds: 1, body, secrets: [secret] } as never)
    return webhooks.verify({ secrets: [secret], headers: { ...headers }, body: bodyOf(body), nowSeconds: 1 })
  },
  explainFailure: (text) => webhooks.explainFailure(signed(text)),
  'explainFailure of a known body': (text) =>
    webhooks.explainFailure({
      ...signed('evt_1'),
      headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': `v1,${'A'.repeat(43)}=` },
      // In one field: a body of more than 1 MiB is not looked into.
      body: bodyOf(JSON.stringify({ eventId: 'evt_1', note: text })),
      nowSeconds: 1,
    }),
  parseSecret: webhooks.parseSecret,
  'parseSecret of a key': (text) => webhooks.parseSecret(`whsec_${text}`),
  sign: (text) => webhooks.sign({ id: text, timestampSeconds: 1, body: text, secret } as never),
  readListedEvents: (text) => webhooks.readListedEvents(bodyOf(text)),
  'readListedEvents of records': (text) =>
    webhooks.readListedEvents(
      bodyOf(JSON.stringify({ events: [filled(text), { eventId: text, data: filled(text) }] })),
    ),
  maskPersonalData: (text) => webhooks.maskPersonalData(filled(text)),
  replayableHeaders: (text) => webhooks.replayableHeaders([text, text, 'webhook-id', text]),
  sampleEvent: (text) => webhooks.sampleEvent(text),
  eventPages: async (text) => {
    const page = bodyOf(JSON.stringify({ events: [{ eventId: text }], nextCursor: text }))
    let pages = 0
    for await (const _ of webhooks.eventPages(async () => page)) if (++pages === 1) return
  },
  fetchReceiver: async (text) => {
    const receive = webhooks.fetchReceiver({ secrets: [secret], handle: () => {} } as never)
    const headers = { 'webhook-id': headerText(text), 'webhook-signature': headerText(text), 'webhook-timestamp': '1' }
    await receive(new Request('http://shop.test/', { method: 'POST', headers, body: text }))
  },
  'a receiver that knows the signature': async (text) => {
    const receive = webhooks.fetchReceiver({ secrets: [secret], handle: () => {} } as never)
    const body = JSON.stringify({ eventId: text, eventType: text, data: filled(text) })
    const timestampSeconds = Math.floor(Date.now() / 1_000)
    const headers = {
      ...webhooks.signatureHeaders({ secrets: [secret], id: 'evt_1', timestampSeconds, body } as never),
    }
    await receive(new Request('http://shop.test/', { method: 'POST', headers, body }))
  },
  'sendEvent and post': (text) =>
    Promise.allSettled([
      webhooks.sendEvent({ url: text, secrets: [text], body: text }),
      webhooks.sendEvent({ url: `ht tp:${text}`, secrets: [secret], body: `{"eventId":${JSON.stringify(text)}` }),
      webhooks.post({ url: text, headers: {}, body: bodyOf(text), timeoutMs: 1 }),
    ]),
  replayProgressFile: webhooks.replayProgressFile,
  replayEvents: async (text) => {
    const event = { eventId: text, headers: [text, text], body: bodyOf(text), receivedAt: text }
    for await (const _ of webhooks.replayEvents({ url: text, events: [event], sign: 'verbatim' } as never)) return
  },
  junitOf: (text) =>
    webhooks.junitOf({
      cases: [{ id: text, title: text, rule: text, durationMs: 1, status: 'fail', evidence: text, fix: text }],
    } as never),
  testReceiver: (text) =>
    Promise.allSettled([
      webhooks.testReceiver({ url: text, secret } as never),
      webhooks.testReceiver({ url: 'http://', secret: text } as never),
    ]),

  'a journal': (text) =>
    Promise.allSettled([
      listener.readJournal(`/dev/null/${text}`),
      listener.openJournal(`/dev/null/${text}`),
      listener.recordResend(`/dev/null/${text}`, 1, text),
    ]),
  findGaps: async (text) => {
    const { events } = webhooks.readListedEvents(bodyOf(JSON.stringify({ events: [{ eventId: text }] })))
    for await (const _ of listener.findGaps({ has: async () => new Set() }, events)) return
  },
  checkRoutes: (text) => listener.checkRoutes([{ url: text }, { url: `http://127.0.0.1/${text}` }]),
  'matchesType of a pattern': (text) => listener.matchesType([text], 'delivery.delivered'),
  'matchesType of a type': (text) => listener.matchesType(['*a*b*', 'delivery.*', '*.*.*.x'], text),
  'matchesType of both': (text) => listener.matchesType([text], text.slice(0, -1)),
  targetsOf: (text) =>
    listener.targetsOf([{ url: 'http://127.0.0.1/', eventTypes: [text, `*${text}*`] }], `${text}${text}`),
  'targetsOf many routes': (text) =>
    listener.targetsOf(
      [...text].map((character, index) => ({ url: `http://127.0.0.1/${index}`, eventTypes: [character] })),
      'a',
    ),
}

/** The CPU time of a run: other processes of a busy machine do not count. */
async function millisecondsOf(subject: Subject, text: string): Promise<number> {
  const before = process.cpuUsage()
  try {
    await subject(text)
  } catch {
    // A refusal is an answer.
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The least of several runs: what the machine adds is never negative. */
async function leastOf(runs: number, subject: Subject, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) least = Math.min(least, await millisecondsOf(subject, text))
  return least
}

/** Below this, growth cannot be told from the collection of garbage; what is quadratic is far above at 160 kB. */
const noticeableMs = 250

/** Growth with four times the text: 4 if it is linear, more by what the memory costs, and 16 if it is quadratic. */
const steepness = 8

describe('Time grows with the length of a text, not with its square', () => {
  test.each(Object.entries(subjects))('%s', async (_, subject) => {
    const steep: unknown[] = []
    for (const piece of hostilePieces) {
      let beforeMs = Number.POSITIVE_INFINITY
      for (const length of [10_000, 40_000, 160_000]) {
        const text = hostileText(piece, length)
        let ms = await millisecondsOf(subject, text)
        if (ms > noticeableMs && ms < 1_000) ms = await leastOf(3, subject, text)
        if (ms > noticeableMs && ms > steepness * beforeMs) {
          steep.push({ piece: piece[0], length, beforeMs, ms })
          break
        }
        beforeMs = Math.max(ms, noticeableMs / steepness)
      }
    }
    expect(steep).toEqual([])
  })
})
