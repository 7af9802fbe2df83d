import { expect, it } from 'vitest'
import type { DeliveryDetail } from '../../src/ui/wire/deliveries.js'
import { testOrder } from '../support/orders.js'
import { serveUi } from '../support/ui/inspector.js'

interface Judged {
  problem: string | null
}

it('A window that is given or moved on the page is a promise, for the page and for the terminal', async () => {
  const served = await serveUi()
  const window = (start: string, end: string) => ({ deliveryMode: 'scheduled', dropoff: { start, end } })
  const order = {
    ...testOrder('PROMISED'),
    timeWindows: window('2040-01-02T10:00:00Z', '2040-01-02T12:00:00Z'),
  }
  const answer = await served.post('/deliveries', { order })
  const { deliveryId } = (await answer.json()) as { deliveryId: string }
  const { sent } = await served.read<DeliveryDetail>(`/deliveries/${deliveryId}`)
  expect(sent?.window).toEqual({ start: '2040-01-02T10:00:00Z', end: '2040-01-02T12:00:00Z' })
  const promised = async () => (await served.read<DeliveryDetail>(`/deliveries/${deliveryId}`)).story.promise
  expect(await promised()).toEqual({ promisedByMs: Date.parse('2040-01-02T12:00:00Z'), source: 'window' })
  const changes = { timeWindows: window('2040-01-03T10:00:00Z', '12:00:00Z') }
  expect((await served.post(`/deliveries/${deliveryId}/update`, { changes })).status).toBe(200)
  expect(await promised()).toEqual({ promisedByMs: Date.parse('2040-01-03T12:00:00Z'), source: 'window' })
  await served.cli.json(['sandbox', 'clock', 'set', '2040-01-03T14:00:00Z'])
  const rows = await served.cli.json<Judged[]>(['deliveries', 'board', '--from', '2026-01-01'])
  expect(rows.map(({ problem }) => problem)).toEqual([expect.stringContaining('window ended 2 h ago')])
})
