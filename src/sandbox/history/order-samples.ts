import type { DeliveryCreate } from '../../contract/index.js'
import { statesOfZip } from '../../trade/zip-states.js'
import { locateZip, type Point, zipsNear } from '../core/geo/geography.js'
import { roadKm } from '../core/geo/places.js'
import type { Store } from '../core/geo/stores.js'
import { maximumDistanceKm } from '../core/pricing.js'
import type { InstallationRow } from '../model.js'

/** Draws from a seeded sequence: everything of a sample depends only on it. */
export interface Dice {
  /** In [0, 1). */
  fraction(): number
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function diceOf(random: () => number): Dice {
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  return {
    fraction: random,
    whole,
    pick(items) {
      const item = items[whole(0, items.length - 1)]
      if (item === undefined) throw new Error('There is nothing to choose from.')
      return item
    },
  }
}

const firstNames = [
  'Avery',
  'Jordan',
  'Sam',
  'Riley',
  'Casey',
  'Devon',
  'Morgan',
  'Taylor',
  'Dana',
  'Alex',
  'Jamie',
  'Quinn',
  'Rowan',
  'Skyler',
  'Harper',
  'Emerson',
]
const lastNames = [
  'Cole',
  'Diaz',
  'Okafor',
  'Chen',
  'Novak',
  'Ali',
  'Whitfield',
  'Brooks',
  'Santos',
  'Kim',
  'Reyes',
  'Larsen',
  'Patel',
  'Moreau',
  'Hughes',
  'Tanaka',
]
const streets = [
  'Main Street',
  'Oak Avenue',
  'Cedar Lane',
  'Ramsey Street',
  'Lakeview Drive',
  'Mill Road',
  'Park Avenue',
  'Sunset Boulevard',
  'Church Street',
  'Hillcrest Road',
]
const instructions = [
  'Leave with the front desk.',
  'Ring the bell twice.',
  'Gate code 4471.',
  'Call on arrival.',
  'Side entrance, second floor.',
  'The dog is friendly.',
]
const parcels: readonly [description: string, contains: string[] | undefined][] = [
  ['Groceries', undefined],
  ['Groceries, chilled', ['perishable_cold_chain']],
  ['Pharmacy order', undefined],
  ['Wine and cheese', ['alcohol']],
  ['Lunch for six', undefined],
  ['Spare parts', undefined],
  ['Office supplies', undefined],
]

/** Deliveries go this far from their store. */
const radiusKm = 14

/** The destinations of a store's orders: postal codes and installations within reach. */
interface Reach {
  zips: readonly string[]
  installations: readonly InstallationRow[]
}

export function reachOf(store: Store, installations: readonly InstallationRow[]): Reach {
  const near = zipsNear(store, radiusKm).filter((zip) => statesOfZip(zip).includes(store.state))
  return {
    zips: near.length === 0 ? [store.postalCode] : near,
    installations: installations.filter(
      (installation) =>
        installation.acceptingDeliveries &&
        installation.state === store.state &&
        roadKm(store, placeOf(installation)) <= maximumDistanceKm,
    ),
  }
}

/**
 * The destination of orders to an installation: the centre of its ZIP code, or the installation if the code is unknown.
 */
function placeOf(installation: InstallationRow): Point {
  const located = locateZip(installation.postalCode)
  return located === undefined || located.approximate ? installation : located
}

/** An order as a merchant would send it: addresses, packages, tips and checks in the proportions of ordinary days. */
export function sampleOrder(clientOrderReference: string, store: Store, reach: Reach, dice: Dice): DeliveryCreate {
  const [description, contains] = dice.pick(parcels)
  const itemsCount = dice.whole(1, 9)
  const wantsSignature = dice.fraction() < 0.15
  const wantsReturn = dice.fraction() < 0.6
  const tipped = dice.fraction() < 0.45
  const tipAmountCents = dice.whole(2, 16) * 50
  const installation = dropoffAt(reach, dice)
  const address = {
    line1: `${dice.whole(100, 2_999)} ${dice.pick(streets)}`,
    city: installation?.city ?? store.city,
    state: store.state,
    postalCode: installation?.postalCode ?? dice.pick(reach.zips),
  }
  const contactName = `${dice.pick(firstNames)} ${dice.pick(lastNames)}`
  const note = dice.fraction() < 0.3 ? { instructions: dice.pick(instructions) } : {}
  const weightGrams = dice.whole(4, 90) * 100
  const valueCents = dice.whole(15, 180) * 100
  return {
    clientOrderReference,
    pickup: { storeReference: store.storeReference },
    dropoff: {
      address,
      contactName,
      // Kept free for fiction, and without a meaning of its own here.
      contactPhone: `+1910555010${dice.whole(0, 9)}`,
      ...note,
      ...(installation === undefined
        ? {}
        : {
            installation: { code: installation.code },
            unit: { buildingNumber: String(dice.whole(100, 9_999)), deliveryPoint: 'gate_handoff' as const },
          }),
    },
    package: {
      description,
      itemsCount,
      weightGrams,
      valueCents,
      ...(contains === undefined || installation !== undefined ? {} : { contains }),
    },
    verification: {
      dropoff: wantsSignature
        ? { signature: { level: 'required', collectSignerName: true } }
        : { photo: { level: 'preferred', substituteWhenProhibited: 'signature' } },
    },
    ...(wantsReturn ? { handling: { undeliverableAction: 'return_to_pickup' as const } } : {}),
    ...(tipped ? { tipAmountCents } : {}),
    metadata: { sandbox_pace: 'real' },
  }
}

function dropoffAt(reach: Reach, dice: Dice): InstallationRow | undefined {
  const isOnInstallation = dice.fraction() < 0.15
  return isOnInstallation && reach.installations.length > 0 ? dice.pick(reach.installations) : undefined
}
