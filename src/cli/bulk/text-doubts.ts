import { type FieldError, parseAddress, stateCodeOf } from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { toldTime } from '../../shared/sheet-columns.js'
import { standsForValue } from '../../shared/sheet-faults.js'

/** Names and streets that say that there is none, or that it is that of the row above. */
export function standInRefusals(body: unknown): FieldError[] {
  const name = valueAt(body, 'dropoff.contactName')
  const street = streetOf(valueAt(body, 'dropoff.address'))
  return [...standInRefusal('dropoff.contactName', name), ...standInRefusal('dropoff.address', street)]
}

function standInRefusal(field: string, text: unknown): FieldError[] {
  if (typeof text !== 'string' || !standsForValue(text)) return []
  const message = `"${text.slice(0, 80)}" stands for a value that is missing or in another row; enter it in this one`
  return [{ field, code: 'INVALID_VALUE', message }]
}

/** A ZIP code with a letter for a digit: `283O1`. */
export function letterZipRefusal(address: unknown): FieldError[] {
  const isText = typeof address === 'string'
  const zip = isText ? /[\s,]([\dOoIl]{5})\s*(?:,\s*USA?\s*)?$/.exec(address)?.[1] : valueAt(address, 'postalCode')
  if (typeof zip !== 'string' || !/^(?=(?:.*\d){3})[\dOoIl]{5}$/.test(zip) || /^\d+$/.test(zip)) return []
  const meant = zip.replace(/[Oo]/g, '0').replace(/[Il]/g, '1')
  const message = `the ZIP code "${zip}" has a letter in the place of a digit: ${meant}?`
  return [{ field: isText ? 'dropoff.address' : 'dropoff.address.postalCode', code: 'INVALID_FORMAT', message }]
}

/** What text may hold that was read in a wrong encoding, or taken from a page of HTML. */
const spoilt = /\u00c3[\u0080-\u00bf\u0192\u201e\u2020\u2021\u02c6\u2030]|\u00e2\u20ac|\ufffd|\p{L}\?\p{L}/u
const markup = /&(?:amp|quot|apos|nbsp|lt|gt|#\d{1,6}|#x[\da-f]{1,6});|<\/?(?:b|i|p|br|div|span|a)\b[^>]*>/i
const unitAtEnd = /(?:[\s,]|^)(?:apt|apartment|suite|ste|unit|room|rm)\.?\s*#?\s*\d+\s*[a-z]?$|\s#\s?\d+[a-z]?$/i
const coordinates = /^-?\d{1,3}\.\d{3,}\s*[,\s]\s*-?\d{1,3}\.\d{3,}/

/** Names, streets and phones that a person would look at twice. */
export function textDoubts(order: unknown): FieldError[] {
  const doubts: FieldError[] = []
  const doubt = (field: string, message: string) => doubts.push({ field, code: 'DOUBTFUL', message })
  const name = valueAt(order, 'dropoff.contactName')
  const address = valueAt(order, 'dropoff.address')
  const street = streetOf(address)
  for (const [field, text] of [
    ['dropoff.contactName', name],
    ['dropoff.address', typeof address === 'string' ? address : street],
    ['dropoff.instructions', valueAt(order, 'dropoff.instructions')],
  ] as const) {
    if (typeof text !== 'string' || !/[\u00c3\u00e2\ufffd?&<]/.test(text)) continue
    const shown = `"${text.slice(0, 80)}"`
    if (spoilt.test(text)) doubt(field, `${shown} has lost letters; save the sheet as UTF-8, or name its --encoding`)
    else if (markup.test(text)) doubt(field, `${shown} holds marks of HTML, which a driver reads as they are`)
  }
  if (typeof name === 'string' && unitAtEnd.test(name))
    doubt('dropoff.contactName', `"${name.slice(0, 80)}" ends with a unit, which belongs to the address`)
  if (street !== undefined && coordinates.test(street))
    doubt('dropoff.address', `"${street.slice(0, 80)}" is a place in degrees, not a street; it may not be found`)
  else if (street !== undefined && isWithoutNumber(street, order))
    doubt('dropoff.address', `"${street.slice(0, 80)}" has no house number; it may not be found`)
  const instructions = valueAt(order, 'dropoff.instructions')
  const told = typeof instructions === 'string' && isForNow(order) ? toldTime(instructions) : undefined
  if (told !== undefined)
    doubt('dropoff.instructions', `says "${told.slice(0, 60)}", and without a window the order goes out now`)
  const store = valueAt(order, 'pickup.storeReference')
  if (typeof store === 'string' && /\S\s+\S/.test(store)) {
    const name = store.trim().slice(0, 80)
    const remedy = `"stores": {"${name}": "STORE-001"} in --map-file gives it one`
    doubt('pickup.storeReference', `"${name}" looks like a store's name, not its reference; ${remedy}`)
  }
  const phone = valueAt(order, 'dropoff.contactPhone')
  if (typeof phone === 'string' && /^\+1(\d)\1{9}$/.test(phone))
    doubt('dropoff.contactPhone', `"${phone}" is hardly a phone; a driver cannot call it`)
  return doubts
}

/** Whether nothing says when an order is wanted, not even that it is for now. */
function isForNow(order: unknown): boolean {
  const windows = ['deliveryMode', 'pickup', 'dropoff'].map((name) => valueAt(order, `timeWindows.${name}`))
  return windows.every((window) => window === undefined || window === null)
}

const lastOfStreet =
  /(?:^|\s)(?:st|street|ave?|avenue|rd|road|dr|drive|ln|lane|blvd|boulevard|ct|court|way|cir|circle|pl|place|ter|terrace|pkwy|parkway|hwy|highway|trl|trail|sq|square|loop|alley|broadway)\.?(?:\s(?:[nsew]|[ns][ew]))?$/i
/** A part of an address that is a unit; a bare number is one too. */
const unitPart =
  /^(?:(?:apt|apartment|unit|suite|ste|room|rm|floor|fl|bldg|building|lot|trlr|trailer|space|spc|#)\.?\s*#?\s*[\w-]*|#?\d+[a-z]?|[a-z]|[a-z]?-?\d+-?[a-z]?|\d+-\w+|\d+(?:st|nd|rd|th) fl(?:oor)?|basement|front desk)$/i
const unitBehind =
  /\s(?:(?:apt|apartment|unit|suite|ste|room|rm|floor|fl|bldg|building|lot|trlr)\b\.?\s*#?\s*[\w-]+|#\s*[\w-]+)$/i

/** A line whose street, or its units, stand right before its state or its ZIP code: it has no city. */
export function citylessWarning(line: string): FieldError[] {
  const end = /[\s,]+\d{5}(?:-\d{4})?\W*(?:US|USA|United States)?\W*$/i.exec(line)
  if (end === null) return []
  let text = line.slice(0, end.index).replace(/[\s,]+$/, '')
  for (const words of [3, 2, 1]) {
    const parts = new RegExp(`[\\s,]+((?:[A-Za-z.]+ ){${words - 1}}[A-Za-z.]+)$`).exec(text)
    if (parts?.[1] === undefined || stateCodeOf(parts[1]) === undefined) continue
    // These are cities too.
    if (/^(?:new york|washington)$/i.test(parts[1])) return []
    text = text.slice(0, parts.index).replace(/[\s,]+$/, '')
    break
  }
  // The city may end like a street: Kennett Square.
  if (!/[,;\n]/.test(text) && parseAddress(line)?.city !== undefined) return []
  const parts = text.split(/\s*[,;\n]\s*/).filter((part) => part !== '' && !unitPart.test(part))
  const last = (parts.at(-1) ?? '').replace(unitBehind, '').replace(unitBehind, '')
  const isStreet = /^\d/.test(last)
    ? lastOfStreet.test(last) || last.split(/\s+/).length <= 2
    : /\s(?:st|street|rd|road|ave|avenue|blvd|dr|drive|ln)\.?$/i.test(last)
  if (!isStreet) return []
  const message = `"${line.slice(0, 80)}" has no city behind its street; a driver may be sent to another one, or it may not be found`
  return [{ field: 'dropoff.address', code: 'DOUBTFUL', message }]
}

/** Places of a base and crossings have none. */
function isWithoutNumber(street: string, order: unknown): boolean {
  if (street === '' || /\d|&|\b(?:and|at|one|two|three|base|fort|camp|gate|hall|pob?)\b/i.test(street)) return false
  return valueAt(order, 'dropoff.installation.code') == null && valueAt(order, 'dropoff.unit.buildingNumber') == null
}

/** The first line of an address. */
function streetOf(address: unknown): string | undefined {
  if (typeof address === 'string') return parseAddress(address)?.line1 ?? address.split(',')[0]?.trim()
  const line = valueAt(address, 'line1')
  return typeof line === 'string' ? line : undefined
}
