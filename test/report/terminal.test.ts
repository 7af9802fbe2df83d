import { beforeAll, expect, it } from 'vitest'
import { statusReasonCodes } from '../../src/contract/index.js'
import { textWidth } from '../../src/render/plain-text.js'
import { prepareDrawing, type Style } from '../../src/render/style.js'
import { type EventFact, reportText } from '../../src/report/index.js'
import { reportFromEvents } from '../support/report/from-events.js'

const nowMs = Date.parse('2026-03-31T12:00:00Z')
const hourMs = 3_600_000
const style: Style = { terminal: true, colour: true, columns: 80, accessible: false, nowMs, timeZone: 'UTC' }
const codes = [...statusReasonCodes, 'a_reason_that_the_contract_does_not_have_and_that_is_rather_long', undefined]

beforeAll(() => prepareDrawing(style))

/** Deliveries over 60 days: each reason once, some delivered, some never accepted, with long and wide group names. */
function* facts(): Generator<EventFact> {
  for (let hour = 0; hour < 60 * 24; hour += 5) {
    const deliveryId = `del_${hour}`
    const driverId = `drv_日本語_${'with a very long id '.repeat(3)}${hour % 7}`
    const fact = (status: string, afterMs: number, more: Partial<EventFact> = {}): EventFact => ({
      eventId: `${deliveryId}_${status}`,
      eventType: `delivery.${status}`,
      occurredAtMs: nowMs - 60 * 24 * hourMs + hour * hourMs + afterMs,
      deliveryId,
      driverId,
      totalPriceCents: 1_000,
      attempts: 1,
      lastDeliveryStatus: ['delivered', 'pending', 'failed', 'no_endpoint_configured'][hour % 4] as string,
      ...more,
    })
    const statusReasonCode = codes[(hour / 5) % codes.length]
    const reason = statusReasonCode === undefined ? {} : { statusReasonCode }
    if (hour % 3 > 0) yield fact('accepted', 0)
    yield fact('eta_updated', 1_000, { etaDropoffMs: nowMs })
    if (hour % 4 === 0) yield fact('delivered', 11 * hourMs + 59_000)
    else yield fact(['failed', 'cancelled', 'expired'][hour % 3] ?? 'failed', hourMs, reason)
  }
}

it.each([60, 70, 80, 100, 120, 140, 200])('a report is never wider than a terminal of %d columns', (columns) => {
  for (const days of [1, 30]) {
    const fromMs = nowMs - days * 24 * hourMs
    const textIn = (timeZone?: string) => {
      const promises = { slaMs: hourMs }
      const options = { fromMs, toMs: nowMs, eventsSinceMs: 0, by: 'driver', promises, timeZone } as const
      const { report, activity } = reportFromEvents(facts(), options)
      return reportText(report, activity, { ...style, columns })
    }
    const text = textIn()
    expect(text.split('\n').filter((line) => textWidth(line) > columns)).toEqual([])
    expect(text).toContain('On time by: SLA.')
    expect(text).toContain("By hour of the week, in the stores' time")
    expect(textIn('Europe/Berlin')).toContain('By hour of the week, Europe/Berlin')
    expect(text).toMatch(/in the period before/)
  }
})
