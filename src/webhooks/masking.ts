import { maxJsonDepth } from '../shared/json.js'

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
/** Where `name` is no person's. */
const placeMembers: ReadonlySet<string> = new Set(['installation', 'gates', 'team', 'teams'])
/** Where a position is a person's. */
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

/** `Sam Example` → `S** E******`: as many stars as letters, so that two people stay apart in a list. */
function maskName(name: string): string {
  if (!isAscii(name))
    return name.replace(/(\S)(\S+)/gu, (_, first: string, rest: string) => first + '*'.repeat([...rest].length))
  let masked = ''
  let isInside = false
  for (let at = 0; at < name.length; at++) {
    masked += isInside && !isSpace(name.charCodeAt(at)) ? '*' : name[at]
    isInside = !isSpace(name.charCodeAt(at))
  }
  return masked
}

/** `+19105550199` → `+1*******199`: country and the end, by which a support agent recognises it. */
function maskPhone(phone: string): string {
  if (isAscii(phone))
    return phone.length <= 5 ? phone : phone.slice(0, 2) + '*'.repeat(phone.length - 5) + phone.slice(-3)
  const digits = [...phone]
  return digits.map((digit, index) => (index < 2 || index >= digits.length - 3 ? digit : '*')).join('')
}

function maskWords(text: string): string {
  if (!isAscii(text)) return text.replace(/[\p{L}\p{N}]/gu, '*')
  let masked = ''
  for (let at = 0; at < text.length; at++) masked += isLetterOrDigit(text.charCodeAt(at)) ? '*' : text[at]
  return masked
}

/** Most text of an event; telling its letters by their numbers takes a tenth of the time of Unicode's classes. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
}

function isLetterOrDigit(unit: number): boolean {
  const letter = unit | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
}

/** The link is a key to the page behind it: its origin stays. */
function maskLink(link: string): string {
  return URL.canParse(link) ? `${new URL(link).origin}/***` : '***'
}
