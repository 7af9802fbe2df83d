import { beforeAll, describe, expect, it } from 'vitest'
import { eventList, gapList, logList } from '../../src/render/event-view.js'
import { textWidth } from '../../src/render/plain-text.js'
import { prepareDrawing } from '../../src/render/style.js'
import { table, visibleColumns } from '../../src/render/table.js'
import { valueAt } from '../../src/render/view.js'

const style = { terminal: true, colour: false, columns: 80, accessible: false, nowMs: 0, timeZone: 'UTC' }
const row = {
  eventId: 'evt_01M81EGJFPBKFH8FG5CDTXFEKG',
  deliveryId: 'del_01M81EGJDSNVP6D11YBZG7RWZF',
  eventType: 'delivery.proof_of_delivery_added',
  occurredAt: '2026-03-02T15:00:00Z',
  receivedAt: '2026-03-02T15:00:00Z',
  lastDeliveryStatus: 'no_endpoint_configured',
  deliveryAttempts: 12,
  secret: 'DLV_WEBHOOK_SECRET',
  repeats: 0,
  data: { delivery: { clientOrderReference: 'WEB-100482-2026-03-02-A' } },
}

describe('a list of events', () => {
  beforeAll(() => prepareDrawing(style))

  it.each([
    ['events list', eventList.columns],
    ['webhooks log', logList.columns],
    ['webhooks gaps', gapList.columns],
  ])('shows the whole id of each event at 80 columns, and its type in one spelling: %s', (_, columns) => {
    const text = table(visibleColumns(columns, style), [row], style, { header: true })
    expect(text).toContain(row.eventId)
    expect(text).toMatch(/ {2}proof_o/)
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80)
  })

  it('says which installation changed and what, as the line of a tail does', () => {
    const installation = { code: 'FTBRAGG', fpconLevel: 'charlie' }
    const change = {
      ...row,
      deliveryId: null,
      eventType: 'installation.access_policy_changed',
      data: { changed: ['fpconLevel'], affectedDeliveryCount: 2, installation },
    }
    const wide = { ...style, columns: 160 }
    const said = 'FTBRAGG: 2 deliveries affected, fpconLevel charlie'
    expect(table(visibleColumns(eventList.columns, wide), [change], wide, { header: true })).toContain(said)
    const narrow = (data: object) =>
      table(visibleColumns(eventList.columns, style), [{ ...change, data }], style, { header: true })
    expect(narrow(change.data)).toMatch(/^WHEN .*\n.* access.* FTBRAGG: fpconLevel$/m)
    expect(narrow({ ...change.data, changed: ['fpconLevel', 'gates'] })).toMatch(/ access.* FTBRAGG: 2 changes/)
    expect(narrow({ ...change.data, changed: ['imagingRestrictionsOfTheBase'] })).toMatch(/ access.* FTBRAGG: changed/)
    expect(table(eventList.columns, [row], wide, { header: true })).toContain('WEB-100482-2026-03-02-A')
    const small = { ...style, columns: 60 }
    const on60 = { ...change, data: { ...change.data, installation: { ...installation, code: 'MCBLEJEUNE' } } }
    const lines = table(visibleColumns(eventList.columns, small), [on60], small, { header: true }).split('\n')
    expect(lines[1]).toMatch(/^in \S+ \S+ +evt_\w+ +MCBLEJEUNE$/)
    expect(lines.every((line) => textWidth(line) <= 60)).toBe(true)
    // A pipe has no cells for people: what changed are columns of their own.
    const piped = eventList.columns.map(({ name }) => valueAt(change, name))
    expect(piped.slice(-2)).toEqual(['FTBRAGG', ['fpconLevel']])
    expect(visibleColumns(eventList.columns, wide).some(({ name }) => name === 'data.changed')).toBe(false)
  })
})
