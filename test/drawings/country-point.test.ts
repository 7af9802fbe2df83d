import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { countryMap } from '../../src/drawings/country-map.generated.js'
import { countryPoint } from '../../src/drawings/country-point.js'

interface Place {
  code: string
  latitude: number
  longitude: number
}

const places = JSON.parse(readFileSync('src/sandbox/data/installations.json', 'utf8')) as Place[]

it('A place is where d3-geo has it, in the country, Alaska, Hawaii and on the islands', () => {
  expect(places.length).toBeGreaterThan(50)
  for (const place of places) {
    const [x, y] = countryMap.installations[place.code] ?? []
    const point = countryPoint(countryMap, place)
    expect([Math.round(point?.x ?? -1), Math.round(point?.y ?? -1)], place.code).toEqual([x, y])
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
