import { describe, expect, it } from 'vitest'
import type { Delivery, Installation } from '../../src/contract/index.js'
import { accessOrderOf } from '../../src/trade/obstacles.js'
import { changeThatStands, touchedBy } from '../../src/trade/policy-changes.js'

const ms = (text: string) => Date.parse(text)
/** A Wednesday, 07:00 in New York. */
const nowMs = ms('2026-11-18T12:00:00Z')

const gate = (name: string, hours: string, commercialVehiclesPermitted = true) => ({
  name,
  hours,
  commercialVehiclesPermitted,
  timezone: 'America/New_York',
})
const installation = (changes: Partial<Installation> = {}): Installation => ({
  code: 'FTX',
  acceptingDeliveries: true,
  accessLevel: 'id_required',
  fpconLevel: 'normal',
  photographyPermitted: true,
  permittedProofTypes: ['photo', 'signature', 'pin_code', 'barcode'],
  supportedDeliveryPoints: ['cq_desk', 'mailroom'],
  prohibitedCargo: ['controlled_cargo'],
  gates: [gate('North', 'Mon-Fri 08:00-16:00'), gate('South', '24/7'), gate('Visitors', '24/7', false)],
  ...changes,
})

interface OrderFacts {
  status?: string
  gate?: string
  point?: string
  window?: readonly [start: string, end: string]
  eta?: string
  createdAt?: string
  resolved?: Delivery['resolvedVerification']
  order?: object
}

/** What a change of these fields means for an order: its obstacles, those that block marked, and its remedies. */
function touches(changed: readonly string[] | undefined, at: Installation, facts: OrderFacts = {}) {
  const { status = 'scheduled', gate, point, window, eta, createdAt, resolved, order = {} } = facts
  const delivery: Delivery = {
    deliveryId: 'del_1',
    status,
    createdAt: createdAt ?? '2026-11-18T10:00:00Z',
    dropoff: { installation: { code: 'FTX', gate }, unit: { deliveryPoint: point } },
    resolvedVerification: resolved,
  }
  const [start, end] = window ?? []
  const found = touchedBy(
    { atMs: nowMs, changed, installation: at },
    accessOrderOf(delivery, 'FTX', {
      ...order,
      timeWindows: window && { deliveryMode: 'scheduled', dropoff: { start, end } },
      etaMs: eta === undefined ? undefined : ms(eta),
    }),
    nowMs,
  )
  return {
    why: found?.obstacles.map(({ text, blocks }) => `${blocks ? '! ' : ''}${text}`) ?? [],
    commands: found?.remedies.map(({ command }) => command) ?? [],
    labels: found?.remedies.map(({ label }) => label) ?? [],
  }
}

describe('A change of the hours of gates', () => {
  const evening = ['2026-11-18T23:00:00Z', '2026-11-19T01:00:00Z'] as const

  it('touches the orders whose window or ETA it misses, with the times at the gate', () => {
    const north = { gate: 'North', window: evening }
    expect(touches(['gates'], installation(), north).why).toEqual([
      '! gate "North" is closed throughout its window, Wed 18:00 to 20:00 there; it opens Thu 08:00 there',
    ])
    const noon = ['2026-11-18T20:00:00Z', '2026-11-18T22:00:00Z'] as const
    expect(touches(['gates'], installation(), { gate: 'North', window: noon }).why).toEqual([
      'gate "North" closes Wed 16:00 there, before its window ends',
    ])
    const early = ['2026-11-18T12:30:00Z', '2026-11-18T14:00:00Z'] as const
    expect(touches(['gates'], installation(), { gate: 'North', window: early }).why).toEqual([
      'gate "North" opens Wed 08:00 there, after its window begins',
    ])
    const driven = { status: 'driver_enroute_to_dropoff', gate: 'North', eta: '2026-11-18T12:40:00Z' }
    expect(touches(['gates'], installation(), driven).why).toEqual([
      '! gate "North" is closed at its ETA, Wed 07:40 there; it opens Wed 08:00 there',
    ])
    expect(touches(['gates'], installation(), { status: 'accepted', gate: 'North' }).why).toEqual([
      'gate "North" is closed now; it opens Wed 08:00 there',
    ])
    const open = ['2026-11-18T15:00:00Z', '2026-11-18T16:00:00Z'] as const
    expect(touches(['gates'], installation(), { gate: 'North', window: open }).why).toEqual([])
    // Without a gate of its own, an order takes any that is open.
    expect(touches(['gates'], installation(), { window: evening }).why).toEqual([])
    const one = installation({ gates: [gate('North', 'Mon-Fri 08:00-16:00'), gate('East', 'closed')] })
    expect(touches(['gates'], one, { window: evening }).why).toEqual([
      '! the gates are closed throughout its window, Wed 18:00 to 20:00 there; they open Thu 08:00 there',
    ])
  })

  it('touches those whose gate is gone or keeps them out, and those that nobody can judge', () => {
    const window = evening
    expect(touches(['gates'], installation(), { gate: 'West', window }).why).toEqual([
      '! gate "West" is no longer there',
    ])
    expect(touches(['gateHours'], installation(), { gate: 'Visitors', window }).why).toEqual([
      '! gate "Visitors" admits no commercial vehicles',
    ])
    expect(touches(['gates'], installation(), { gate: 'North' }).why).toEqual([
      'its window is not known here: compare it with the hours of the gates',
    ])
    for (const odd of [gate('North', 'when it rains'), { ...gate('North', '24/7'), timezone: 'Mars/Base' }])
      expect(touches(['gates'], installation({ gates: [odd] }), { gate: 'North', window }).why).toEqual([
        'the hours of gate "North" cannot be read here: look at them',
      ])
    expect(touches(['gates'], installation({ gates: [] }), { window }).why).toEqual([
      '! no gate admits commercial vehicles',
    ])
  })

  it('offers another gate that is open then, the next window, or what a later stage still lets change', () => {
    const { commands, labels } = touches(['gates'], installation(), {
      gate: 'North',
      window: evening,
      point: 'mailroom',
    })
    expect(labels).toEqual(['Choose another gate', 'Check again', 'Contact', 'Cancel'])
    expect(commands).toEqual([
      'deliveries update del_1 --set dropoff.installation.gate=South',
      'installations check FTX --set dropoff.installation.gate=North --set dropoff.unit.deliveryPoint=mailroom --set deliverAt=2026-11-18T23:00:00.000Z',
      'deliveries get del_1',
      'deliveries cancel del_1',
    ])
    const alone = installation({ gates: [gate('North', 'Mon-Fri 08:00-16:00')] })
    expect(touches(['gates'], alone, { gate: 'North', window: evening }).commands[0]).toBe(
      'deliveries update del_1 --set timeWindows.dropoff.start=2026-11-19T13:00:00.000Z --set timeWindows.dropoff.end=2026-11-19T15:00:00.000Z',
    )
    const late = { status: 'pickup_complete', gate: 'North', eta: '2026-11-18T12:40:00Z' }
    expect(touches(['gates'], installation(), late).labels).toEqual([
      'Change the instructions',
      'Check again',
      'Contact',
      'Cancel',
    ])
  })
})

describe('A change of the other rules', () => {
  it('touches the orders that lack what they ask for, each by the fields that were changed', () => {
    const closed = installation({ acceptingDeliveries: false, fpconLevel: 'charlie', accessLevel: 'restricted' })
    expect(touches(['acceptingDeliveries'], closed).why).toEqual(['! FTX does not accept deliveries'])
    expect(touches(['fpconLevel'], closed).why).toEqual(['! FPCON charlie holds deliveries'])
    expect(touches(['accessLevel'], closed).why).toEqual(['drivers need a current credential for FTX'])
    expect(touches(['fpconLevel'], installation({ fpconLevel: 'alpha' })).why).toEqual([])
    expect(touches(['fpconLevel'], closed).labels).toEqual(['Check again', 'Wait and watch', 'Contact', 'Cancel'])
    const strict = installation({ supportedDeliveryPoints: ['cq_desk'], prohibitedCargo: ['alcohol'] })
    const order = { package: { contains: ['alcohol', 'perishable_cold_chain'] } }
    const both = touches(['supportedDeliveryPoints', 'prohibitedCargo'], strict, { point: 'mailroom', order })
    expect(both.why).toEqual(['! mailroom is no longer a delivery point', '! alcohol is prohibited'])
    expect(both.commands.slice(0, 2)).toEqual([
      'deliveries update del_1 --set dropoff.unit.deliveryPoint=cq_desk',
      `deliveries update del_1 --set 'package.contains=["perishable_cold_chain"]'`,
    ])
    // A service that names no fields may have changed any.
    expect(touches(undefined, closed).why).toHaveLength(4)
  })

  it('touches the orders whose proof is not permitted any more', () => {
    const strict = installation({ photographyPermitted: false, permittedProofTypes: ['pin_code'] })
    const photo = (check: object) => ({ order: { verification: { dropoff: { photo: check } } } })
    expect(touches(['photographyPermitted'], strict, photo({ level: 'required' }))).toMatchObject({
      why: ['! photo is required, but not permitted'],
      labels: ['Change the proof', 'Check again', 'Contact', 'Cancel'],
    })
    const replaced = photo({ level: 'required', substituteWhenProhibited: 'pinCode' })
    expect(touches(['photographyPermitted'], strict, replaced).why).toEqual(['PIN replaces photo'])
    expect(touches(['photographyPermitted'], strict, photo({ level: 'none' })).why).toEqual([])
    expect(touches(['permittedProofTypes'], strict, photo({ level: 'required' })).why).toEqual([])
    const resolved = { dropoff: { signature: { level: 'required' } }, suppressed: [{ mechanism: 'barcode' }] }
    expect(touches(['permittedProofTypes'], strict, { resolved }).why).toEqual([
      '! signature is required, but not permitted',
      'barcode is not permitted',
    ])
  })

  it('is that of the last change of a field', () => {
    const [first, second] = [
      { atMs: 1, changed: ['gates', 'fpconLevel'] },
      { atMs: 2, changed: ['gates'] },
    ]
    expect(changeThatStands(first, [second])).toEqual({ atMs: 1, changed: ['fpconLevel'] })
    expect(changeThatStands({ atMs: 1 }, [second]).changed).toBeUndefined()
  })

  it('touches nothing that came after it, that has ended or is at the door, or that goes back', () => {
    const closed = installation({ acceptingDeliveries: false })
    const changed = ['acceptingDeliveries']
    expect(touches(changed, closed, { createdAt: '2026-11-18T12:00:01Z' }).why).toEqual([])
    for (const status of ['delivered', 'failed', 'return_in_progress', 'driver_at_dropoff'])
      expect(touches(changed, closed, { status }).why, status).toEqual([])
    expect(touches(changed, closed, { status: 'held' }).why).toHaveLength(1)
  })
})
