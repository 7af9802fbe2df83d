import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Delivery, EventRecord, Serviceability } from '../../src/contract/index.js'
import { deliveryView } from '../../src/render/delivery-view.js'
import { eventList } from '../../src/render/event-view.js'
import { serviceabilityView } from '../../src/render/installation-view.js'
import { prepareDrawing } from '../../src/render/style.js'

const style = { terminal: true, colour: true, columns: 100, accessible: false, nowMs: 0, timeZone: 'UTC' }

describe('Words that every object answers to', () => {
  beforeAll(() => prepareDrawing(style))

  it.each(['constructor', 'toString', '__proto__', 'valueOf'])('are shown as they came: %s', (word) => {
    const delivery = {
      deliveryId: 'del_1',
      status: word,
      statusHistory: [{ status: word, occurredAt: '2026-03-02T15:00:00Z' }],
      resolvedVerification: { derived: [], suppressed: [{ mechanism: word, reason: word }] },
    } as unknown as Delivery
    const card = stripVTControlCharacters(deliveryView.card?.(delivery, style) ?? '')
    expect(card.split(word)).toHaveLength(5)
    const answer = { serviceable: false, reasonCode: word } as unknown as Serviceability
    expect(serviceabilityView.card?.(answer, style)).toContain(`: ${word}`)
    const webhook = eventList.columns.find(({ name }) => name === 'lastDeliveryStatus')
    expect(webhook?.cell?.({ lastDeliveryStatus: word } as EventRecord, style)).toContain(word)
  })
})
