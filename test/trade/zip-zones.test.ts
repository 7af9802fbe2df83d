import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { zipZones } from '../../scripts/zip-zones.js'
import { installations } from '../../src/sandbox/data/index.js'
import { shownZoneOf, zonesOfStop } from '../../src/trade/zip-zones.js'

interface Entry {
  zip: string
  zone: string
  doubtful: boolean
  other?: string
}

const data = JSON.parse(readFileSync('scripts/data/split-zones.json', 'utf8')) as {
  zips: Entry[]
  doubtfulElsewhere: Entry[]
  wholePrefixes: Record<string, string>
}
const zoneOf = (postalCode: string, state?: string) => zonesOfStop({ postalCode, state })
const [east, central, mountain, pacific] = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
]

describe('The zone of a ZIP code', () => {
  it('is in a module that the script made from the reviewed data (npm run zip-zones)', () => {
    expect(readFileSync('src/trade/zip-zones.generated.ts', 'utf8')).toBe(zipZones())
  })

  it('is that of the reviewed data for every ZIP code of a split prefix, and both where it is doubtful', () => {
    const wrong = [...data.zips, ...data.doubtfulElsewhere].filter(({ zip, zone, doubtful, other = '' }) => {
      const found = zoneOf(zip)
      const expected = doubtful ? [zone, other] : [zone]
      return found.sure !== (doubtful ? 'two' : 'yes') || found.zones.join() !== expected.join()
    })
    expect(wrong).toEqual([])
    expect(data.zips.length).toBeGreaterThan(1_300)
  })

  it('is that of the first three digits where they hold one zone, of new ZIP codes too', () => {
    for (const [zone, runs] of Object.entries(data.wholePrefixes))
      for (const run of runs.split(' '))
        for (const prefix of run.split('-'))
          expect([prefix, zoneOf(`${prefix}00`)]).toEqual([prefix, { zones: [zone], sure: 'yes' }])
  })

  it.each([
    // Both sides of each line, and counties that hold it.
    ['40160', 'KY', east],
    ['40121', 'KY', east],
    ['42701', 'KY', east],
    ['42223', 'KY', central],
    ['40111', 'KY', central],
    ['42717', 'KY', central],
    ['37389', 'TN', central],
    ['37402', 'TN', east],
    ['32401', 'FL', central],
    ['32457', 'FL', east],
    ['32465', 'FL', central],
    ['47514', 'IN', central],
    ['47501', 'IN', east],
    ['46534', 'IN', central],
    ['49801', 'MI', central],
    ['49855', 'MI', east],
    ['57501', 'SD', central],
    ['57701', 'SD', mountain],
    ['57620', 'SD', mountain],
    ['58601', 'ND', mountain],
    ['58523', 'ND', central],
    ['67758', 'KS', mountain],
    ['67701', 'KS', central],
    ['69101', 'NE', central],
    ['69153', 'NE', mountain],
    ['79821', 'TX', mountain],
    ['79830', 'TX', central],
    ['83501', 'ID', pacific],
    ['83549', 'ID', mountain],
    ['97914', 'OR', mountain],
    ['97904', 'OR', pacific],
    ['89883', 'NV', mountain],
    ['89801', 'NV', pacific],
    ['86001', 'AZ', 'America/Phoenix'],
    ['86515', 'AZ', mountain],
    ['86042', 'AZ', 'America/Phoenix'],
    ['99546', 'AK', 'America/Adak'],
    ['99547', 'AK', 'America/Adak'],
    ['99501', 'AK', 'America/Anchorage'],
    ['99926', 'AK', 'America/Anchorage'],
    ['00901', 'PR', 'America/Puerto_Rico'],
    ['00802', 'VI', 'America/Puerto_Rico'],
    ['96910', 'GU', 'Pacific/Guam'],
    ['96950', 'MP', 'Pacific/Guam'],
    ['96799', 'AS', 'Pacific/Pago_Pago'],
    ['96898', 'HI', 'Pacific/Wake'],
    ['96818', 'HI', 'Pacific/Honolulu'],
    ['28310-1234', 'NC', east],
  ])('of %s is known without the state, and with %s: %s', (zip, state, zone) => {
    expect([zoneOf(zip), zoneOf(zip, state)]).toEqual(Array(2).fill({ zones: [zone], sure: 'yes' }))
  })

  it('is known and not doubtful for every installation of the sandbox, by its own zone', () => {
    const wrong = installations.flatMap(({ code, postalCode, timezone }) => {
      const { zones, sure } = zoneOf(postalCode)
      const now = [timezone, zones[0] ?? 'UTC'].map((timeZone) => offsets(timeZone))
      return sure === 'yes' && now[0] === now[1] ? [] : [`${code} ${postalCode}: ${timezone}, not ${zones}`]
    })
    expect(wrong).toEqual([])
  })

  it('is not guessed: an unknown ZIP code of a split prefix, a prefix that nobody uses, military mail', () => {
    expect(zoneOf('42799', 'KY')).toEqual({ zones: [east, central], sure: 'unknown' })
    expect(zoneOf('34312')).toEqual({ zones: [], sure: 'unknown' })
    expect(zoneOf('09012', 'AE')).toEqual({ zones: [], sure: 'unknown' })
    expect(shownZoneOf({ postalCode: '42799', state: 'KY' })).toEqual({ zone: undefined, isSure: false })
    expect(shownZoneOf({ postalCode: '57601', state: 'SD' })).toEqual({ zone: central, isSure: false })
  })

  it('is that of a state with one zone for an unknown ZIP code, and for none', () => {
    expect(zoneOf('96798', 'HI')).toEqual({ zones: ['Pacific/Honolulu'], sure: 'yes' })
    expect(zonesOfStop({ state: 'NC' })).toEqual({ zones: [east], sure: 'yes' })
    expect(zonesOfStop({ state: 'KY' })).toEqual({ zones: [east, central], sure: 'unknown' })
    expect(zonesOfStop({})).toEqual({ zones: [], sure: 'unknown' })
    expect(shownZoneOf({ state: 'KY' })).toEqual({ zone: east, isSure: false })
  })
})

/** The difference to UTC in winter and in summer. */
function offsets(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  return [0, 6].map((month) => format.format(new Date(Date.UTC(2026, month, 15)))).join(', ')
}
