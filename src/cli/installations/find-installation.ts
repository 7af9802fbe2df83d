import { stateCodeOf } from '../../contract/index.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'
import { allBases, type Base, sandboxCodes, shortName } from './bases.js'
import { placeKey, placeName, stemOf } from './place-names.js'

/** An installation as the service lists it. */
export interface ListedInstallation {
  code: string
  name?: string | null | undefined
  state?: string | null | undefined
}

/** A place that a text may name; without a code, the service does not list it. */
export interface Place {
  code?: string | undefined
  name: string
  state?: string | undefined
}

/** What a text names. */
export type FoundInstallation =
  | { kind: 'code' }
  /** `isSure` unless its kind or its state is another one than the text says. */
  | { kind: 'one'; place: Place & { code: string }; isSure: boolean }
  | { kind: 'several'; places: readonly Place[] }
  | { kind: 'unlisted'; place: Place }
  | { kind: 'none'; near: readonly string[] }

interface Candidate {
  place: Place
  keys: ReadonlySet<string>
  stems: readonly { stem: string; families: ReadonlySet<string> }[]
  zips: readonly string[]
}

/** Names that another place has too, which is on nobody's list. */
const namesakes: Readonly<Record<string, Place>> = {
  FORTMEADE: { name: 'the old Fort Meade', state: 'SD' },
}

/** Capitals, as codes are written. */
export const looksLikeCode = /^[A-Z0-9][A-Z0-9_-]*$/

const noneListed: readonly ListedInstallation[] = []

/** Whether a text may be a name in place of a code, so that the service's list is worth a look. */
export function mayBeName(text: string): boolean {
  if (sandboxCodes().includes(text)) return false
  if (!looksLikeCode.test(text)) return true
  const known = findInstallation(text, noneListed)
  return known.kind === 'unlisted' || known.kind === 'several'
}

/** The installation that a text names, as people write names: by code, name, former name, short name or ZIP code. */
export function findInstallation(text: string, listed: readonly ListedInstallation[]): FoundInstallation {
  if (listed.some(({ code }) => code === text)) return { kind: 'code' }
  const all = candidatesFrom(listed)
  const key = placeKey(text)
  const exact = all.filter(({ keys }) => keys.has(key))
  if (exact.length > 0) return foundIn(exact, { namesake: namesakes[key] })
  const { rest, state, zip } = placedName(text)
  if (zip !== undefined && rest === '') return foundIn(all.filter(({ zips }) => zips.includes(zip)))
  const named = all.filter(({ keys }) => keys.has(placeKey(rest)))
  const matches = named.length > 0 ? named : stemMatches(all, rest)
  const there = matches.filter(({ place }) => state === undefined || place.state === state)
  if (there.length === 0 && matches.length > 0) return foundIn(matches, { isSure: false })
  if (there.length === 0) return { kind: 'none', near: stemOf(rest).stem === '' ? [] : nearCodes(key, all) }
  const isSure = named.length > 0 || there.every((candidate) => isOfItsKind(candidate, rest))
  return foundIn(there, { isSure, namesake: state === undefined ? namesakes[placeKey(rest)] : undefined })
}

function foundIn(
  candidates: readonly Candidate[],
  { isSure = true, namesake }: { isSure?: boolean; namesake?: Place | undefined } = {},
): FoundInstallation {
  const places = [...candidates.map(({ place }) => place), ...(namesake === undefined ? [] : [namesake])]
  const [first, another] = places
  if (first === undefined) return { kind: 'none', near: [] }
  if (another !== undefined) return { kind: 'several', places }
  const { code } = first
  return code === undefined ? { kind: 'unlisted', place: first } : { kind: 'one', place: { ...first, code }, isSure }
}

/** A name without the state or the ZIP code that stands behind it. */
function placedName(text: string): { rest: string; state?: string; zip?: string } {
  const words = placeName(text).split(' ')
  const zip = /^\d{5}$/.test(words.at(-1) ?? '') ? words.pop() : undefined
  const found = { rest: words.join(' '), ...(zip === undefined ? {} : { zip }) }
  for (const count of [1, 2, 3]) {
    const state = count < words.length ? stateCodeOf(words.slice(-count).join(' ')) : undefined
    if (state !== undefined) return { ...found, rest: words.slice(0, -count).join(' '), state }
  }
  return found
}

function stemMatches(all: readonly Candidate[], text: string): Candidate[] {
  const { stem } = stemOf(text)
  if (stem.length < 2) return []
  const matches = all.filter(({ stems }) => stems.some((one) => one.stem === stem))
  const ofItsKind = matches.filter((candidate) => isOfItsKind(candidate, text))
  return ofItsKind.length > 0 ? ofItsKind : matches
}

/** Whether a base is what the text says: a fort is no camp, and an air base no naval station. */
function isOfItsKind({ stems }: Candidate, text: string): boolean {
  const { stem, families } = stemOf(text)
  if (families.size === 0) return true
  return stems.some((one) => one.stem === stem && [...families].some((family) => one.families.has(family)))
}

function nearCodes(key: string, all: readonly Candidate[]): string[] {
  const codes = new Map<string, string>()
  for (const { place, keys } of all) if (place.code !== undefined) for (const one of keys) codes.set(one, place.code)
  return [...new Set(suggestions(key, [...codes.keys()], 1).flatMap((near) => codes.get(near) ?? []))]
}

/** What was made of a list once, for all rows of a sheet. */
const made = new WeakMap<readonly ListedInstallation[], Candidate[]>()

function candidatesFrom(listed: readonly ListedInstallation[]): Candidate[] {
  const candidates = made.get(listed) ?? madeFrom(listed)
  made.set(listed, candidates)
  return candidates
}

/** The service's installations with all their names, and the bases that it does not list. */
function madeFrom(listed: readonly ListedInstallation[]): Candidate[] {
  const known = listed.map((installation) => ({ installation, base: baseOf(installation, listed) }))
  const taken = new Set(known.flatMap(({ base }) => (base === undefined ? [] : [base])))
  return [
    ...known.map(({ installation: { code, name, state }, base }) =>
      candidate(
        { code, name: name ?? base?.name ?? code, state: state ?? base?.state },
        [code, name ?? '', ...namesOf(base)],
        base,
      ),
    ),
    ...allBases()
      .filter((base) => !taken.has(base) && !listed.some((one) => isNamed(base, one)))
      .map((base) => candidate({ name: shortName(base), state: base.state }, namesOf(base), base)),
  ]
}

function candidate(place: Place, names: readonly string[], base: Base | undefined): Candidate {
  const given = names.filter((name) => name !== '')
  return {
    place,
    keys: new Set(given.map(placeKey)),
    stems: given.map(stemOf).filter(({ stem }) => stem !== ''),
    zips: base?.zips.map(({ zip }) => zip) ?? [],
  }
}

function namesOf(base: Base | undefined): string[] {
  if (base === undefined) return []
  return [base.name, shortName(base), ...base.names, ...(base.code === undefined ? [] : [base.code])]
}

/** The base that an installation of the service is; of several that share a base, only one of its name. */
function baseOf(installation: ListedInstallation, listed: readonly ListedInstallation[]): Base | undefined {
  const bases = allBases().filter((base) => isIn(base, installation))
  const own = bases.find((base) => base.code === installation.code || isCalled(base.name, installation))
  if (own !== undefined) return own
  const base = bases.find((one) => isNamed(one, installation))
  if (base === undefined) return undefined
  return listed.filter((other) => isIn(base, other) && isNamed(base, other)).length > 1 ? undefined : base
}

const isIn = ({ state }: Base, installation: ListedInstallation) =>
  installation.state == null || installation.state === state

const isCalled = (name: string, installation: ListedInstallation) =>
  placeKey(name) === placeKey(installation.name ?? '')

const isNamed = (base: Base, installation: ListedInstallation) =>
  isIn(base, installation) && namesOf(base).some((name) => isCalled(name, installation) || name === installation.code)

/** The installation of the service that a base is. */
export function listedAs(base: Base, listed: readonly ListedInstallation[]): ListedInstallation[] {
  return listed.filter((installation) => installation.code === base.code || isNamed(base, installation))
}

/** `FTBRAGG (Fort Bragg, NC)`; of what the service does not list, name and state. */
export function placeText({ code, name, state }: Place): string {
  const where = state === undefined ? name : `${name}, ${state}`
  return code === undefined ? `${where}, which the service does not list` : `${code} (${where})`
}

function sureOffer(typed: string, { code, name, state }: Place): string {
  if (code === undefined) return `${typed} is ${placeText({ name, state })}.`
  return `Did you mean "${code}"? ${typed} is ${state === undefined ? name : `${name}, ${state}`}.`
}

/** A sentence on what a text that is no code may mean; `undefined` if nobody knows. */
export function offerOf(text: string, found: FoundInstallation): string | undefined {
  const typed = `"${text.slice(0, 80)}"`
  switch (found.kind) {
    case 'code':
      return undefined
    case 'one':
      return found.isSure
        ? sureOffer(typed, found.place)
        : `${typed} is not a code. Did you mean ${placeText(found.place)}?`
    case 'several':
      return `${typed} may be ${found.places.map(placeText).join(' or ')}.`
    case 'unlisted': {
      const { name, state } = found.place
      return `${typed} is ${name}, which the service does not list; dlv installations list --state ${state} shows what it serves.`
    }
    default:
      return didYouMean(found.near)
  }
}
