import { statesOfZip } from './zip-states.js'
import { doubtfulZips, splitPrefixes, wholePrefixes, zones as zoneNames } from './zip-zones.generated.js'

/** The IANA zones that a stop may keep: one if it is known. */
export interface StopZones {
  /** The first zone of a ZIP code that lies in two is that of its post office. */
  zones: readonly string[]
  /** `two`: the ZIP code, or its place, lies in two zones. `unknown`: nobody knows it, and its area holds several, or none. */
  sure: 'yes' | 'two' | 'unknown'
}

/** The postal code and the state of a stop, as far as they are known. */
export interface ZonedStop {
  postalCode?: string | undefined
  state?: string | undefined
}

/**
 * The zone of a stop's ZIP code: by its first three digits where they hold one zone, by all five where they hold several.
 * Without a ZIP code, and for one that nobody knows, the state tells it if it has one zone.
 */
export function zonesOfStop({ postalCode, state }: ZonedStop): StopZones {
  const zip = /^\d{5}/.exec(postalCode?.trim() ?? '')?.[0]
  const found = zip === undefined ? { zones: [], sure: 'unknown' as const } : zonesOfZip(zip)
  if (found.sure !== 'unknown' || state === undefined) return found
  const ofState = zonesOfState(state.trim().toUpperCase())
  const both = zip === undefined ? ofState : found.zones.filter((zone) => ofState.includes(zone))
  if (both.length === 1) return { zones: both, sure: 'yes' }
  return { zones: both.length > 1 ? both : found.zones, sure: 'unknown' }
}

/** The zone to show a stop's times in, which may be wrong by an hour where it is not sure; `undefined` if nobody knows. */
export function shownZoneOf(stop: ZonedStop): { zone: string | undefined; isSure: boolean } {
  const { zones, sure } = zonesOfStop(stop)
  const mayGuess = sure !== 'unknown' || stop.postalCode === undefined
  return { zone: mayGuess ? zones[0] : undefined, isSure: sure === 'yes' }
}

interface Tables {
  whole: ReadonlyMap<string, string>
  split: ReadonlyMap<string, string>
  /** The zones of each prefix that holds several. */
  splitZones: ReadonlyMap<string, readonly string[]>
}

let tables: Tables | undefined

function zonesOfZip(zip: string): StopZones {
  const { whole, split, splitZones } = unpacked()
  const two = doubtfulZips[zip]
  if (two !== undefined) return { zones: namesOf(two), sure: 'two' }
  const letter = split.get(zip) ?? whole.get(zip.slice(0, 3))
  if (letter !== undefined) return { zones: namesOf(letter), sure: 'yes' }
  return { zones: splitZones.get(zip.slice(0, 3)) ?? [], sure: 'unknown' }
}

function namesOf(letters: string): string[] {
  return [...letters].map((letter) => zoneNames[letter] ?? 'UTC')
}

function unpacked(): Tables {
  tables ??= unpack()
  return tables
}

function unpack(): Tables {
  const whole = new Map<string, string>()
  for (const [letter, runs] of Object.entries(wholePrefixes))
    for (const prefix of numbersIn(runs, 3)) whole.set(prefix, letter)
  const split = new Map<string, string>()
  const splitZones = new Map<string, readonly string[]>()
  for (const [prefix, packed] of Object.entries(splitPrefixes)) {
    const runs = packed.split(' ').map((run) => [run.charAt(0), run.slice(1)] as const)
    for (const [letter, digits] of runs) for (const end of numbersIn(digits, 2)) split.set(`${prefix}${end}`, letter)
    const others = Object.entries(doubtfulZips).flatMap(([zip, letters]) =>
      zip.startsWith(prefix) ? [...letters] : [],
    )
    const letters = new Set([...runs.map(([letter]) => letter), ...others])
    splitZones.set(prefix, namesOf([...letters].join('')))
  }
  return { whole, split, splitZones }
}

/** The numbers of runs such as `005 010-089`, with their leading zeros. */
function numbersIn(runs: string, digits: number): string[] {
  return runs.split(' ').flatMap((run) => {
    const [from = 0, to = from] = run.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => String(from + index).padStart(digits, '0'))
  })
}

const byState = new Map<string, readonly string[]>()

/** The zones of a state by law, the one with most ZIP prefixes first. */
function zonesOfState(state: string): readonly string[] {
  const known = byState.get(state)
  if (known !== undefined) return known
  const { whole, split } = unpacked()
  const counts = new Map<string, number>()
  const count = (zip: string, letter: string, weight: number) => {
    if (statesOfZip(zip).includes(state)) counts.set(letter, (counts.get(letter) ?? 0) + weight)
  }
  for (const [prefix, letter] of whole) count(`${prefix}00`, letter, 100)
  for (const [zip, letter] of split) count(zip, letter, 1)
  const letters = [...counts].sort(([, one], [, other]) => other - one).map(([letter]) => letter)
  const found = namesOf(letters.join(''))
  byState.set(state, found)
  return found
}
