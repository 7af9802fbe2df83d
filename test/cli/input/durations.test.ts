import { describe, expect, it } from 'vitest'
import { parseDurationMs, parseTime } from '../../../src/cli/input/times.js'
import { fc } from '../../support/samples.js'

const nowMs = Date.parse('2026-03-02T15:00:00Z')

describe('spans of time', () => {
  for (const [text, ms] of [
    ['500ms', 500],
    ['90s', 90_000],
    ['5m', 300_000],
    ['2h30m', 9_000_000],
    ['3d', 259_200_000],
    ['45', 45_000],
    ['0', 0],
  ] as const)
    it(`reads ${text}`, () => expect(parseDurationMs(text, '--timeout')).toBe(ms))

  for (const text of ['', 'soon', '5 minutes', '-5m', '5mm', 'm5', '1h 30m'])
    it(`refuses "${text}" and names the flag`, () =>
      expect(() => parseDurationMs(text, '--timeout')).toThrow(/--timeout/))

  it('reads back whatever whole seconds it is given', () => {
    fc.assert(fc.property(fc.nat(1_000_000), (seconds) => parseDurationMs(`${seconds}s`, 'x') === seconds * 1_000))
  })
})

describe('points in time', () => {
  for (const [text, expected] of [
    ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.000Z'],
    ['2026-03-02T10:00:00-05:00', '2026-03-02T15:00:00.000Z'],
    ['2024-02-29T23:00:00-05:00', '2024-03-01T04:00:00.000Z'],
    ['2h', '2026-03-02T13:00:00.000Z'],
    ['3d', '2026-02-27T15:00:00.000Z'],
    ['2h ago', '2026-03-02T13:00:00.000Z'],
    ['+30m', '2026-03-02T15:30:00.000Z'],
    ['in 2h', '2026-03-02T17:00:00.000Z'],
    ['now', '2026-03-02T15:00:00.000Z'],
  ] as const)
    it(`reads ${text}`, () => expect(parseTime(text, '--from', nowMs)).toBe(expected))

  it('takes yesterday for the midnight before the last one, in the zone of the reader', () => {
    const span = nowMs - Date.parse(parseTime('yesterday', '--from', nowMs))
    expect(span).toBeGreaterThan(86_400_000 - 1)
    expect(span).toBeLessThan(2 * 86_400_000 + 3_600_001)
  })

  for (const text of [
    '2026-13-45',
    '2026-02-30',
    '2026-04-31T10:00:00Z',
    '2025-02-29T10:00',
    'last week',
    '',
    'constructor',
    '12:00',
  ])
    it(`refuses "${text}"`, () => expect(() => parseTime(text, '--from', nowMs)).toThrow(/--from must be a time/))
})
