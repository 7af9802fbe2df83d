import { expect, it } from 'vitest'
import { countryMap } from '../../src/drawings/country-map.generated.js'
import { countryPoint } from '../../src/drawings/market-map.js'
import { installations } from '../../src/sandbox/data/index.js'

interface Place {
  code: string
  latitude: number
  longitude: number
}

const places: readonly Place[] = installations

it('A place is where d3-geo has it, in the country, Alaska, Hawaii and on the islands', () => {
  expect(places.length).toBeGreaterThan(50)
  for (const place of places) {
    const [x, y] = countryMap.installations[place.code] ?? []
    const point = countryPoint(countryMap, place)
    // A half is rounded up or down by the last digits.
    expect(Math.abs((point?.x ?? -1) - (x ?? 0)), place.code).toBeLessThanOrEqual(0.501)
    expect(Math.abs((point?.y ?? -1) - (y ?? 0)), place.code).toBeLessThanOrEqual(0.501)
  }
})

it('A place outside of the country is on no map', () => {
  for (const [latitude, longitude] of [
    [48.85, 2.35],
    [0, 0],
    [Number.NaN, 10],
  ] as const)
    expect(countryPoint(countryMap, { latitude, longitude })).toBeUndefined()
})
