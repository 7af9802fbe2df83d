import type { StructuredAddress } from './stops.js'

/**
 * Reads US addresses closely enough to recognize those that no driver can reach. The service decides what it delivers
 * to: a client only warns about what it finds here, while the sandbox enforces it.
 */

/** The parts of an address; a part that a single line does not contain is absent. */
interface ParsedAddress {
  /** Street and house number. */
  line1: string
  /** Absent if the line does not name it. */
  city?: string
  /** Two capital letters. */
  state?: string
  /** Five digits, or nine. */
  postalCode?: string
}

/** The country that may end a line. The line's white space is single spaces: a run of them would be tried at each. */
const lineEnd = String.raw`(?: ?,? ?(?:USA|U\.S\.A\.|US|United States(?: of America)?))? ?\.?$`
const stateAndZip = new RegExp(
  String.raw`, ?(?<state>[A-Z]{2})(?:[ ,]+(?<postalCode>\d{5}(?:-?\d{4})?))?${lineEnd}`,
  'i',
)
const zipAtEnd = new RegExp(String.raw`\b(\d{5}(?:-?\d{4})?)${lineEnd}`, 'i')

/**
 * Splits an address into parts: a structured address unchanged, a single line if it ends in
 * `…, City, ST 12345[-6789][, USA]`. Returns `undefined` for any other line; a ZIP code by itself is not an address.
 */
export function parseAddress(address: string | StructuredAddress): ParsedAddress | undefined {
  if (typeof address !== 'string') {
    const { line1, city, state, postalCode } = address
    return { line1, city, state: state.toUpperCase(), postalCode }
  }
  const line = singleSpaced(address)
  const end = stateAndZip.exec(line)
  const before = line.slice(0, end?.index)
  const cityAt = before.lastIndexOf(',')
  const city = before.slice(cityAt + 1).trim()
  if (end === null || cityAt === -1 || city === '') return undefined
  const { state = '', postalCode } = end.groups ?? {}
  return {
    line1: before.slice(0, cityAt),
    city,
    state: state.toUpperCase(),
    ...(postalCode === undefined ? {} : { postalCode }),
  }
}

/** A kind of address that no driver can go to. */
type UndeliverableDestination = 'military' | 'po_box' | 'diplomatic_pouch' | 'general_delivery'

/** Why no driver can go there: military mail, a PO box, a diplomatic pouch or general delivery. */
export function undeliverableDestination(address: string | StructuredAddress): UndeliverableDestination | undefined {
  if (isMilitaryMail(address)) return 'military'
  const line = plain(typeof address === 'string' ? address : address.line1)
  const zip = postalCodeOf(address)
  if (isPostOfficeBox(line)) return 'po_box'
  if (zip?.startsWith('20521')) return 'diplomatic_pouch'
  return /^GENERAL DELIVERY\b/.test(line) ? 'general_delivery' : undefined
}

/** Whether a line names a PO box, in any of its usual spellings. */
export function isPostOfficeBox(line: string): boolean {
  return /\bP\.?\s*O\.?\s*BOX\b|\bPOST OFFICE BOX\b/i.test(line)
}

const militaryCities = new Set(['APO', 'FPO', 'DPO'])
const militaryStates = new Set(['AA', 'AE', 'AP'])

/**
 * Whether an address is an APO, FPO or DPO address, judged by its city, state, ZIP prefix or the wording of a single
 * line. A street named Apo does not count; a military ZIP code with a civilian state does.
 */
export function isMilitaryMail(address: string | StructuredAddress): boolean {
  const zip = postalCodeOf(address)
  if (zip !== undefined && isMilitaryZip(zip)) return true
  if (typeof address !== 'string')
    return militaryCities.has(plain(address.city)) || militaryStates.has(plain(address.state))
  const line = plain(address)
  if (/\b(?:APO|FPO|DPO)\b[\s,]+(?:AA|AE|AP)\b/.test(line)) return true
  const parsed = parseAddress(address)
  if (militaryCities.has(plain(parsed?.city ?? '')) || militaryStates.has(parsed?.state ?? '')) return true
  return /^(?:PSC|CMR|UNIT|OPS?C|USS) \S.*\bBOX \S/.test(line) && /\b(?:APO|FPO|DPO|AA|AE|AP)\b/.test(line)
}

/** ZIP prefixes 090-099 (Europe), 340 (Americas) and 962-966 (Pacific). Hawaii and Guam, 967-969, are domestic. */
export function isMilitaryZip(postalCode: string): boolean {
  const prefix = Number(postalCode.slice(0, 3))
  return (prefix >= 90 && prefix <= 99) || prefix === 340 || (prefix >= 962 && prefix <= 966)
}

/** The ZIP code of an address: its `postalCode` field, or the 5 or 9 digits that end a single line. */
export function postalCodeOf(address: string | StructuredAddress): string | undefined {
  if (typeof address !== 'string') return address.postalCode
  return zipAtEnd.exec(singleSpaced(address))?.[1]
}

function singleSpaced(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function plain(text: string): string {
  return singleSpaced(text.toUpperCase().replaceAll('.', ''))
}
