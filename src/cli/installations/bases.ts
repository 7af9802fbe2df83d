import { packedBases } from './bases.generated.js'
import { placeKey } from './place-names.js'

/** A military base of the United States. No service says so: what is known here only warns and offers. */
export interface Base {
  /** Its code in the sandbox, which a service may share; `undefined` for a base that the sandbox does not have. */
  code: string | undefined
  name: string
  state: string
  /** Its ZIP codes, and whether civilians have addresses there too. */
  zips: readonly { zip: string; isShared: boolean }[]
  /** The names of its own post offices. */
  towns: readonly string[]
  /** Other names, such as those that it had before. */
  names: readonly string[]
}

let read: readonly Base[] | undefined

/** Every base that is known here. */
export function allBases(): readonly Base[] {
  read ??= packedBases.trim().split('\n').map(baseOf)
  return read
}

/** The codes of the sandbox's installations, the invented ones apart. */
export function sandboxCodes(): string[] {
  return allBases().flatMap(({ code }) => (code === undefined ? [] : [code]))
}

function baseOf(line: string): Base {
  const [code = '', name = '', state = '', zips = '', towns = '', names = ''] = line.split('|')
  const listOf = (text: string, separator: string) => (text === '' ? [] : text.split(separator))
  return {
    code: code === '' ? undefined : code,
    name,
    state,
    zips: listOf(zips, ',').map((zip) => ({ zip: zip.slice(0, 5), isShared: zip.endsWith('~') })),
    towns: listOf(towns, ';'),
    names: listOf(names, ';'),
  }
}

/** Bases that an address may be on, and what tells so. */
export interface AddressedBases {
  bases: readonly Base[]
  /** `ZIP 28310`, or the town as it is written. */
  by: string
  /** Whether civilians have addresses there too. */
  isShared: boolean
}

let byZip: Map<string, Base[]> | undefined
let byTown: Map<string, Base[]> | undefined

/**
 * The bases that a place is on: by its ZIP code, or by the name of its town where that is a base's own post office in that
 * state. Fort Lee in New Jersey and some 300 other towns are named after a fort or a camp and are on no base.
 */
export function basesAt({
  postalCode,
  city,
  state,
}: {
  postalCode?: string | undefined
  city?: string | undefined
  state?: string | undefined
}): AddressedBases | undefined {
  byZip ??= grouped((base) => base.zips.map(({ zip }) => zip))
  byTown ??= grouped((base) => base.towns.map((town) => `${placeKey(town)},${base.state}`))
  const zip = postalCode?.slice(0, 5) ?? ''
  const there = byZip.get(zip)
  if (there !== undefined) {
    const isShared = there.some((base) => base.zips.some((row) => row.zip === zip && row.isShared))
    return { bases: there, by: `ZIP ${zip}`, isShared }
  }
  if (city === undefined || state === undefined) return undefined
  const inTown = byTown.get(`${placeKey(city)},${state.toUpperCase()}`)
  return inTown && { bases: inTown, by: `${city.trim().replace(/\s+/g, ' ')}, ${state.toUpperCase()}`, isShared: false }
}

function grouped(keysOf: (base: Base) => readonly string[]): Map<string, Base[]> {
  const groups = new Map<string, Base[]>()
  for (const base of allBases())
    for (const key of new Set(keysOf(base))) groups.set(key, [...(groups.get(key) ?? []), base])
  return groups
}

const shortKinds: readonly (readonly [string, string])[] = [
  ['Air Force Base', 'AFB'],
  ['Space Force Base', 'SFB'],
  ['Air Reserve Base', 'ARB'],
  ['Air National Guard Base', 'ANGB'],
]

/** The name as it is usually written: `Altus AFB`. */
export function shortName({ name }: Pick<Base, 'name'>): string {
  return shortKinds.reduce((text, [long, short]) => text.replace(long, short), name)
}
