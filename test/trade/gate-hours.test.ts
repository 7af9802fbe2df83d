import { describe, expect, test } from 'vitest'
import { seedInstallations } from '../../src/sandbox/core/fixtures.js'
import { recommendedGate } from '../../src/sandbox/core/installations.js'
import type { GateRow } from '../../src/sandbox/model.js'
import {
  hoursText,
  isFederalHoliday,
  nextOpeningMs,
  openIntervals,
  opensWithin,
  openUntilMs,
  parseHoursText,
} from '../../src/trade/gate-hours.js'
import { commercialGates } from '../../src/trade/installation-policy.js'
import { localTimeOf, weekdayOf } from '../../src/trade/zoned-time.js'
import { fc, sampleCount } from '../support/samples.js'

function testGate(changes: Partial<GateRow> & Pick<GateRow, 'timezone'>): GateRow {
  return {
    name: 'Main Gate',
    commercialVehiclesPermitted: true,
    hours: '',
    schedule: [{ days: [1, 2, 3, 4, 5, 6, 7], open: '05:00', close: '21:00' }],
    closedOnFederalHolidays: false,
    ...changes,
  }
}

const iso = (atMs: number | undefined) => (atMs === undefined ? undefined : new Date(atMs).toISOString())
const ms = (text: string) => Date.parse(text)

function hoursOn(timezone: string, from: string, to: string, changes: Partial<GateRow> = {}) {
  return openIntervals(testGate({ timezone, ...changes }), ms(from), ms(to)).map(({ fromMs, toMs }) => [
    iso(fromMs),
    iso(toMs),
  ])
}

describe('gate hours', () => {
  test('follow the clocks of New York into summer time on 2027-03-14', () => {
    expect(hoursOn('America/New_York', '2027-03-13T00:00:00-05:00', '2027-03-16T00:00:00-04:00')).toEqual([
      ['2027-03-13T10:00:00.000Z', '2027-03-14T02:00:00.000Z'],
      ['2027-03-14T09:00:00.000Z', '2027-03-15T01:00:00.000Z'],
      ['2027-03-15T09:00:00.000Z', '2027-03-16T01:00:00.000Z'],
    ])
  })

  test('follow them back in autumn', () => {
    expect(hoursOn('America/New_York', '2027-11-06T12:00:00-04:00', '2027-11-07T23:00:00-05:00')).toEqual([
      ['2027-11-06T09:00:00.000Z', '2027-11-07T01:00:00.000Z'],
      ['2027-11-07T10:00:00.000Z', '2027-11-08T02:00:00.000Z'],
    ])
  })

  test('take an hour that spring skips for the one after it, and the first of the two of autumn', () => {
    const early = { schedule: [{ days: [7], open: '02:30', close: '06:00' }] }
    expect(hoursOn('America/New_York', '2027-03-14T00:00:00-05:00', '2027-03-15T00:00:00-04:00', early)).toEqual([
      ['2027-03-14T07:30:00.000Z', '2027-03-14T10:00:00.000Z'],
    ])
    const twice = { schedule: [{ days: [7], open: '01:30', close: '06:00' }] }
    expect(hoursOn('America/New_York', '2027-11-07T00:00:00-04:00', '2027-11-08T00:00:00-05:00', twice)).toEqual([
      ['2027-11-07T05:30:00.000Z', '2027-11-07T11:00:00.000Z'],
    ])
  })

  test.each([
    ['America/Phoenix', 12],
    ['Pacific/Guam', -5],
    ['Pacific/Pago_Pago', 16],
  ])('are the same in %s all year', (timezone, opensAtUtc) => {
    for (const day of ['2027-01-13', '2027-03-13', '2027-03-14', '2027-03-15', '2027-07-14', '2027-11-07']) {
      const expected = ms(`${day}T00:00:00Z`) + opensAtUtc * 3_600_000
      const [interval] = openIntervals(testGate({ timezone }), expected, expected + 1)
      expect([day, iso(interval?.fromMs)]).toEqual([day, iso(expected)])
      expect(opensWithin([testGate({ timezone })], expected - 1, expected)).toBe(false)
    }
  })

  test('run past midnight where they say so', () => {
    const night = { schedule: [{ days: [5], open: '20:00', close: '04:00' }] }
    expect(hoursOn('America/Chicago', '2026-03-07T01:00:00-06:00', '2026-03-07T02:00:00-06:00', night)).toEqual([
      ['2026-03-07T02:00:00.000Z', '2026-03-07T10:00:00.000Z'],
    ])
  })

  test('join at midnight, so that a gate that is always open never closes', () => {
    const always = testGate({
      timezone: 'America/New_York',
      schedule: [{ days: [1, 2, 3, 4, 5, 6, 7], open: '00:00', close: '24:00' }],
    })
    const atMs = ms('2027-03-13T12:00:00Z')
    expect(openUntilMs(always, atMs)).toBeGreaterThan(atMs + 14 * 86_400_000)
    expect(openIntervals(always, atMs, atMs + 14 * 86_400_000)).toHaveLength(1)
  })

  test('leave out federal holidays, in lieu ones too, where the gate keeps them', () => {
    // The 4th of July of 2026 is a Saturday and is kept on the Friday before.
    const friday = (closedOnFederalHolidays: boolean) =>
      hoursOn('America/Phoenix', '2026-07-03T12:00:00Z', '2026-07-03T13:00:00Z', { closedOnFederalHolidays })
    expect(friday(false)).toHaveLength(1)
    expect(friday(true)).toHaveLength(0)
  })

  test('open at local times of the schedule and at no others, whatever the zone and the day', () => {
    const zones = ['America/New_York', 'America/Phoenix', 'Pacific/Guam', 'Pacific/Pago_Pago', 'America/Anchorage']
    const property = fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: ms('2026-01-01T00:00:00Z'), max: ms('2029-01-01T00:00:00Z') }),
      (timezone, atMs) => {
        const gate = testGate({ timezone, schedule: [{ days: [1, 2, 3, 4, 5], open: '05:30', close: '15:30' }] })
        const { hour, minute, ...date } = localTimeOf(atMs, timezone)
        const minutes = hour * 60 + minute
        const isOpen = weekdayOf(date) <= 5 && minutes >= 330 && minutes < 930
        expect(opensWithin([gate], atMs, atMs + 1)).toBe(isOpen)
      },
    )
    fc.assert(property, { numRuns: sampleCount(300) })
  })
})

describe('the next opening', () => {
  test('is of a gate for commercial vehicles, in its own zone', () => {
    const kitsap = installation('NBKITSAP')
    // Friday 18:00 in Washington State: the truck gate has closed for the weekend.
    expect(iso(nextOpeningMs(commercialGates(kitsap), ms('2026-03-06T18:00:00-08:00')))).toBe(
      '2026-03-09T12:30:00.000Z',
    )
  })

  test('is now where a gate is open, and never where none ever opens', () => {
    const atMs = ms('2026-03-02T15:00:00Z')
    expect(nextOpeningMs(commercialGates(installation('FTBRAGG')), atMs)).toBe(atMs)
    expect(nextOpeningMs([testGate({ timezone: 'America/New_York', schedule: [] })], atMs)).toBeUndefined()
  })
})

describe('the recommended gate', () => {
  const timezone = 'America/New_York'
  const atMs = ms('2026-03-02T15:00:00Z')
  const days = [1, 2, 3, 4, 5, 6, 7]

  test('is the commercial one that stays open longest', () => {
    expect(recommendedGate(installation('FTBRAGG'), atMs)?.name).toBe('Longstreet Road ACP')
  })

  test('is the first of those that stay open as long', () => {
    const gates = [
      testGate({
        timezone,
        name: 'Cars',
        commercialVehiclesPermitted: false,
        schedule: [{ days, open: '00:00', close: '24:00' }],
      }),
      testGate({ timezone, name: 'First' }),
      testGate({ timezone, name: 'Second' }),
    ]
    expect(recommendedGate({ gates }, atMs)?.name).toBe('First')
  })

  test('is none where all are closed', () => {
    const closed = testGate({ timezone, schedule: [{ days: [7], open: '05:00', close: '06:00' }] })
    expect(recommendedGate({ gates: [closed] }, atMs)).toBeUndefined()
  })
})

describe('federal holidays', () => {
  test.each([
    '2026-01-01',
    '2026-01-19',
    '2026-02-16',
    '2026-05-25',
    '2026-06-19',
    '2026-07-03',
    '2026-09-07',
    '2026-10-12',
    '2026-11-11',
    '2026-11-26',
    '2026-12-25',
    '2027-06-18',
    '2027-07-05',
    '2027-12-24',
    '2027-12-31',
  ])('include %s', (text) => {
    expect(isFederalHoliday(dateOf(text))).toBe(true)
  })

  test('are eleven in the year 2025, and no day that only looks like one', () => {
    const days = Array.from({ length: 365 }, (_, day) =>
      new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10),
    )
    expect(days.filter((day) => isFederalHoliday(dateOf(day)))).toHaveLength(11)
    expect(isFederalHoliday(dateOf('2026-05-18'))).toBe(false)
    expect(isFederalHoliday(dateOf('2026-11-19'))).toBe(false)
  })
})

test('the hours of every gate are what its schedule says, and are read again', () => {
  for (const { code, gates } of seedInstallations(0)) {
    expect(commercialGates({ gates }).length, code).toBeGreaterThan(0)
    for (const gate of gates) {
      expect(hoursText(gate), `${code} ${gate.name}`).toBe(gate.hours)
      const { schedule, closedOnFederalHolidays } = gate
      expect(parseHoursText(gate.hours), gate.hours).toEqual({ schedule, closedOnFederalHolidays })
    }
  }
})

test.each([
  ['Daily 6:00-22:00', [{ days: [1, 2, 3, 4, 5, 6, 7], open: '06:00', close: '22:00' }]],
  ['fri-mon 20:00-04:00', [{ days: [1, 5, 6, 7], open: '20:00', close: '04:00' }]],
  ['closed', []],
])('hours written as %j are read', (text, schedule) => {
  expect(parseHoursText(text)).toEqual({ schedule, closedOnFederalHolidays: false })
})

test.each([
  '',
  'soon',
  'PH off',
  'Mon 5-21',
  'Mon-Fri 05:00-25:00',
  'Mox 05:00-21:00',
  'Mon-Wed-Fri 05:00-21:00',
  '24/7; closed',
])('hours written as %j are not', (text) => expect(parseHoursText(text)).toBeUndefined())

test.each([
  [[], 'closed'],
  [[{ days: [6, 1, 3], open: '08:00', close: '12:00' }], 'Mon,Wed,Sat 08:00-12:00'],
  [[{ days: [5], open: '20:00', close: '04:00' }], 'Fri 20:00-04:00'],
])('the schedule %o reads "%s"', (schedule, text) => {
  expect(hoursText({ schedule, closedOnFederalHolidays: false })).toBe(text)
})

function installation(code: string) {
  const found = seedInstallations(0).find((row) => row.code === code)
  if (found === undefined) throw new Error(`no ${code}`)
  return found
}

function dateOf(text: string) {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  return { year, month, day }
}
