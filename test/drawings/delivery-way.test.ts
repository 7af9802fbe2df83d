import { describe, expect, it } from 'vitest'
import { deliveryWay, hasPlaces } from '../../src/drawings/delivery-way.js'
import { localMap, markupOf, type Shape, scaleBar } from '../../src/drawings/local-map.js'
import { type DeliveryWay, wayText } from '../../src/drawings/way.js'
import { distanceKm } from '../../src/shared/math.js'

const way: DeliveryWay = {
  store: { latitude: 35.0856, longitude: -78.9594, name: 'Sandbox Market #01' },
  gate: { name: 'Longstreet Road ACP' },
  dropoff: { latitude: 35.14, longitude: -79.0, postalCode: '28310' },
  trail: [
    { latitude: 35.07, longitude: -78.95, at: '2027-01-13T17:00:00Z' },
    { latitude: 35.09, longitude: -78.965, at: '2027-01-13T17:02:00Z' },
  ],
  status: 'driver_enroute_to_dropoff',
}

const all = (drawing: Shape): Shape[] => [
  drawing,
  ...drawing.children.flatMap((child) => (typeof child === 'string' ? [] : all(child))),
]
const textsOf = (drawing: Shape) => all(drawing).flatMap(({ tag, children }) => (tag === 'text' ? children : []))

describe("The drawing of a delivery's way", () => {
  it('names store, gate, driver and the approximate dropoff, with a scale in kilometres and miles', () => {
    const texts = textsOf(deliveryWay(way))
    expect(texts).toEqual([
      'Driver',
      'Sandbox Market #01',
      '28310 (approximate)',
      'Longstreet Road ACP',
      expect.stringMatching(/^[\d.]+ km$/),
      expect.stringMatching(/^[\d.]+ mi$/),
    ])
  })

  it('keeps everything within its edges, however long a name is', () => {
    const named = { ...way, store: { ...way.store, name: `${'Very long '.repeat(40)}Market` } as DeliveryWay['store'] }
    const drawing = deliveryWay(named, { width: 300, height: 200, fontSize: 12 })
    for (const { tag, attributes, children } of all(drawing)) {
      if (tag === 'circle') {
        expect(Number(attributes.cx)).toBeGreaterThan(0)
        expect(Number(attributes.cx)).toBeLessThan(300)
        expect(Number(attributes.cy)).toBeLessThan(200)
      }
      if (tag === 'text') expect([...String(children[0])].length).toBeLessThan(32)
    }
  })

  it('says in words what it shows', () => {
    expect(wayText(way)).toBe(
      'Map of the way from Sandbox Market #01, by Longstreet Road ACP, to the centre of ZIP code 28310 (approximate). ' +
        '7.1 km in a straight line. The driver was last seen at 17:02 UTC, 6.4 km from the dropoff.',
    )
    expect(wayText({ trail: [], status: 'accepted' })).toBe('Map of the driver’s way.')
    expect(wayText({ ...way, status: 'delivered' })).not.toContain('last seen')
  })

  it('shows no driver once the delivery has ended, but the way that was driven', () => {
    const classes = (status: string) => all(deliveryWay({ ...way, status })).map(({ attributes }) => attributes.class)
    expect(classes('driver_at_dropoff')).toContain('way-driver')
    expect(classes('delivered')).not.toContain('way-driver')
    expect(classes('delivered')).toContain('way-trail')
  })

  it('draws one place alone, or none', () => {
    expect(hasPlaces({ trail: [], status: 'accepted' })).toBe(false)
    expect(markupOf(deliveryWay({ trail: [], status: 'accepted' }))).not.toContain('NaN')
    const alone = markupOf(deliveryWay({ dropoff: way.dropoff, trail: [], status: 'accepted' }))
    expect(alone).not.toContain('NaN')
    expect(alone).toContain('(approximate)')
  })

  it('escapes hostile names', () => {
    const hostile = { ...way, gate: { name: `"><img src=x onerror=alert(1)>` }, trail: [] }
    const text = markupOf(deliveryWay(hostile, { width: 900, height: 400, fontSize: 12 }))
    expect(text).not.toContain('<img')
    expect(text).toContain('&gt;&lt;img src=x')
  })
})

describe('A local map', () => {
  it('has one scale in both directions, across the date line too', () => {
    const positions = [
      { latitude: -14.3, longitude: 179.99 },
      { latitude: -14.31, longitude: -179.99 },
    ] as const
    const map = localMap(positions, { x: 0, y: 0, width: 400, height: 200 })
    const [one, other] = [map.at(positions[0]), map.at(positions[1])]
    const units = Math.hypot(one.x - other.x, one.y - other.y)
    expect(units / map.unitsPerKm).toBeCloseTo(distanceKm(...positions), 1)
    expect(other.x).toBeGreaterThan(one.x)
    expect(other.y).toBeGreaterThan(one.y)
  })

  it.each([
    [100, 250, { distance: 2, units: 200 }],
    [100, 99, { distance: 0.5, units: 50 }],
    [0.01, 250, { distance: 20_000, units: 200 }],
  ])('at %d units a kilometre measures up to %d units by a round distance', (unitsPerKm, longest, expected) => {
    const bar = scaleBar(unitsPerKm, longest)
    expect(bar.distance).toBeCloseTo(expected.distance)
    expect(bar.units).toBeCloseTo(expected.units)
  })
})
