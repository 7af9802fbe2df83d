import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
// @ts-expect-error: a script without types
import { countryMap as generated } from '../../scripts/country-map.js'
import { countryMap } from '../../src/drawings/country-map.generated.js'
import { countryMapShape, installationMarks } from '../../src/drawings/country-map.js'
import { markupOf } from '../../src/drawings/local-map.js'
import { installations } from '../../src/sandbox/data/index.js'

const file = 'src/drawings/country-map.generated.ts'

describe('The map of the country', () => {
  it('is what its script writes, names its source, and is small', () => {
    const text = readFileSync(file, 'utf8')
    expect(text).toBe(generated())
    expect(text).toContain('us-atlas (ISC)')
    expect(gzipSync(text, { level: 9 }).length).toBeLessThan(15_000)
  })

  it('has every installation of the data, each at a place of its own', () => {
    const marks = installationMarks(countryMap, installations)
    expect(marks.map(({ installation }) => installation.code).sort()).toEqual(
      installations.map(({ code }) => code).sort(),
    )
    expect(marks.filter(({ isApproximate }) => isApproximate)).toEqual([])
    for (const [index, one] of marks.entries()) {
      expect(one.x).toBeGreaterThan(0)
      expect(one.x).toBeLessThan(countryMap.width)
      expect(one.y).toBeGreaterThan(0)
      expect(one.y).toBeLessThan(countryMap.height)
      for (const other of marks.slice(index + 1))
        expect(
          Math.hypot(one.x - other.x, one.y - other.y),
          `${one.installation.code} ${other.installation.code}`,
        ).toBeGreaterThan(22)
    }
  })

  it('puts islands into their boxes', () => {
    const inBox = (code: string) => {
      const [x, y] = countryMap.installations[code] ?? [0, 0]
      return countryMap.insets.findIndex(
        (box) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height,
      )
    }
    expect(['NBGUAM', 'PELEARC', 'CGSANJUAN', 'FTBRAGG'].map(inBox)).toEqual([0, 1, 2, -1])
  })

  it('draws an installation that it does not know in the middle of its state, and says so', () => {
    const marks = installationMarks(countryMap, [
      { code: 'NEWBASE', name: 'New Base', state: 'KS', acceptingDeliveries: true },
      { code: 'ZZOK', name: 'Camp Example', state: 'ZZ', acceptingDeliveries: true },
    ])
    expect(marks).toMatchObject([{ installation: { code: 'NEWBASE' }, isApproximate: true }])
    const [x, y] = countryMap.states.KS ?? []
    expect(marks[0]).toMatchObject({ x, y })
    const text = markupOf(countryMapShape(countryMap, marks))
    expect(text).toContain('aria-label="NEWBASE: New Base, KS; drawn in the middle of its state"')
    expect(text).toContain('data-code="NEWBASE"')
    expect(text).toContain('Map of the United States with 1 installation"')
  })

  it('draws neither open nor closed what says neither', () => {
    const colours = [true, false, null].map((acceptingDeliveries) => {
      const [mark] = installationMarks(countryMap, [{ code: 'FTX', name: 'X', state: 'KS', acceptingDeliveries }])
      const text = markupOf(countryMapShape(countryMap, mark === undefined ? [] : [mark]))
      return /var\(--map-(?:open|closed)\)/.exec(text)?.[0]
    })
    expect(colours).toEqual(['var(--map-open)', 'var(--map-closed)', undefined])
  })
})
