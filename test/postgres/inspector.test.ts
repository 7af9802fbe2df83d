import { describe, expect, it } from 'vitest'
import type { EventDetail } from '../../src/ui/wire/events.js'
import type { LiveItem } from '../../src/ui/wire/live.js'
import type { GapList } from '../../src/ui/wire/webhooks.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

interface Listed {
  eventId: string
  deliveryId: string
}

/** A delivery and the id of its first event, once the page shows that it was received. */
async function received(served: Served, reference: string) {
  const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference]
  const { deliveryId } = await served.cli.json<{ deliveryId: string }>(order)
  const [event] = await served.cli.json<Listed[]>(['events', 'list', '--delivery', deliveryId])
  const eventId = event?.eventId ?? ''
  await expect.poll(async () => (await detailOf(served, eventId)).receivedAt).not.toBeNull()
  return { deliveryId, eventId }
}

const detailOf = (served: Served, eventId: string) => served.read<EventDetail>(`/events/${eventId}`)

describeOnPostgres('the page on a journal in PostgreSQL', () => {
  it('beside webhooks listen shows what was received and forwarded, streams it, and sends it again', async () => {
    const { address, env, sql } = await createTestDatabase()
    const app = await startTestApp()
    const served = await serveUi('test', {
      command: ['webhooks', 'listen', '--ui', '-o', 'ndjson', '--journal', address],
      words: ['--forward-to', app.url],
      env,
    })
    const { deliveryId, eventId } = await received(served, 'SHARED-1')
    const delivered = { url: app.url, state: 'delivered', attempts: 1, status: 200 }
    await expect.poll(async () => (await detailOf(served, eventId)).forwards).toEqual([delivered])
    expect(await detailOf(served, eventId)).toMatchObject({
      eventType: 'delivery.accepted',
      deliveryId,
      reference: 'SHARED-1',
      verdict: { state: 'verified' },
      canSendAgain: true,
    })
    const kindsOf = async () =>
      (await served.read<{ items: LiveItem[] }>('/live?after=0')).items
        .filter((item) => item.deliveryId === deliveryId)
        .map(({ kind, title }) => `${kind} ${title}`)
    await expect
      .poll(kindsOf)
      .toEqual(expect.arrayContaining(['webhook delivery.accepted', 'forward delivery.accepted']))

    expect((await served.post(`/events/${eventId}/resend`, {})).status).toBe(200)
    expect(await sql('SELECT id, repeats FROM dlv.ids')).toEqual([{ id: eventId, repeats: 1 }])
    const { body } = await detailOf(served, eventId)
    expect((await served.post(`/events/${eventId}/send`, { target: app.url, body })).status).toBe(200)
    expect(app.ids()).toEqual([eventId, eventId])
  })

  it('of dlv ui receives into DLV_JOURNAL, and with --journal reads what others received', async () => {
    const { address, env } = await createTestDatabase()
    const serving = { env: { ...env, DLV_JOURNAL: address } }
    const served = await serveUi('test', serving)
    const { eventId } = await received(served, 'SHARED-2')
    const gaps = () => served.read<GapList>('/webhooks/gaps')
    await expect.poll(async () => (await gaps()).gaps).toEqual([])

    const reading = await serveUi('test', { env: { ...env, HOME: served.cli.home }, words: ['--journal', address] })
    const detail = await reading.ask(`/events/${eventId}`)
    expect(await detail.json()).toMatchObject({ eventId, receivedAt: expect.any(String), reference: 'SHARED-2' })
  })
})

describe('dlv ui --journal', () => {
  it('refuses a password in the address, and an address that nobody answers', async () => {
    const cli = createCli()
    const refused = await cli.run(['ui', '--port', '0', '--journal', 'postgres://a:hunter2@127.0.0.1/x'])
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('PGPASSWORD')
    expect(refused.stderr).not.toContain('hunter2')
    const unreachable = await cli.run(['ui', '--port', '0', '--journal', 'postgres://a@127.0.0.1:9/x'])
    expect(unreachable.exitCode).toBe(8)
    expect(unreachable.stderr).toContain('127.0.0.1:9 is unreachable')
  })
})
