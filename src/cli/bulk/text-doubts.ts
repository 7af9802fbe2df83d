import { type FieldError, parseAddress } from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
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
  const phone = valueAt(order, 'dropoff.contactPhone')
  if (typeof phone === 'string' && /^\+1(\d)\1{9}$/.test(phone))
    doubt('dropoff.contactPhone', `"${phone}" is hardly a phone; a driver cannot call it`)
  return doubts
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
