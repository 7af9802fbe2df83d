import { type Delivery, extra, type FieldError } from '../contract/index.js'
import { canonicalJson } from '../shared/canonical-json.js'
import { isRecord } from '../shared/json.js'
import { JsonNumber } from '../shared/json-number.js'

type Fields = Readonly<Record<string, unknown>>

/** A field's value in the order, and in the delivery now or when it was ordered. */
interface Pair {
  here: unknown
  there: unknown
}

/**
 * Lists where a delivery differs from an order with the same reference; empty if they match as far as can be told. A
 * field that the service does not return is compared only if `sent` has it.
 *
 * @param sent the fields beside pickup and dropoff of the order that became this delivery, if they are kept here
 * @returns one entry a field, `message` as `500 here, 300 there`
 */
export function orderDifferences(order: unknown, delivery: Delivery, sent?: Fields): FieldError[] {
  const asked: Fields = isRecord(order) ? order : {}
  const pickup = pairOf(asked, delivery, 'pickup')
  const dropoff = pairOf(asked, delivery, 'dropoff')
  const pricing = isRecord(delivery.pricing) ? delivery.pricing : {}
  return [
    ...leaf('pickup.storeReference', pairOf(pickup.here, pickup.there, 'storeReference'), sameText),
    ...addressDifferences(pairOf(dropoff.here, dropoff.there, 'address')),
    ...leaf('dropoff.contactName', pairOf(dropoff.here, dropoff.there, 'contactName'), sameText),
    ...leaf('dropoff.contactPhone', pairOf(dropoff.here, dropoff.there, 'contactPhone'), sameDigits),
    ...['instructions', 'installation', 'unit'].flatMap((name) => {
      const pair = pairOf(dropoff.here, dropoff.there, name)
      const [ordered, kept] = [asked.dropoffParts, sent?.dropoffParts]
      // What the service does not give back is not known, unless it was sent from here.
      if (pair.there !== undefined || !isRecord(kept)) return whole(`dropoff.${name}`, pair, false)
      return whole(`dropoff.${name}`, isNothing(kept[name]) ? pair : pairOf(ordered, kept, name), true)
    }),
    ...tip({ here: asked.tipAmountCents, there: pricing.tipAmountCents ?? sent?.tipAmountCents }),
    ...(sent === undefined ? shownBlocks(asked, extra(delivery)) : orderedBlocks(asked, sent)),
  ]
}

/** Blocks of an order that the contract does not give back, as far as this service does. */
function shownBlocks(asked: Fields, delivery: Fields): FieldError[] {
  return [
    ...timeWindows(pairOf(asked, delivery, 'timeWindows')),
    ...whole('package', pairOf(asked, delivery, 'package'), false),
    ...verification(asked, delivery),
    ...['handling', 'dispatch', 'metadata'].flatMap((name) => asGiven(name, pairOf(asked, delivery, name))),
  ]
}

/** The same blocks beside those of the order that became the delivery: nothing was added, and nothing is missing. */
function orderedBlocks(asked: Fields, sent: Fields): FieldError[] {
  const names = ['timeWindows', 'package', 'verification', 'handling', 'dispatch', 'metadata']
  return names.flatMap((name) => whole(name, pairOf(asked, sent, name), true))
}

function pairOf(here: unknown, there: unknown, name: string): Pair {
  return { here: isRecord(here) ? here[name] : undefined, there: isRecord(there) ? there[name] : undefined }
}

/** A field that every order has: without it on one side there is nothing to compare. */
function leaf(field: string, { here, there }: Pair, agree: (here: unknown, there: unknown) => boolean): FieldError[] {
  return isNothing(here) || isNothing(there) || agree(here, there) ? [] : [difference(field, here, there)]
}

/** Of two structured addresses the parts that differ, unless one has a part that the other lacks. */
function addressDifferences(pair: Pair): FieldError[] {
  const { here, there } = pair
  const all = leaf('dropoff.address', pair, addressesAgree)
  if (all.length === 0 || !isRecord(here) || !isRecord(there)) return all
  const parts = Object.keys(here).flatMap((name) =>
    leaf(`dropoff.address.${name}`, pairOf(here, there, name), addressesAgree),
  )
  return parts.length === 0 ? all : parts
}

/**
 * A field or block of which nothing may be added nor left out.
 *
 * @param isShown whether what is around it is given back, so that its absence means that it is not there
 */
function whole(field: string, { here, there }: Pair, isShown: boolean): FieldError[] {
  if (isRecord(here) || isRecord(there)) {
    const names = new Set([...Object.keys(isRecord(here) ? here : {}), ...Object.keys(isRecord(there) ? there : {})])
    return [...names].flatMap((name) => whole(`${field}.${name}`, pairOf(here, there, name), isShown))
  }
  if ((there === undefined && !isShown) || sameValue(here, there)) return []
  return [difference(field, here, there)]
}

/** A block to which a service may add what it chose itself: only what the order asks for is compared. */
function asGiven(field: string, { here, there }: Pair): FieldError[] {
  if (isNothing(here) || isNothing(there)) return []
  if (isRecord(here) && isRecord(there))
    return Object.keys(here).flatMap((name) => asGiven(`${field}.${name}`, pairOf(here, there, name)))
  return sameValue(here, there) ? [] : [difference(field, here, there)]
}

/** Windows that the service chose for an order without one say nothing. */
function timeWindows({ here, there }: Pair): FieldError[] {
  const isScheduled = (windows: unknown) => isRecord(windows) && windows.deliveryMode === 'scheduled'
  if (isRecord(there) && isScheduled(there) !== isScheduled(here))
    return [
      difference(
        'timeWindows.deliveryMode',
        isRecord(here) ? here.deliveryMode : undefined,
        isRecord(there) ? there.deliveryMode : undefined,
      ),
    ]
  return asGiven('timeWindows', { here, there })
}

function tip({ here, there }: Pair): FieldError[] {
  if (there === undefined) return []
  return (here ?? 0) === (there ?? 0) ? [] : [difference('tipAmountCents', here, there)]
}

/**
 * The delivery may enforce more than the order asked: cargo and destination add and suppress checks, which the delivery
 * lists in `derived` and `suppressed`.
 */
function verification(asked: Fields, shown: Fields): FieldError[] {
  const field = 'verification.dropoff'
  const here = pairOf(asked.verification, undefined, 'dropoff').here
  if (isRecord(shown.verification)) return whole('verification', pairOf(asked, shown, 'verification'), true)
  const resolved = shown.resolvedVerification
  if (!isRecord(resolved) || !isRecord(resolved.dropoff)) return []
  const derived = mechanismsOf(resolved.derived, 'mechanism')
  const suppressed = mechanismsOf(resolved.suppressed, 'mechanism')
  const substitutes = mechanismsOf(resolved.suppressed, 'substitutedBy')
  const enforced: Fields = resolved.dropoff
  const names = new Set([...Object.keys(isRecord(here) ? here : {}), ...Object.keys(enforced)])
  return [...names].flatMap((name) => {
    const pair = pairOf(here, enforced, name)
    if (derived.has(name) || suppressed.has(name) || (isNothing(pair.here) && substitutes.has(name))) return []
    if (levelOf(pair.here) === 'none' && levelOf(pair.there) === 'none') return []
    return isNothing(pair.here) || isNothing(pair.there)
      ? [difference(`${field}.${name}`, pair.here, pair.there)]
      : asGiven(`${field}.${name}`, pair)
  })
}

function mechanismsOf(list: unknown, member: string): Set<unknown> {
  return new Set(Array.isArray(list) ? list.map((entry) => (isRecord(entry) ? entry[member] : undefined)) : [])
}

function levelOf(check: unknown): unknown {
  return isRecord(check) ? check.level : 'none'
}

/** Whether the service may return this value for a field that was left out. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isNothing)
}

function sameValue(here: unknown, there: unknown): boolean {
  if (isNothing(here) || isNothing(there)) return isNothing(here) && isNothing(there)
  if (typeof here === 'string' && typeof there === 'string') return sameText(here, there) || sameInstant(here, there)
  return (isNumber(here) && isNumber(there) && sameNumber(here, there)) || canonicalJson(here) === canonicalJson(there)
}

function isNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/** A service may write 1.10 as 1.1; of a whole number each digit counts. */
function sameNumber(here: number | JsonNumber, there: number | JsonNumber): boolean {
  const isWhole = [here, there].every((value) => /^-?\d+$/.test(String(value)))
  return !isWhole && here.valueOf() === there.valueOf()
}

/** A service may trim a text and fold its spaces. */
function sameText(here: unknown, there: unknown): boolean {
  const plain = (text: unknown) => String(text).trim().replace(/\s+/g, ' ').toLowerCase()
  return plain(here) === plain(there)
}

function sameDigits(here: unknown, there: unknown): boolean {
  const digits = (text: unknown) => String(text).replace(/\D/g, '')
  return digits(here) === digits(there)
}

function sameInstant(here: string, there: string): boolean {
  const isTime = /^\d{4}-\d{2}-\d{2}T/
  return isTime.test(here) && isTime.test(there) && Date.parse(here) === Date.parse(there)
}

function difference(field: string, here: unknown, there: unknown): FieldError {
  return { field, code: 'DIFFERS', message: `${shownValue(here)} here, ${shownValue(there)} there` }
}

const longestValue = 200

function shownValue(value: unknown): string {
  if (isNothing(value)) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text
}

/** Parts of a structured address that a service may fill in for an address given as one line. */
const filledIn = ['city', 'state', 'postalCode', 'country'] as const
const countryWords = new Set(['us', 'usa'])

/**
 * Whether two addresses, each one line or structured, are the same place. A service may change case and punctuation and
 * fill in city, state, ZIP and country; a house number, an apartment or anything else on one side only makes them two.
 */
function addressesAgree(asked: unknown, shown: unknown): boolean {
  const here = counted(wordsOf(asked))
  const there = counted(wordsOf(shown))
  const mayBeAdded = counted(isRecord(shown) ? filledIn.flatMap((part) => wordsIn(shown[part])) : [])
  const count = (words: ReadonlyMap<string, number>, word: string) => words.get(word) ?? 0
  return [...new Set([...here.keys(), ...there.keys()])].every((word) => {
    const surplus = count(there, word) - count(here, word)
    return surplus >= 0 && surplus <= count(mayBeAdded, word)
  })
}

function wordsOf(address: unknown): string[] {
  return isRecord(address) ? Object.values(address).flatMap(wordsIn) : wordsIn(address)
}

/** Words of letters and digits; of a ZIP the five digits that both of its forms have, of the country nothing. */
function wordsIn(text: unknown): string[] {
  if (typeof text !== 'string') return []
  const words = text.toLowerCase().match(/\b\d{5}-?\d{4}\b|[\p{L}\p{N}]+/gu) ?? []
  return words
    .filter((word) => !countryWords.has(word))
    .map((word) => (/^\d{5}-?\d{4}$/.test(word) ? word.slice(0, 5) : word))
}

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
