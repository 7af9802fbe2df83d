import { beforeAll, describe, expect, it } from 'vitest'
import { eventTypes } from '../../src/contract/index.js'
import { EventLines, lineColumns } from '../../src/render/event-line.js'
import { type ListenerLine, ListenerLines } from '../../src/render/listener-lines.js'
import { textWidth } from '../../src/render/plain-text.js'
import { prepareDrawing, type Style } from '../../src/render/style.js'
import { isDeliveryEvent, sampleEvent } from '../../src/webhooks/index.js'
import { fc, sampleCount } from '../support/samples.js'

const nowMs = Date.parse('2026-03-02T15:00:00Z')
const style: Style = { terminal: true, colour: false, columns: 80, accessible: false, nowMs, timeZone: 'UTC' }
const widths = [60, 72, 80, 100, 120, 159, 160, 200]

beforeAll(() => prepareDrawing({ ...style, colour: true }))

/** The column in which the subject begins: after time, mark and type. */
const subjectAt = 8 + 1 + 1 + 1 + 25 + 2

function received(eventType: string, more: Partial<Extract<ListenerLine, { type: 'event' }>> = {}): ListenerLine {
  const event = sampleEvent(eventType, { eventId: 'evt_1', deliveryId: 'del_1', occurredAtMs: nowMs })
  return {
    type: 'event',
    eventId: 'evt_1',
    eventType,
    deliveryId: isDeliveryEvent(event) ? event.delivery.deliveryId : null,
    occurredAt: event.occurredAt,
    secret: 'one',
    secretNumber: 1,
    secretCount: 1,
    duplicate: false,
    conflict: false,
    warnings: [],
    event,
    ...more,
  }
}

/** What stands in a terminal's columns from one to another, wide characters counted as two. */
function columnsOf(line: string, from: number, to: number): string {
  let at = 0
  let found = ''
  for (const { segment } of new Intl.Segmenter('en').segment(line)) {
    if (at >= from && at < to) found += segment
    at += textWidth(segment)
  }
  return found
}

/** A line without that of its day before it. */
const withoutDay = (text: string) => text.replace(/^[^\n]*\n/, '')

describe('the line of an event', () => {
  it.each(widths)('is one line for every type, aligned, within %d columns', (columns) => {
    const { subject, rest, hasIds } = lineColumns(columns)
    for (const eventType of eventTypes) {
      const line = withoutDay(new ListenerLines().line(received(eventType), { ...style, columns }))
      expect(line).not.toContain('\n')
      expect(textWidth(line)).toBeLessThanOrEqual(columns)
      expect(line.slice(0, 11)).toBe('15:00:00 ✓ ')
      expect(line.slice(11, subjectAt).trimEnd()).toBe(eventType.replace(/^(delivery|installation)\./, ''))
      expect(line.slice(subjectAt)).toMatch(/^(ORDER-1001|drv[^ ]*_maya|FTBRAGG)/)
      const idsAt = subjectAt + subject + 2 + rest + 2
      if (hasIds) expect(line.slice(idsAt).trim()).toMatch(/^(del_1 +)?evt_1$/)
      else expect(line).not.toContain('evt_1')
    }
  })

  it('stays aligned whatever the reference, the driver and the type are', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...widths),
        fc.constantFrom(...eventTypes, 'delivery.something_that_nobody_has_heard_of_yet', ''),
        fc.string({
          unit: fc.constantFrom('日', '🚚', 'é', 'a', '\u001b[31m', '\n', '\u202e', ' '),
          maxLength: 128,
          size: 'max',
        }),
        fc.string({ unit: 'grapheme', maxLength: 60, size: 'max' }),
        (columns, eventType, clientOrderReference, name) => {
          const delivery = { deliveryId: 'del_1', clientOrderReference, driver: { name }, statusReasonCode: name }
          const event = { eventId: 'evt_1', eventType, occurredAt: '2026-03-02T15:00:00Z', deliveryId: 'del_1' }
          const line = withoutDay(new EventLines().line({ ...event, data: { delivery } }, { ...style, columns }))
          const { subject, rest, hasIds } = lineColumns(columns)
          const idsAt = subjectAt + subject + 2 + rest + 2
          return (
            !/[\n\u001b\u202e]/.test(line) &&
            textWidth(line) <= columns &&
            columnsOf(line, subjectAt - 2, subjectAt) === (textWidth(line) < subjectAt ? '' : '  ') &&
            (!hasIds || columnsOf(line, idsAt, idsAt + 5) === 'del_1')
          )
        },
      ),
      { numRuns: sampleCount(300) },
    )
  })

  it('shows a driver, an ETA and its change, a reason, a fee and a proof', () => {
    const lines = new EventLines()
    const line = (type: string, delivery: object, more: object = {}) =>
      lines.line(
        {
          eventId: 'evt_1',
          eventType: `delivery.${type}`,
          occurredAt: '2026-03-02T15:00:00Z',
          deliveryId: 'del_1',
          data: { delivery: { clientOrderReference: 'A-1', ...delivery }, ...more },
        },
        { ...style, columns: 120 },
      )
    expect(line('driver_assigned', { driver: { name: 'Maya R.', vehicleDescription: 'White Ford' } })).toMatch(
      / driver_assigned +A-1 +Maya R\., White Ford$/,
    )
    expect(line('eta_updated', {}, { eta: { dropoff: '2026-03-02T15:20:00Z' } })).toMatch(/ ETA 15:20:00$/)
    expect(line('eta_updated', {}, { eta: { dropoff: '2026-03-02T15:32:30Z' } })).toMatch(
      / ETA 15:32:30 \(\+12m 30s\)$/,
    )
    expect(line('eta_updated', {}, { eta: { dropoff: '2026-03-02T15:31:30Z' } })).toMatch(/ ETA 15:31:30 \(-1m\)$/)
    expect(line('failed', { statusReasonCode: 'denied_at_gate' })).toMatch(/ denied_at_gate$/)
    expect(
      line('cancelled', { statusReasonCode: 'cancelled_by_merchant', pricing: { cancellationFeeCents: 500 } }),
    ).toMatch(/ cancelled_by_merchant, fee \$5\.00$/)
    expect(line('driver_at_dropoff', { dropoff: { installation: { code: 'FTBRAGG', gate: 'Main Gate' } } })).toMatch(
      / Main Gate, FTBRAGG$/,
    )
    expect(line('delivered', { proofOfDelivery: [{ type: 'photo' }, { type: 'signature' }] })).toMatch(
      / photo, signature$/,
    )
  })

  it('puts the first day with its zone and each new one on a line of its own, so that times stay aligned', () => {
    const lines = new EventLines()
    const at = (occurredAt: string) =>
      lines.line({ eventId: 'evt_1', eventType: 'delivery.accepted', occurredAt }, style)
    expect(at('2026-03-01T23:59:59Z')).toMatch(/^2026-03-01 UTC\n23:59:59 /)
    expect(at('2026-03-01T23:59:59Z')).toMatch(/^23:59:59 /)
    expect(at('2026-03-02T00:00:01Z')).toMatch(/^2026-03-02\n00:00:01 /)
    expect(at('no time')).toMatch(/^ {9}● accepted/)
  })

  it('is tab-separated with nothing cut in a pipe', () => {
    const reference = 'R'.repeat(128)
    const event = { eventId: 'evt_1', eventType: 'delivery.failed', occurredAt: '2026-03-02T15:00:00Z' }
    const data = { delivery: { clientOrderReference: reference, statusReasonCode: 'gate_closed' } }
    expect(new EventLines().line({ ...event, deliveryId: 'del_1', data }, { ...style, terminal: false })).toBe(
      ['2026-03-02T15:00:00Z', 'delivery.failed', 'del_1', 'evt_1', reference, 'gate_closed'].join('\t'),
    )
  })
})

describe("the notes of a listener's line", () => {
  const wide = { ...style, columns: 140 }

  it('name a duplicate, a conflict, an event out of order, a new secret and the response of a target', () => {
    const lines = new ListenerLines()
    const line = (more: Partial<Extract<ListenerLine, { type: 'event' }>>, forwards: ListenerLine[] = []) =>
      lines.line(received('delivery.returned', more), wide, forwards as never)
    expect(line({})).toMatch(/ returned +ORDER-1001$/)
    expect(line({ occurredAt: '2026-03-02T14:59:48Z' })).toMatch(/ {2}out of order \(12s older\)$/)
    expect(line({ duplicate: true })).toMatch(/ {2}duplicate$/)
    expect(line({ conflict: true, duplicate: true })).toMatch(/^15:00:00 ✗ .* another body had this id$/)
    expect(line({ secretNumber: 2, secretCount: 2 })).toMatch(/ \(new secret\)$/)
    expect(line({ secretNumber: 2, secretCount: 2 })).not.toContain('secret')
    expect(line({ secretNumber: 1, secretCount: 2 })).toMatch(/ \(secret 1 of 2\)$/)
    const forwarded = {
      type: 'forwarded',
      eventId: 'evt_1',
      url: 'http://x',
      status: 200,
      durationMs: 12.3,
      attempt: 1,
    }
    expect(line({}, [forwarded as ListenerLine])).toMatch(/ → 200 in 12 ms$/)
  })

  it('leave out a detail that they leave no room for', () => {
    const more = { occurredAt: '2026-03-02T14:00:00Z' }
    for (const columns of widths) {
      const lines = new ListenerLines()
      lines.line(received('delivery.accepted'), { ...style, columns })
      const line = lines.line(received('delivery.driver_assigned', more), { ...style, columns })
      expect(textWidth(line)).toBeLessThanOrEqual(columns)
      expect(line).toContain('out of')
    }
  })

  it('name the order of a forward whose event came in an earlier run', () => {
    const record = { type: 'forwarded', eventId: 'evt_9', url: 'http://x', status: 500, durationMs: 1, attempt: 2 }
    const line = (more: object) => new ListenerLines().line({ ...record, ...more } as ListenerLine, style)
    expect(line({ deliveryId: 'del_9', reference: 'ORDER-9' })).toContain('ORDER-9')
    expect(line({ deliveryId: 'del_9' })).toContain('del_9')
    expect(line({ deliveryId: null })).toContain('evt_9')
  })

  it('warn of a weak secret once', () => {
    const lines = new ListenerLines()
    const weak = { warnings: ['the secret is short'] }
    const shown = [weak, weak, { ...weak, secret: 'other' }].map((more) =>
      lines.line(received('delivery.accepted', more), style),
    )
    expect(shown.map((line) => line.includes('warning: the secret is short'))).toEqual([true, false, true])
  })

  it('give a failed forward a line in the same columns, with the reference of its event', () => {
    const lines = new ListenerLines()
    lines.line(received('delivery.accepted'), style)
    const failed = {
      type: 'forwarded',
      eventId: 'evt_1',
      url: 'http://localhost:3000/hooks',
      status: 500,
      durationMs: 40,
      attempt: 1,
      retryInMs: 2_000,
      body: 'Oh no',
    } as ListenerLine
    expect(lines.line(failed, { ...style, columns: 100 }).split('\n')).toEqual([
      '15:00:00 → 500 in 40 ms               ORDER-1001                  http://localhost:300…  retry in 2s',
      '           Oh no',
    ])
    const last = {
      ...failed,
      attempt: 8,
      body: undefined,
      retryInMs: undefined,
      givenUp: true,
    } as unknown as ListenerLine
    const shown = lines.line(last, { ...style, columns: 120, accountFlags: '-P acme' }).split('\n')
    expect(shown[0]).toMatch(/ given up after 8 attempts$/)
    expect(shown[1]?.trim()).toBe('dlv webhooks resend evt_1 --to http://localhost:3000/hooks -P acme')
  })

  it('keep a command in the hint of a rejected request on one line at 80 columns', () => {
    const command = 'dlv webhooks listen --secret-file new-secret.txt --port 4020'
    const record = {
      type: 'rejected',
      reason: 'no_match',
      status: 401,
      message: 'none of the secrets made this signature',
      hint: `The secret was rotated: ${command}.`,
    } as const
    const lines = new ListenerLines().line(record, style).split('\n')
    expect(lines.filter((line) => line.includes(command))).toHaveLength(1)
    expect(lines.every((line) => line.length <= 80)).toBe(true)
  })
})
