import { describe, expect, it } from 'vitest'
import { UsageError, type WebhookEvent } from '../../../src/contract/index.js'
import {
  expressReceiver,
  fastifyReceiver,
  fetchReceiver,
  honoReceiver,
  newSecret,
  type ReceiverOptions,
  sampleEvent,
  signatureHeaders,
  verify,
} from '../../../src/webhooks/index.js'

const receivers = {
  express: expressReceiver,
  fastify: (options: ReceiverOptions) => fastifyReceiver({ ...options, path: '/hooks' }),
  fetch: fetchReceiver,
  hono: honoReceiver,
}

describe.each(Object.entries(receivers))('The receiver for %s', (_, receiver) => {
  it.each([
    undefined,
    null,
    '',
    [],
    [undefined],
    ['whsec_?'],
    'no base64!',
    42,
  ])('refuses to be made with the secrets %j', (secrets) => {
    const options = { secrets, onEvent: () => {} } as unknown as ReceiverOptions
    expect(() => receiver(options)).toThrow(UsageError)
  })

  it('refuses to be made without secrets, and without onEvent', () => {
    expect(() => receiver({ onEvent: () => {} } as unknown as ReceiverOptions)).toThrow(UsageError)
    expect(() => receiver({ secrets: newSecret() } as unknown as ReceiverOptions)).toThrow('needs onEvent')
  })
})

function signed(secret: string) {
  const event = sampleEvent('delivery.delivered')
  const body = new TextEncoder().encode(JSON.stringify(event))
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  return { body, headers: { ...signatureHeaders({ id: event.eventId, timestampSeconds, body, secrets: [secret] }) } }
}

const requestWith = (secret: string) => new Request('http://127.0.0.1/hooks', { method: 'POST', ...signed(secret) })

describe('Secrets from a function', () => {
  it.each([
    'at once',
    'later',
  ])('are asked for with each request, so that they change without a restart (%s)', async (when) => {
    const [before, after] = [newSecret(), newSecret()]
    let active: string | string[] = before
    const events: WebhookEvent[] = []
    const receive = fetchReceiver({
      secrets: when === 'at once' ? () => active : async () => active,
      onEvent: (event) => void events.push(event),
    })
    expect((await receive(requestWith(before))).status).toBe(200)
    expect((await receive(requestWith(after))).status).toBe(401)
    active = [after, before]
    expect((await receive(requestWith(after))).status).toBe(200)
    active = after
    expect((await receive(requestWith(before))).status).toBe(401)
    expect(events).toHaveLength(2)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('vault is down'))],
    ['gives nothing', () => undefined],
    ['gives an empty list', () => []],
    ['gives what is no secret', () => ['?']],
  ])('are a failure of the receiver if it %s', async (_, secrets) => {
    const errors: unknown[] = []
    const receive = fetchReceiver({
      secrets: secrets as ReceiverOptions['secrets'],
      onEvent: () => expect.fail('must not be called'),
      onError: (error) => errors.push(error),
    })
    expect((await receive(requestWith(newSecret()))).status).toBe(500)
    expect(errors).toHaveLength(1)
  })
})

describe('verify', () => {
  it('takes one secret as a text, or several', () => {
    const secret = newSecret()
    expect(verify({ secrets: secret, ...signed(secret) })).toMatchObject({ ok: true, secretIndex: 0 })
    expect(verify({ secrets: [newSecret(), secret], ...signed(secret) })).toMatchObject({ ok: true, secretIndex: 1 })
    expect(verify({ secrets: undefined as unknown as string, ...signed(secret) })).toMatchObject({
      ok: false,
      reason: 'no_usable_secret',
    })
  })
})
