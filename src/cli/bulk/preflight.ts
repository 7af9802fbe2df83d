import type { z } from 'zod'
import {
  codePointLength,
  DeliveryCreate,
  extendedPhone,
  type FieldError,
  hasStreetBesideBox,
  isE164,
  isPostOfficeBox,
  limits,
  parseAddress,
  phoneFault,
  phoneOf,
  postalCodeOf,
  requestFieldPaths,
  undeliverableDestination,
  unknownRequestFields,
} from '../../contract/index.js'
import { magicWords } from '../../contract/internal.js'
import { valueAt } from '../../render/view.js'
import { isRecord, recordAt, timeAt } from '../../shared/json.js'
import { isMadeDate, referenceFault, roundedReference, type SheetFault, sheetFault } from '../../shared/sheet-faults.js'
import { endSaidBy, endSaidByName } from '../../shared/sheet-states.js'
import { suggestions } from '../../shared/word-match.js'
import { fixedFields, tipAboveMaximum, windowWithoutMode } from '../../trade/updates.js'
import { statesOfZip } from '../../trade/zip-states.js'
import type { ListedInstallation } from '../installations/find-installation.js'
import { addressOf, unnamedInstallation } from '../installations/order-names.js'
import { citylessWarning, letterZipRefusal, standInRefusals, textDoubts } from './text-doubts.js'

/** The purpose of a body, and the limits of its sender. */
export interface OrderRules {
  purpose: 'order' | 'update'
  /** The highest tip; $100 if it is not given. */
  maxTipCents?: number | undefined
}

/** Rules that compare windows with the time; without it the service decides which are over. */
export type PreflightRules = OrderRules & { nowMs: number | undefined }

/** The parts of an order, or of the changes of an update, that would be refused, by rules that need no service. */
export function orderRefusals(given: unknown, rules: PreflightRules): FieldError[] {
  const order = isRecord(given) ? given : {}
  const dropoff = recordAt(order, 'dropoff')
  return [
    ...certainRefusals(order, rules),
    ...phoneRefusal(dropoff.contactPhone),
    ...referenceRefusal(order.clientOrderReference),
    ...destinationRefusal(dropoff.address),
    ...windowRefusals(recordAt(order, 'timeWindows'), rules.nowMs),
    ...(rules.purpose === 'update' ? emptyRefusals(order) : []),
  ]
}

/** The parts of a body that the service would certainly reject, or that its sender certainly does not mean. */
export function certainRefusals(body: unknown, { purpose, maxTipCents }: OrderRules): FieldError[] {
  const tip = tipAboveMaximum(body, maxTipCents)
  return [
    ...sheetRefusals(body),
    ...lengthRefusal(recordAt(body, 'dropoff').instructions),
    ...zipRefusal(recordAt(body, 'dropoff').address),
    ...letterZipRefusal(recordAt(body, 'dropoff').address),
    ...standInRefusals(body),
    ...(tip === undefined ? [] : [{ ...tip, message: `${tip.message}; --max-tip allows more` }]),
    ...(purpose === 'order' ? modeRefusal(body) : fixedRefusals(body)),
  ]
}

/**
 * Suspicious parts of an order, or of a row with another schema, that the service accepts.
 *
 * @param listed the installations of the service, if they are known
 */
export function orderWarnings(
  order: unknown,
  schema: z.ZodType = DeliveryCreate,
  listed?: readonly ListedInstallation[],
): FieldError[] {
  return [
    ...madeDateWarnings(order),
    ...installationWarning(order, listed),
    ...boxWarning(order),
    ...stateWarning(order),
    ...endedTexts(order),
    ...textDoubts(order),
    ...fallbackWarning(order),
    ...unknownFields(order, schema),
  ]
}

/** Texts that a sheet or a program wrote for a value that it did not have; `metadata` may hold anything. */
function sheetRefusals(body: unknown): FieldError[] {
  if (!isRecord(body)) return []
  const refusals: FieldError[] = []
  const { clientOrderReference: reference } = body
  const fault = typeof reference === 'string' ? referenceFault(reference) : undefined
  if (fault !== undefined) refusals.push(refusedText('clientOrderReference', String(reference), fault))
  addFaults(body, '', refusals)
  return refusals
}

function addFaults(value: object, path: string, refusals: FieldError[]): void {
  for (const name of Object.keys(value)) {
    if (path === '' && name === 'metadata') continue
    const member: unknown = value[name as keyof typeof value]
    if (typeof member === 'string') {
      const fault = sheetFault(member)
      if (fault !== undefined) refusals.push(refusedText(path + name, member, fault))
    } else if (typeof member === 'object' && member !== null) addFaults(member, `${path}${name}.`, refusals)
  }
}

function refusedText(field: string, text: string, { message }: SheetFault): FieldError {
  return { field, code: 'INVALID_VALUE', message: `"${text.slice(0, 80)}" ${message}` }
}

/** Places in a building that sheets make dates of: room 3-4 becomes `4-Mar`. */
const placesInBuildings = ['dropoff.unit.buildingNumber', 'dropoff.unit.room', 'dropoff.address.line2']
const madeOfSheets = [...placesInBuildings, 'clientOrderReference']

function madeDateWarnings(order: unknown): FieldError[] {
  return madeOfSheets.flatMap((field) => {
    const value = valueAt(order, field)
    if (typeof value !== 'string' || !isMadeDate(value)) return []
    // Digits alone are the reference of many an order.
    if (field === 'clientOrderReference' && !/[a-z]/i.test(value)) return []
    const message = `"${value.slice(0, 80)}" may be a date that a spreadsheet has made of it; format the column as text`
    return [{ field, code: 'DOUBTFUL', message }]
  })
}

/** The changes of an update that may take an age check away. */
export function ageCheckWarnings(patch: unknown): FieldError[] {
  const contains = valueAt(patch, 'package.contains')
  const level = valueAt(patch, 'verification.dropoff.identity.level')
  const minimumAge = valueAt(patch, 'verification.dropoff.identity.minimumAge')
  const code = 'AGE_CHECK'
  const warnings: FieldError[] = []
  if (contains === null || (Array.isArray(contains) && !contains.includes('alcohol')))
    warnings.push({
      field: 'package.contains',
      code,
      message: 'the whole list is replaced; if alcohol was in it, its age check goes too',
    })
  if (level !== undefined && level !== 'required')
    warnings.push({
      field: 'verification.dropoff.identity.level',
      code,
      message: `an identity check that was required becomes ${level ?? 'none'}`,
    })
  if (minimumAge === null || (typeof minimumAge === 'number' && minimumAge < 21))
    warnings.push({
      field: 'verification.dropoff.identity.minimumAge',
      code,
      message: `a higher minimum age becomes ${minimumAge ?? 'none'}`,
    })
  return warnings
}

function lengthRefusal(instructions: unknown): FieldError[] {
  const length = typeof instructions === 'string' ? codePointLength(instructions) : 0
  if (length <= limits.instructionsMaxLength) return []
  const message = `has ${length} characters; ${limits.instructionsMaxLength} is the most`
  return [{ field: 'dropoff.instructions', code: 'TOO_LONG', message }]
}

function modeRefusal(body: unknown): FieldError[] {
  const missing = windowWithoutMode(body)
  if (missing === undefined) return []
  return [{ ...missing, message: `${missing.message}; --set ${missing.field}=scheduled keeps the window` }]
}

function fixedRefusals(body: unknown): FieldError[] {
  return fixedFields
    .filter((field) => valueAt(body, field) !== undefined)
    .map((field) => ({ field, code: 'NOT_UPDATABLE', message: 'cannot be updated' }))
}

function phoneRefusal(phone: unknown): FieldError[] {
  if (typeof phone !== 'string' || isE164(phone)) return []
  const extended = extendedPhone(phone)
  if (extended !== undefined) {
    const number = extended.phone === undefined ? 'the number' : extended.phone
    const remedy = `give ${number} here, and "ext. ${extended.extension}" in dropoff.instructions`
    return [
      { field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message: `"${phone}" has an extension: ${remedy}` },
    ]
  }
  if (roundedReference(phone) !== undefined) {
    const message = `"${phone}" is a rounded number: the sheet has lost its digits; format the column as text or as a whole number, and save the sheet again`
    return [{ field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message }]
  }
  const fault = phoneFault(phone)
  const flag = phoneOf(phone) === undefined ? '' : '; --us-phones reads it'
  const message = `"${phone.slice(0, 80)}" ${fault ?? `is not E.164, such as +12025550123${flag}`}`
  return [{ field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message }]
}

function referenceRefusal(reference: unknown): FieldError[] {
  if (typeof reference !== 'string' || codePointLength(reference) <= limits.clientOrderReferenceMaxLength) return []
  const message = `has more than ${limits.clientOrderReferenceMaxLength} characters: it cannot be looked up`
  return [{ field: 'clientOrderReference', code: 'TOO_LONG', message }]
}

/** A ZIP code whose zeros a spreadsheet has dropped. */
export function zipRefusal(address: unknown): FieldError[] {
  const isText = typeof address === 'string'
  const [, state, zip] = isText
    ? (/[\s,]([A-Za-z]{2})[\s,]+(\d{3,4}|\d{3,4}-\d{4}|\d{8})\s*(?:,\s*USA?\s*)?$/.exec(address) ?? [])
    : [undefined, valueAt(address, 'state'), valueAt(address, 'postalCode')]
  if (typeof zip !== 'string' || !/^(?:\d{3,4}(?:-\d{4})?|\d{8})$/.test(zip)) return []
  const whole =
    zip.length === 8 ? `0${zip.slice(0, 4)}-${zip.slice(4)}` : zip.replace(/^\d+/, (digits) => digits.padStart(5, '0'))
  const states = statesOfZip(whole.slice(0, 5))
  const isThere = typeof state === 'string' && states.includes(state.trim().toUpperCase())
  // Another state's ZIP code is no proposal.
  const proposal = typeof state === 'string' && states.length > 0 && !isThere ? '' : `: ${whole}?`
  const where = isThere ? ` ${whole} is in ${states.join(' or ')}.` : ''
  const message = `the ZIP code "${zip}" has too few digits; a spreadsheet has dropped the zero${proposal}${where}`
  return [{ field: isText ? 'dropoff.address' : 'dropoff.address.postalCode', code: 'INVALID_FORMAT', message }]
}

const destinations = {
  military: 'is military mail (APO, FPO, DPO), which no driver delivers to',
  po_box: 'is a post office box, which no driver delivers to',
  diplomatic_pouch: 'is the diplomatic pouch, which no driver delivers to',
  general_delivery: 'is general delivery, which no driver delivers to',
} as const

function destinationRefusal(given: unknown): FieldError[] {
  const address = addressOf(given)
  const undeliverable = address === undefined ? undefined : undeliverableDestination(address)
  if (undeliverable === undefined) return []
  return [{ field: 'dropoff.address', code: 'UNSUPPORTED_DESTINATION', message: destinations[undeliverable] }]
}

function windowRefusals(
  { deliveryMode, pickup, dropoff }: Readonly<Record<string, unknown>>,
  nowMs = Number.NEGATIVE_INFINITY,
): FieldError[] {
  const code = 'INVALID_TIME_CONSTRAINT'
  if (pickup === undefined && dropoff === undefined)
    return deliveryMode === 'scheduled'
      ? [{ field: 'timeWindows', code, message: 'is scheduled without a window' }]
      : []
  return Object.entries({ pickup, dropoff }).flatMap(([stop, window]): FieldError[] => {
    const field = `timeWindows.${stop}`
    const { start = Number.NaN, end = Number.NaN } = { start: timeAt(window, 'start'), end: timeAt(window, 'end') }
    if (end <= start) return [{ field, code, message: 'ends before it starts' }]
    return end < nowMs ? [{ field, code, message: 'is in the past' }] : []
  })
}

function installationWarning(order: unknown, listed: readonly ListedInstallation[] | undefined): FieldError[] {
  const unnamed = unnamedInstallation(order, listed)
  return unnamed === undefined
    ? []
    : [{ field: 'dropoff.installation.code', code: 'MISSING', message: unnamed.message }]
}

/** A box beside a street: the driver goes to the street, and the box may be all that the recipient reads. */
function boxWarning(order: unknown): FieldError[] {
  const address = addressOf(valueAt(order, 'dropoff.address'))
  if (address === undefined) return []
  const line = typeof address === 'string' ? (parseAddress(address)?.line1 ?? '') : address.line1
  if (!isPostOfficeBox(line) || !hasStreetBesideBox(line)) return []
  const message = 'names a post office box beside a street; the driver goes to the street'
  return [{ field: 'dropoff.address', code: 'PO_BOX', message }]
}

/** An address in one line without a ZIP code, or whose state is not that of the ZIP code: one of them is wrong. */
function stateWarning(order: unknown): FieldError[] {
  const text = valueAt(order, 'dropoff.address')
  if (zipRefusal(text).length > 0 || letterZipRefusal(text).length > 0) return []
  if (typeof text === 'string' && text !== '' && postalCodeOf(text) === undefined) {
    const message = `"${text.slice(0, 80)}" does not end with a state and a ZIP code, such as NC 28301; it may not be found`
    return [{ field: 'dropoff.address', code: 'DOUBTFUL', message }]
  }
  const given = addressOf(text)
  const unstated = typeof given === 'string' ? [...citylessWarning(given), ...statelessWarning(given)].slice(0, 1) : []
  if (unstated.length > 0) return unstated
  const { state, postalCode } = (typeof given === 'string' ? parseAddress(given) : given) ?? {}
  // The sandbox's own codes lie in no state.
  const isPlace = typeof postalCode === 'string' && postalCode < magicWords.firstMagicZip
  const states = isPlace ? statesOfZip(postalCode) : []
  if (typeof state !== 'string' || !/^[A-Za-z]{2}$/.test(state.trim()) || states.length === 0) return []
  if (states.includes(state.trim().toUpperCase())) return []
  const message = `the ZIP code ${String(postalCode)} is in ${states.join(' or ')}, not in ${state}`
  return [{ field: 'dropoff.address', code: 'DOUBTFUL', message }]
}

/** A note, a name or a street that says that there is nothing to deliver. */
function endedTexts(order: unknown): FieldError[] {
  const address = valueAt(order, 'dropoff.address')
  const street = typeof address === 'string' ? address.split(/[,;\n]/)[0] : valueAt(address, 'line1')
  const texts = [
    { field: 'dropoff.instructions', text: valueAt(order, 'dropoff.instructions'), read: endSaidBy },
    { field: 'dropoff.contactName', text: valueAt(order, 'dropoff.contactName'), read: endSaidByName },
    { field: 'dropoff.address', text: street, read: endSaidByName },
  ]
  return texts.flatMap(({ field, text, read }): FieldError[] => {
    const end = typeof text === 'string' ? read(text) : undefined
    if (end === undefined) return []
    const message = `"${String(text).slice(0, 80)}" says that the order ${end}; a driver is sent all the same`
    return [{ field, code: 'DOUBTFUL', message }]
  })
}

/** A line with a ZIP code and no state before it, which its ZIP code tells. */
function statelessWarning(line: string): FieldError[] {
  const zip = parseAddress(line)?.state === undefined ? postalCodeOf(line) : undefined
  if (zip === undefined || undeliverableDestination(line) !== undefined) return []
  const states = statesOfZip(zip.slice(0, 5))
  const expected = states.length === 0 ? '' : `: expected …, ${states.map((state) => `${state} ${zip}`).join(' or ')}`
  const message = `"${line.slice(0, 80)}" has no state before its ZIP code${expected}; it may not be found`
  return [{ field: 'dropoff.address', code: 'DOUBTFUL', message }]
}

/** Windows of a new order that lack one end: the contract has both, and does not say what one alone means. */
export function halfWindowWarnings(order: unknown): FieldError[] {
  return ['pickup', 'dropoff'].flatMap((stop): FieldError[] => {
    const window = `timeWindows.${stop}`
    const [hasStart, hasEnd] = [`${window}.start`, `${window}.end`].map((path) => valueAt(order, path) != null)
    if (hasStart === hasEnd) return []
    const [given, missing] = hasStart ? ['a start', 'end'] : ['an end', 'start']
    const message = `the window has only ${given} and may be refused; map a column to this ${missing}, or say how long windows are: "windowLength": "1h" in --map-file`
    return [{ field: `${window}.${missing}`, code: 'MISSING', message }]
  })
}

function fallbackWarning(order: unknown): FieldError[] {
  if (valueAt(order, 'handling.undeliverableAction') !== 'fallback_handoff') return []
  if (valueAt(order, 'handling.fallbackHandoff') !== undefined) return []
  return [
    {
      field: 'handling.fallbackHandoff',
      code: 'MISSING',
      message: 'is recommended with fallback_handoff, such as visitor_center',
    },
  ]
}

/** The fields of an update, if it has no known one: it would change nothing. */
function emptyRefusals(patch: unknown): FieldError[] {
  const unknown = new Set(unknownRequestFields(DeliveryCreate, patch))
  const isEmpty = (value: unknown, path: string): boolean =>
    isRecord(value) &&
    Object.entries(value).every(([name, member]) => unknown.has(path + name) || isEmpty(member, `${path}${name}.`))
  return unknown.size > 0 && isEmpty(patch, '') ? unknownFields(patch) : []
}

/** The number of unknown fields that are named. */
const namedFields = 5

/** A misspelt field is sent as it is, and a service that ignores it delivers without it. */
export function unknownFields(body: unknown, schema: z.ZodType = DeliveryCreate, noun = 'an order'): FieldError[] {
  const unknown = unknownRequestFields(schema, body)
  const known = unknown.length === 0 ? [] : requestFieldPaths(schema)
  return unknown.slice(0, namedFields).map((path) => {
    const near = nearField(path, known)
    const meant = near === undefined ? '' : `; did you mean ${near === path ? 'an object in an object' : `"${near}"`}?`
    return { field: path.slice(0, 80), code: 'UNKNOWN_FIELD', message: `is not a field of ${noun}${meant}` }
  })
}

/** The field beside it whose name is most similar. */
function nearField(path: string, known: readonly string[]): string | undefined {
  const parent = path.slice(0, path.lastIndexOf('.') + 1)
  const names = known.flatMap((field) => (field.startsWith(parent) ? [field.slice(parent.length)] : []))
  const [near] = suggestions(path.slice(parent.length), names, 1)
  return near === undefined ? undefined : parent + near
}
