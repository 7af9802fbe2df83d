/** What must compile. Checked by `types.test.ts` and `.ci/matrix`. */
import {
  ApiError,
  type Client,
  ConnectionError,
  createClient,
  createPacer,
  DlvError,
  extra,
  fetchTransport,
  OutcomeError,
  UsageError,
} from 'dlv-cli/client'
import {
  type Delivery,
  type DeliveryCreate,
  type DeliveryStatus,
  deliveryStatuses,
  type KnownDeliveryStatus,
  operations,
  ApiError as SameApiError,
  type Time,
  type WebhookEvent,
} from 'dlv-cli/contract'
import openApi from 'dlv-cli/openapi.json' with { type: 'json' }
import { createSandbox, type RunningSandbox, startSandbox } from 'dlv-cli/sandbox'
import { clientOf, type HttpHandlers, mswHandler, startTestSandbox, useSandbox } from 'dlv-cli/testing'
import {
  expressReceiver,
  fastifyReceiver,
  fetchReceiver,
  honoReceiver,
  isDeliveryEvent,
  isDriverEvent,
  isInstallationEvent,
  isWebhookEvent,
  newSecret,
  sampleEvent,
  signatureHeaders,
  verify,
} from 'dlv-cli/webhooks'

const order: DeliveryCreate = {
  clientOrderReference: 'ORDER-1',
  pickup: { storeReference: 'STORE-001' },
  dropoff: { address: '1 Main St, Fayetteville, NC 28301', contactName: 'Maya Reyes', contactPhone: '+19105550142' },
}

export function told(event: WebhookEvent): string {
  // 1–6: switch narrows, without ?. and with a default for types that are newer
  switch (event.eventType) {
    case 'delivery.delivered':
      return event.delivery.status
    case 'delivery.eta_updated':
      return event.eta?.dropoff ?? 'later'
    case 'delivery.failed':
    case 'delivery.cancelled':
      return event.delivery.statusReasonCode ?? event.previousStatus ?? ''
    case 'driver.duty_changed':
      return `${event.driver.name}: ${event.driver.onDuty}`
    case 'installation.access_policy_changed':
      return `${event.installation.code}: ${event.changed.join(', ')} (${event.affectedDeliveryCount})`
    default:
      return `${event.eventId} ${event.occurredAt}`
  }
}

export function guarded(event: WebhookEvent): string {
  // 7–9: guards
  if (isDeliveryEvent(event)) return event.delivery.deliveryId
  if (isDriverEvent(event)) return event.driver.id
  if (isInstallationEvent(event)) return event.installation.code
  // 10: an unknown type is still a text
  const type: string = event.eventType
  return type
}

export function explained(error: unknown): string {
  // 11–18: errors narrow by kind and by class
  if (error instanceof DlvError) {
    switch (error.kind) {
      case 'api':
        return `${error.status} ${error.code} ${error.fieldErrors.map(({ field, code }) => `${field} ${code}`)}`
      case 'connection':
        return `${error.reason} ${error.retryAfterMs ?? 0}`
      case 'contract':
        return error.issues.join()
      case 'signature':
        return error.reason
      case 'outcome':
        return `${error.deliveryId} ${error.status} ${error.expected}`
      case 'usage':
        return error.hint ?? error.message
    }
  }
  // 19–22: known codes complete, and others can be compared
  if (error instanceof ApiError && error.code === 'QUOTE_EXPIRED') return error.requestId ?? ''
  if (error instanceof SameApiError && error.code === 'A_NEW_CODE') return String(error.toJSON().message)
  if (error instanceof ConnectionError && error.reason === 'timeout') return 'late'
  if (error instanceof OutcomeError || error instanceof UsageError) return error.message
  return ''
}

export function read(delivery: Delivery): string {
  // 23–27: statuses complete, others are possible, and what is new is reached by extra
  if (delivery.status === 'delivered' || delivery.status === 'a_new_status') return delivery.trackingUrl ?? ''
  const status: DeliveryStatus = 'another_one'
  const known: KnownDeliveryStatus = deliveryStatuses[0]
  const added: unknown = extra(delivery).newField
  const address = delivery.dropoff?.address
  return `${status} ${known} ${String(added)} ${typeof address === 'object' ? address?.city : address}`
}

export async function called(client: Client): Promise<void> {
  // 28–40: operations, with Date wherever a time is
  const soon: Time = new Date()
  await client.getHealth()
  await client.getCapabilities({}, { timeoutMs: 1_000, signal: AbortSignal.timeout(500) })
  await client.createDelivery({ body: order })
  await client.createDelivery({ body: order, idempotencyKey: 'mine' })
  await client.createDelivery({
    body: {
      ...order,
      timeWindows: { deliveryMode: 'scheduled', dropoff: { start: soon, end: '2026-03-02T15:00:00Z' } },
    },
  })
  await client.createQuote({ body: { pickup: order.pickup, dropoff: { address: '1 Main St' } } })
  await client.checkServiceability({ body: { dropoff: { installation: { code: 'FTBRAGG' } }, deliverAt: soon } })
  await client.listDeliveries({ query: { from: soon, to: new Date(), status: 'delivered', limit: 10 } })
  await client.listDeliveries({ query: { clientOrderReference: 'ORDER-1' } })
  await client.listEvents({ query: { since: soon, until: soon, eventType: ['delivery.delivered'] } })
  await client.listInstallations()
  await client.updateDelivery({
    deliveryId: 'del_1',
    body: { tipAmountCents: null, dropoff: { instructions: 'Ring.' } },
  })
  await client.cancelDelivery({ deliveryId: 'del_1' })
  // 41–46: what operations have in common
  const delivered: Delivery = await client.waitFor('del_1', 'delivered', { timeoutMs: 60_000, pollMs: 500 })
  const { value, replayed, attempts } = await client.call('createDelivery', { body: order })
  for await (const { deliveryId, status } of client.each('listDeliveries', { from: soon }))
    told({ ...sampleEvent('delivery.accepted'), eventId: deliveryId + status })
  for await (const page of client.pages('listEvents')) page.events.map(({ data }) => isWebhookEvent(data) && told(data))
  for await (const { data } of client.each('listEvents')) if (isDeliveryEvent(data)) read(data.delivery)
  const { status, body } = await client.raw({ method: 'GET', path: '/health', query: { at: soon } })
  const url: string = client.prepare('getDelivery', { deliveryId: 'del_1' }).url
  read(delivered)
  read(value)
  void [replayed, attempts, status, body, url]
}

export async function opened(): Promise<RunningSandbox> {
  // 47–58: options, sandboxes, receivers
  await using sandbox = await startSandbox({ rateLimit: 'off', keepAlive: false })
  await using inProcess = createSandbox({ seed: 7 })
  await using client = createClient({
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.apiKey,
    transport: fetchTransport((request) => inProcess.fetch(request)),
    pacer: createPacer({ requestsPerSecond: 20 }),
    retries: { maxRetries: 2 },
    logger: console,
    onTrace: ({ method, status, durationMs, retryInMs }) => void [method, status, durationMs, retryInMs],
  })
  await called(client)
  await sandbox.clock.advance('2h')
  await sandbox.clock.set(new Date())
  await sandbox.snapshot.save('before', { overwrite: true })
  await sandbox.faults.set([{ operation: 'createDelivery', force: 'SERVICE_UNAVAILABLE', probability: 0.3, times: 2 }])
  await sandbox.faults.set({ seed: 7, rules: [{ latencyMs: { min: 10, max: 90 } }, { hooks: 'duplicate' }] })
  await sandbox.force('RATE_LIMIT_EXCEEDED; retry_after=2', { operation: '*', times: 1 })
  await sandbox.steer('POST', '/outage', { on: true })
  const onEvent = (event: WebhookEvent) => void told(event)
  expressReceiver({ secrets: newSecret(), onEvent })
  fastifyReceiver({ path: '/hooks', secrets: [newSecret(), newSecret()], onEvent })
  honoReceiver({ secrets: () => newSecret(), onEvent, onError: (error, id) => console.error(id, error) })
  const handler: (request: Request) => Promise<Response> = fetchReceiver({
    secrets: async () => [newSecret()],
    onEvent,
  })
  const verdict = verify({ secrets: newSecret(), headers: new Headers(), body: new Uint8Array() })
  const secrets = [newSecret()]
  const headers = signatureHeaders({ id: 'evt_1', timestampSeconds: 1, body: '{}', secrets })
  verify({ secrets, headers, body: new TextEncoder().encode('{}') })
  if (verdict.ok) void verdict.event?.eventType
  else void [verdict.reason, verdict.message, handler]
  return sandbox
}

/** The rows of operations keep their own types. */
export const path: '/deliveries/{deliveryId}' = operations.getDelivery.path
export const required: 'required' = operations.createDelivery.idempotencyKey
export const found: string | undefined = operations.getDelivery.responses[200].parse({}).deliveryId
export const limit: number | undefined = operations.listDeliveries.query.parse({}).limit

/** The OpenAPI document is typed by its content. */
export const create: string = openApi.paths['/deliveries'].post.operationId
export const tip: string = openApi.components.schemas.DeliveryCreate.properties.tipAmountCents.description

export async function tested(http: HttpHandlers<string>): Promise<string> {
  // 59–64: tests, without any test runner or msw to be installed
  const hook = (work: () => Promise<void>) => void work
  const shared = useSandbox({ beforeAll: hook, beforeEach: hook, afterAll: hook })
  useSandbox({ before: hook, beforeEach: hook, after: hook }, { receivers: ['http://127.0.0.1:3000/hooks'] })
  await using sandbox = await startTestSandbox({ seed: 7 })
  const event = await sandbox.waitForEvent({ eventType: 'delivery.delivered', deliveryId: 'del_1' }, { timeoutMs: 10 })
  await shared.waitForEvent((each) => isDeliveryEvent(each) && each.delivery.status === 'delivered')
  const { accountType } = await clientOf(sandbox).getCapabilities()
  return `${told(event)} ${accountType} ${mswHandler(http, sandbox, 'https://api.example.com/delivery/v1')}`
}
