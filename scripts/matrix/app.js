/** What every cell of the matrix does with the packed package: create, error, abort, retry, verify, receive. */
import { ApiError, createClient, DlvError } from 'dlv-cli/client'
import { ApiError as SameApiError } from 'dlv-cli/contract'
import { fetchReceiver, newSecret, sampleEvent, signatureHeaders, verify } from 'dlv-cli/webhooks'

/** The names of the steps that failed, with what happened; empty if all is well. */
export async function run(baseUrl, apiKey) {
  const failures = []
  const client = createClient({ baseUrl, apiKey, retries: { baseDelayMs: 1 } })
  const order = (step) => ({
    clientOrderReference: `MATRIX-${step}-${newSecret().replace(/\W/g, '').slice(-20)}`,
    pickup: { storeReference: 'STORE-001' },
    dropoff: {
      address: '200 Hay Street, Fayetteville, NC 28301',
      contactName: 'Maya Reyes',
      contactPhone: '+19105550142',
    },
  })
  const expectTrue = (isTrue, what) => {
    if (!isTrue) throw new Error(what)
  }
  const steps = {
    async create() {
      const body = order('create')
      const first = await client.call('createDelivery', { body })
      const second = await client.call('createDelivery', { body })
      expectTrue(first.value.deliveryId === second.value.deliveryId && second.replayed, 'not replayed')
    },
    async error() {
      const error = await client.getDelivery({ deliveryId: 'del_none' }).catch((error) => error)
      expectTrue(
        error instanceof ApiError && error instanceof DlvError && ApiError === SameApiError,
        `not an ApiError: ${error}`,
      )
      expectTrue(error.code === 'DELIVERY_NOT_FOUND' && error.name === 'ApiError', `${error.name} ${error.code}`)
      expectTrue(JSON.parse(JSON.stringify(error)).message === error.message, 'no message in its JSON')
    },
    async abort() {
      const reason = new Error('enough')
      const controller = new AbortController()
      const call = client.getCapabilities({}, { signal: controller.signal, headers: { 'X-Sandbox-Force': 'HANG' } })
      setTimeout(() => controller.abort(reason), 20)
      const error = await call.catch((error) => error)
      expectTrue(error === reason, `not the reason of the signal: ${error}`)
    },
    async retry() {
      const headers = { 'X-Sandbox-Force': 'SERVICE_UNAVAILABLE; times=2; retry_after=0' }
      const { attempts } = await client.call('createDelivery', { body: order('retry') }, { headers })
      expectTrue(attempts === 3, `${attempts} attempts`)
    },
    verify() {
      const secret = newSecret()
      const body = new TextEncoder().encode(JSON.stringify(sampleEvent('delivery.delivered', { eventId: 'evt_1' })))
      const signed = { id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1000), body, secrets: [secret] }
      const headers = { ...signatureHeaders(signed) }
      expectTrue(verify({ secrets: secret, headers, body }).ok, 'a good signature was rejected')
      expectTrue(!verify({ secrets: newSecret(), headers, body }).ok, 'a bad signature was accepted')
    },
    async receive() {
      const secret = newSecret()
      const event = sampleEvent('delivery.delivered')
      const body = JSON.stringify(event)
      const signed = { id: event.eventId, timestampSeconds: Math.floor(Date.now() / 1000), body, secrets: [secret] }
      const received = []
      const receive = fetchReceiver({ secrets: async () => secret, onEvent: (event) => void received.push(event) })
      const request = new Request('http://127.0.0.1/', {
        method: 'POST',
        body,
        headers: { ...signatureHeaders(signed) },
      })
      const { status } = await receive(request)
      expectTrue(status === 200 && received[0]?.eventId === event.eventId, `answered ${status}`)
    },
  }
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step()
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  await client.close()
  return failures
}
