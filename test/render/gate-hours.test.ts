import { describe, expect, it } from 'vitest'
import { gateState } from '../../src/render/installation-view.js'
import type { Style } from '../../src/render/style.js'

const at = (time: string): Style => ({
  terminal: true,
  colour: false,
  columns: 80,
  accessible: false,
  nowMs: Date.parse(time),
  timeZone: 'UTC',
})
const gate = { name: 'Main', hours: 'Mon-Fri 05:00-21:00; Sat-Sun 05:00-13:00', timezone: 'America/New_York' }

describe('gate hours', () => {
  for (const [when, time, expected] of [
    ['within a weekday', '2026-03-02T15:00:00Z', 'open now, closes in 11h'],
    ['before it opens', '2026-03-02T08:30:00Z', 'opens in 1h 30m'],
    ['on a Saturday afternoon', '2026-02-28T20:00:00Z', 'opens in 14h'],
    ['in the night of an hour less', '2026-03-07T20:00:00Z', 'opens in 13h'],
    ['on a Sunday night, over the end of the week', '2026-03-02T03:00:00Z', 'opens in 7h'],
  ] as const)
    it(`say what counts ${when}, in the zone of the gate`, () => expect(gateState(gate, at(time))).toBe(expected))

  it.each([
    '24/7',
    'daily 00:00-24:00',
    'Mon-Fri 00:00-24:00; Sat-Sun 00:00-24:00',
    'daily 06:00-06:00',
  ])('know what never closes: %s', (hours) =>
    expect(gateState({ ...gate, hours }, at('2026-03-02T15:00:00Z'))).toBe('always open'))

  it.each([
    ['Mon-Fri 00:00-24:00', 'open now, closes in 4d 14h'],
    ['Mon 06:00-22:00; Mon 20:00-04:00', 'open now, closes in 18h'],
    ['Sun 20:00-12:00', 'open now, closes in 2h'],
  ])('continue if one opening follows another: %s', (hours, expected) =>
    expect(gateState({ ...gate, hours }, at('2026-03-02T15:00:00Z'))).toBe(expected))

  it('are left as they are where they or their zone cannot be read', () => {
    expect(gateState({ ...gate, hours: 'call ahead' }, at('2026-03-02T15:00:00Z'))).toBe('')
    expect(gateState({ ...gate, timezone: 'Mars/Base' }, at('2026-03-02T15:00:00Z'))).toBe('')
  })
})
