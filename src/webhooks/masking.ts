import { maxJsonDepth } from '../shared/json.js'
import { maskName, maskPhone } from '../shared/mask.js'

/** Members that hold a person's name, number or words, and how each is shown. */
const identifying: Masking['maskers'] = {
  contactName: maskName,
  contactPhone: maskPhone,
  phoneNumber: maskPhone,
  name: maskName,
}
const everything: Masking = {
  maskers: {
    ...identifying,
    line1: maskWords,
    line2: maskWords,
    address: maskWords,
    instructions: maskWords,
    buildingNumber: maskWords,
    room: maskWords,
    unitDesignation: maskWords,
    trackingUrl: maskLink,
    url: maskLink,
  },
  roundsPositions: true,
}
const namesAndPhones: Masking = { maskers: identifying, roundsPositions: false }
/** Objects whose `name` is not a person's. */
const placeMembers: ReadonlySet<string> = new Set(['installation', 'gates', 'team', 'teams'])
/** The members of a person's position. */
const positionMembers: ReadonlySet<string> = new Set(['latitude', 'longitude'])

/**
 * A copy of an event, or of any part of one, that is fit to be shown or exported: names, phones, street addresses,
 * instructions, positions and private links are masked; ids, statuses, times, cities and prices stay. The original is
 * unchanged. Properties that no contract knows are kept unless their name is one of these; what lies deeper than 200
 * levels is cut off.
 */
export function maskPersonalData<Value>(value: Value): Value {
  return maskMember(value, everything, '', false, 0) as Value
}

/**
 * A copy with only names and phone numbers masked, for a screen on this machine, where an address and a position are
 * what somebody looks for.
 */
export function maskNamesAndPhones<Value>(value: Value): Value {
  return maskMember(value, namesAndPhones, '', false, 0) as Value
}

/** Which members are masked, and whether positions are rounded. */
interface Masking {
  maskers: Readonly<Record<string, (text: string) => string>>
  roundsPositions: boolean
}

const plainProperty = { writable: true, enumerable: true, configurable: true }

function maskMember(value: unknown, masking: Masking, member: string, isPlace: boolean, depth: number): unknown {
  if (typeof value === 'object' && value !== null) {
    if (depth >= maxJsonDepth) return '[nested too deep]'
    if (Array.isArray(value)) return value.map((element) => maskMember(element, masking, member, isPlace, depth + 1))
    const inside = isPlace || placeMembers.has(member)
    // Every event of a listener comes through here: a loop takes a third of the time of entries that are mapped.
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const masked = maskMember((value as Record<string, unknown>)[name], masking, name, inside, depth + 1)
      if (name === '__proto__') Object.defineProperty(copy, name, { ...plainProperty, value: masked })
      else copy[name] = masked
    }
    return copy
  }
  const { maskers, roundsPositions } = masking
  if (roundsPositions && typeof value === 'number' && positionMembers.has(member)) return Math.round(value)
  if (typeof value !== 'string' || (member === 'name' && isPlace) || !Object.hasOwn(maskers, member)) return value
  return maskers[member]?.(value) ?? value
}

function maskWords(text: string): string {
  return text.replace(/[\p{L}\p{N}]/gu, '*')
}

/** The link is a key to the page behind it: its origin stays. */
function maskLink(link: string): string {
  return URL.canParse(link) ? `${new URL(link).origin}/***` : '***'
}
