import { maxJsonDepth } from './json.js'
import { JsonNumber } from './json-number.js'

/** A longer word has this many stars. */
const mostStars = 12

/** `Sam Example` as `S** E******`: as many stars as letters, so that two people stay apart in a list. */
export function maskName(name: string): string {
  return name.replace(/(?<=\S)\S+/gu, (rest) => '*'.repeat(Math.min([...rest].length, mostStars)))
}

/** `+19105550199` as `+1*******199`: the country and the end, by which a support agent recognises it. */
export function maskPhone(phone: string): string {
  const digits = [...phone]
  if (digits.length <= 5) return '*'.repeat(digits.length)
  return digits.map((digit, index) => (index < 2 || index >= digits.length - 3 ? digit : '*')).join('')
}

/** Members that hold a person's name, number or words, and how each is shown. */
const identifying: Masking['maskers'] = {
  contactName: maskName,
  contactPhone: maskPhone,
  phoneNumber: maskPhone,
  phone: maskPhone,
  name: maskName,
  signerName: maskName,
  recipientName: maskName,
  driverName: maskName,
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
    postalCode: (code) => code.slice(0, 5) + maskWords(code.slice(5)),
    reasonNotes: maskWords,
    metadata: maskWords,
    email: maskWords,
    trackingUrl: maskLink,
    url: maskLink,
  },
  isComplete: true,
}
const namesAndPhones: Masking = { maskers: identifying, isComplete: false }
/** Objects whose `name` is not a person's. */
const placeMembers: ReadonlySet<string> = new Set(['installation', 'installations', 'gates', 'team', 'teams'])
/** The members of a person's position. */
const positionMembers: ReadonlySet<string> = new Set(['latitude', 'longitude'])

/**
 * A copy of an event, or of any part of one, that is fit to be shown or exported: names, phones, street addresses,
 * instructions, notes, metadata, positions and private links are masked; ids, statuses, times, cities and prices stay. The
 * original is unchanged. Properties that no contract knows are kept unless their name is one of these; what lies deeper than 200
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

/** Which members are masked, and whether positions are rounded and metadata is masked whole. */
interface Masking {
  maskers: Readonly<Record<string, (text: string) => string>>
  isComplete: boolean
}

const plainProperty = { writable: true, enumerable: true, configurable: true }

function maskMember(value: unknown, masking: Masking, member: string, isPlace: boolean, depth: number): unknown {
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) {
    if (depth >= maxJsonDepth) return '[nested too deep]'
    if (Array.isArray(value)) return value.map((element) => maskMember(element, masking, member, isPlace, depth + 1))
    const inside = isPlace || placeMembers.has(member)
    const whole = masking.isComplete && member === 'metadata' ? member : undefined
    // Every event of a listener comes through here: a loop takes a third of the time of entries that are mapped.
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const masked = maskMember((value as Record<string, unknown>)[name], masking, whole ?? name, inside, depth + 1)
      if (name === '__proto__') Object.defineProperty(copy, name, { ...plainProperty, value: masked })
      else copy[name] = masked
    }
    return copy
  }
  const { maskers, isComplete } = masking
  if (isComplete && typeof value === 'number' && positionMembers.has(member)) return Math.round(value)
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

/** Texts of a value that `maskPersonalData` masks, each with what it shows instead; the longest first. */
export function personalTexts(value: unknown): (readonly [text: string, masked: string])[] {
  return maskedTexts(value, maskPersonalData(value)).sort(([one], [other]) => other.length - one.length)
}

function maskedTexts(value: unknown, masked: unknown): (readonly [string, string])[] {
  if (typeof value === 'string') return typeof masked === 'string' && masked !== value ? [[value, masked]] : []
  if (typeof value !== 'object' || value === null || typeof masked !== 'object' || masked === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    maskedTexts(member, (masked as Record<string, unknown>)[name]),
  )
}
