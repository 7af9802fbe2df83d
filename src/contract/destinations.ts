import type { StructuredAddress } from './stops.js'

/**
 * Reading US addresses far enough to know where they lead. The service is the authority on what it delivers to: a
 * client warns on what it finds here, the sandbox decides by it.
 */

/** An address in parts; what a single line does not name is absent. */
export interface ParsedAddress {
  line1: string
  city?: string
  state?: string
  postalCode?: string
}

const singleLine =
  /^(?<line1>.*?),\s*(?<city>[^,]*?[^,\s])\s*,\s*(?<state>[A-Za-z]{2})(?:[\s,]+(?<postalCode>\d{5}(?:-?\d{4})?))?(?:\s*,?\s*(?:USA|U\.S\.A\.|US|United States(?: of America)?))?\s*\.?$/i

/**
 * The parts of an address: a structured one as it stands, a single line by its tail `…, City, ST 12345[-6789][, USA]`.
 * `undefined` for a line whose tail does not read so; a ZIP alone is no address.
 */
export function parseAddress(address: string | StructuredAddress): ParsedAddress | undefined {
  if (typeof address !== 'string') {
    const { line1, city, state, postalCode } = address
    return { line1, city, state: state.toUpperCase(), postalCode }
  }
  const parts = singleLine.exec(address.trim().replace(/\s+/g, ' '))?.groups
  if (parts === undefined) return undefined
  const { line1 = '', city, state, postalCode } = parts
  return {
    line1,
    ...(city === undefined ? {} : { city }),
    ...(state === undefined ? {} : { state: state.toUpperCase() }),
    ...(postalCode === undefined ? {} : { postalCode }),
  }
}

export type UndeliverableDestination = 'military' | 'po_box' | 'diplomatic_pouch' | 'general_delivery'

/** Why no driver can go there: military mail, a post office box, the diplomatic pouch, general delivery. */
export function undeliverableDestination(address: string | StructuredAddress): UndeliverableDestination | undefined {
  if (isMilitaryMail(address)) return 'military'
  const line = plain(typeof address === 'string' ? address : address.line1)
  const zip = postalCodeOf(address)
  if (isPostOfficeBox(line)) return 'po_box'
  if (zip?.startsWith('20521')) return 'diplomatic_pouch'
  return /^GENERAL DELIVERY\b/.test(line) ? 'general_delivery' : undefined
}

/** A box at a post office, in the spellings that people use. */
export function isPostOfficeBox(line: string): boolean {
  return /\bP\.?\s*O\.?\s*BOX\b|\bPOST OFFICE BOX\b/i.test(line)
}

const militaryCities = new Set(['APO', 'FPO', 'DPO'])
const militaryStates = new Set(['AA', 'AE', 'AP'])

/**
 * An APO, FPO or DPO address: by city, by state, by ZIP prefix, or by the wording of a single line. A street that is
 * called Apo is none, and a military ZIP beside a civilian state is one.
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
  return /^(?:PSC|CMR|UNIT|OPS?C|USS)\s+\S+.*\bBOX\s+\S+/.test(line) && /\b(?:APO|FPO|DPO|AA|AE|AP)\b/.test(line)
}

/** ZIP prefixes 090-099 (Europe), 340 (Americas) and 962-966 (Pacific). Guam and Hawaii, 967-969, are domestic. */
export function isMilitaryZip(postalCode: string): boolean {
  const prefix = Number(postalCode.slice(0, 3))
  return (prefix >= 90 && prefix <= 99) || prefix === 340 || (prefix >= 962 && prefix <= 966)
}

/** The ZIP of an address: its field, or the last five digits (or nine) of a line. */
export function postalCodeOf(address: string | StructuredAddress): string | undefined {
  if (typeof address !== 'string') return address.postalCode
  return /\b(\d{5}(?:-?\d{4})?)(?:\s*,?\s*(?:USA|U\.S\.A\.|US|UNITED STATES(?: OF AMERICA)?))?\s*\.?$/i.exec(
    address.trim(),
  )?.[1]
}

function plain(text: string): string {
  return text.trim().toUpperCase().replaceAll('.', '').replace(/\s+/g, ' ')
}
