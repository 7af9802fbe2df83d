import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { UsageError } from '../../src/contract/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { applicationId } from '../../src/sandbox/store/schema.js'
import { sampleCount } from '../support/samples.js'
import { Caller } from '../support/sandbox/caller.js'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestReceiver } from '../support/sandbox/receiver.js'
import { SandboxProcess } from '../support/sandbox/sandbox-process.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { alterFile } from '../support/sqlite-file.js'
import { createTempDir } from '../support/temp-dir.js'

const since = '/events?limit=100'

describe('a sandbox file', () => {
  test('holds state, keys, events, receivers, secrets, switches and the clock across a restart', async () => {
    const data = join(createTempDir(), 'deep', 'sandbox.db')
    const receiver = await startTestReceiver(() => 500)
    const before = await startTestSandbox({ data, timeScale: 2, switches: { duplicates: 'active' } })
    await before.caller.steer('POST', '/endpoints', { url: receiver.url })
    const order = testOrder()
    const key = { headers: { 'Idempotency-Key': 'kept' } }
    const created = await before.caller.create(order, key)
    const id = created.body.deliveryId
    await before.caller.post(`/deliveries/${id}/simulate`, { advanceTo: 'driver_at_pickup' })
    await before.caller.steer('POST', '/clock', { advance: '10m' })
    await before.caller.steer('PUT', '/installations/FTBRAGG', { fpconLevel: 'delta' })
    await before.caller.steer('POST', '/capacity', { available: 3 })
    const shown = await before.caller.get(`/deliveries/${id}`)
    const events = await before.caller.get(since)
    const clock = await before.caller.steer('GET', '/clock')
    const secret = before.sandbox.webhookSecret
    await before.sandbox.close()

    expect(statSync(data).mode & 0o777).toBe(0o600)
    const after = await startTestSandbox({ data })
    expect((await after.caller.get(`/deliveries/${id}`)).body).toEqual({
      ...shown.body,
      trackingUrl: expect.any(String),
    })
    const replay = await after.caller.create(order, key)
    expect([replay.status, replay.text]).toEqual([200, created.text])
    expect((await after.caller.get(since)).text).toBe(events.text)
    expect(after.sandbox.webhookSecret).toBe(secret)
    expect((await after.caller.get('/installations/FTBRAGG')).body.fpconLevel).toBe('delta')
    const status = await after.caller.steer('GET', '/status')
    expect(status).toMatchObject({ capacity: 3, switches: { duplicates: 'active' }, clock: { scale: 2 } })
    const now = Date.parse(String((await after.caller.steer('GET', '/clock')).now))
    expect(now - Date.parse(String(clock.now))).toBeGreaterThanOrEqual(0)
    expect(now - Date.parse(String(clock.now))).toBeLessThan(60_000)

    receiver.behaviour = () => 204
    await after.caller.steer('POST', '/clock', { advance: '28h' })
    const { body } = await after.caller.get(`/events?delivered=true&limit=100&since=${String(shown.body.createdAt)}`)
    expect((body.events as unknown[]).length).toBe((events.body.events as unknown[]).length)
  })

  test('of a version with fewer installations gets the others, with drivers for them, and keeps its own', async () => {
    const data = join(createTempDir(), 'sandbox.db')
    const before = await startTestSandbox({ data })
    await before.caller.steer('PUT', '/installations/FTBRAGG', { fpconLevel: 'delta' })
    await before.sandbox.close()
    alterFile(data, "DELETE FROM installations WHERE code IN ('FTBENNING', 'NASPAXRIVER')")
    alterFile(data, `UPDATE drivers SET record = json_set(record, '$.credentials', json('[]'))`)
    const after = await startTestSandbox({ data })
    expect((await after.caller.get('/installations/FTBENNING')).status).toBe(200)
    expect((await after.caller.get('/installations/FTBRAGG')).body.fpconLevel).toBe('delta')
    const check = { dropoff: { installation: { code: 'NASPAXRIVER' } } }
    const { body } = await after.caller.post('/serviceability', check)
    expect(body.credentialedDriversAvailable).toBe(true)
  })

  test('of a newer format is refused in plain words and left as it is', () => {
    const data = join(createTempDir(), 'newer.db')
    alterFile(data, `PRAGMA application_id = ${applicationId}; PRAGMA user_version = 4711`)
    expect(() => createSandbox({ data })).toThrow(UsageError)
    expect(() => createSandbox({ data })).toThrow(/newer version of dlv: format 4711/)
  })

  test('that is none is refused in plain words', () => {
    const folder = createTempDir()
    expect(() => createSandbox({ data: folder })).toThrow(UsageError)
    expect(() => createSandbox({ data: '/proc/none/sandbox.db' })).toThrow(/cannot be used/)
  })

  test('is not made by a sandbox that keeps nothing', async () => {
    const { sandbox, caller } = await startTestSandbox()
    expect(sandbox.data).toBe(':memory:')
    const { file } = await caller.steer('POST', '/snapshots/one')
    await sandbox.close()
    expect(existsSync(String(file))).toBe(false)
  })
})

describe('a fault rule', () => {
  test('that applies so many times is spent by all processes on the file together, until there are new rules', async () => {
    const data = join(createTempDir(), 'faults.db')
    const rules = [{ operation: 'listTeams', force: 'SERVICE_UNAVAILABLE', times: 2 }]
    const first = await startTestSandbox({ data })
    await first.caller.steer('POST', '/faults', { rules })
    expect((await first.caller.get('/teams')).status).toBe(503)
    await first.sandbox.close()
    const { caller } = await startTestSandbox({ data })
    expect([(await caller.get('/teams')).status, (await caller.get('/teams')).status]).toEqual([503, 200])
    await caller.steer('POST', '/faults', { rules })
    expect((await caller.get('/teams')).status).toBe(503)
  })
})

describe('two processes on one file', () => {
  test('see each other’s writes at once, and one key makes one delivery', async () => {
    const data = join(createTempDir(), 'shared.db')
    const [one, two] = [await SandboxProcess.start({ data }), await SandboxProcess.start({ data })]
    expect(two.webhookSecret).toBe(one.webhookSecret)
    const orders = Array.from({ length: 40 }, () => testOrder())
    const replies = await Promise.all(
      orders.flatMap((order, index) => {
        const options = { headers: { 'Idempotency-Key': `shared-${index}` } }
        return [one.caller.create(order, options), two.caller.create(order, options)]
      }),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(40)
    expect(replies.filter(({ headers }) => headers.has('Idempotency-Replayed'))).toHaveLength(40)
    await one.caller.steer('POST', '/outage', { on: true })
    expect((await two.caller.get('/teams')).status).toBe(503)
    await two.caller.steer('POST', '/outage', { on: false })
    await one.caller.steer('PUT', '/installations/FTBRAGG', { fpconLevel: 'delta' })
    expect((await two.caller.get('/installations/FTBRAGG')).body.fpconLevel).toBe('delta')
  })

  test('send each webhook once, in order, whoever wrote it, and continue when the other is killed', async () => {
    const data = join(createTempDir(), 'shared.db')
    const receiver = await startTestReceiver()
    const [one, two] = [await SandboxProcess.start({ data }), await SandboxProcess.start({ data })]
    await one.caller.steer('POST', '/endpoints', { url: receiver.url })
    const drive = async (caller: Caller) => {
      const { body } = await caller.create(testOrder())
      await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'delivered' })
    }
    await Promise.all(Array.from({ length: 10 }, (_, index) => drive(index % 2 === 0 ? one.caller : two.caller)))
    await vi.waitFor(() => expect(receiver.received).toHaveLength(90), { timeout: 10_000 })
    expect(new Set(receiver.received.map(({ event }) => event.eventId)).size).toBe(90)
    const times = new Map<string, string>()
    for (const { event } of receiver.received) {
      const id = (event.delivery as { deliveryId: string }).deliveryId
      expect(event.occurredAt > (times.get(id) ?? '')).toBe(true)
      times.set(id, event.occurredAt)
    }
    // A success that is not yet recorded is sent again after a kill.
    const isRecorded = async () =>
      expect(await two.caller.steer('GET', '/status')).toMatchObject({ pendingWebhooks: 0 })
    await vi.waitFor(isRecorded, { timeout: 10_000 })
    await one.kill()
    await drive(two.caller)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(99), { timeout: 10_000 })
  })

  test('advance one clock: what falls due is done by whoever does such things', async () => {
    const data = join(createTempDir(), 'shared.db')
    const receiver = await startTestReceiver(() => 500)
    const server = await SandboxProcess.start({ data })
    const embedded = createSandbox({ data, rateLimit: 'off' })
    const caller = new Caller(embedded)
    await server.caller.steer('POST', '/endpoints', { url: receiver.url })
    await caller.create(testOrder())
    await caller.steer('POST', '/clock', { advance: '28h' })
    expect(receiver.received).toHaveLength(8)
    await embedded.close()
  })
})

describe('a killed process', () => {
  test('has lost nothing that it answered', async () => {
    const data = join(createTempDir(), 'killed.db')
    const answered = new Map<string, string>()
    for (let round = 0; round < sampleCount(20); round++) {
      const process = await SandboxProcess.start({ data })
      const isKilled = new AbortController()
      const work = Array.from({ length: 8 }, async (_, worker) => {
        for (let count = 0; !isKilled.signal.aborted; count++) {
          const order = testOrder()
          const key = `${round}-${worker}-${count}`
          const reply = await process.caller
            .create(order, { headers: { 'Idempotency-Key': key } })
            .catch(() => undefined)
          if (reply?.status === 201) answered.set(String(order.clientOrderReference), String(reply.body.deliveryId))
        }
      })
      const target = answered.size + 15
      await vi.waitFor(() => expect(answered.size).toBeGreaterThan(target), { timeout: 10_000, interval: 5 })
      await process.kill()
      isKilled.abort()
      await Promise.all(work)
    }
    const { caller } = await startTestSandbox({ data })
    for (const [reference, deliveryId] of answered) {
      const { body } = await caller.get(`/deliveries?clientOrderReference=${reference}`)
      expect(body).toMatchObject({ deliveries: [{ deliveryId }] })
      const { body: page } = await caller.get(`/events?deliveryId=${deliveryId}`)
      expect(page.events).toHaveLength(1)
    }
  })
})
