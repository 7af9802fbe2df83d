import { remembering } from '../shared/texts.js'
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

/** The two-letter codes of states, of the District of Columbia, of territories and of military mail, by their names. */
const byName: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,' +
    'DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,' +
    'KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,' +
    'MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,' +
    'NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,PR Puerto Rico,' +
    'RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,' +
    'WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,GU Guam,AS American Samoa,MP Northern Mariana Islands,' +
    'VI Virgin Islands,VI U S Virgin Islands,VI US Virgin Islands,PW Palau,FM Micronesia,MH Marshall Islands'
  )
    .split(',')
    .map((entry) => [entry.slice(3).toUpperCase(), entry.slice(0, 2)]),
)
const codes = new Set([...Object.values(byName), 'AA', 'AE', 'AP'])

/**
 * The code of a state that is written as its code or name, in any case and with or without dots: `NC`, `N.C.`,
 * `North Carolina`. `undefined` for what names none.
 */
export function stateCodeOf(text: string): string | undefined {
  if (codes.has(text)) return text
  const plain = text.toUpperCase().replaceAll('.', ' ').replace(/\s+/g, ' ').trim()
  const letters = plain.replaceAll(' ', '')
  return codes.has(letters) ? letters : byName[plain]
}

/** A pattern of all names of states and of codes with dots, longest first. */
export const stateNamePattern = Object.keys(byName)
  .sort((a, b) => b.length - a.length)
  .map((name) => name.replaceAll(' ', '[ .]+'))
  .join('|')

/** The country that may end a line. The line's white space is single spaces: a run of them would be tried at each. */
const country = String.raw`(?: ?,? ?(?:USA|U\.S\.A\.|U\.S\.|US|United States(?: of America)?))?`
const lineEnd = `${country} ?[.,]?$`
const zip = String.raw`\d{5}(?:(?:-| - |[- ]?(?=\d))\d{4}|-)?`
const state = String.raw`[A-Z]{2}|[A-Z]\. ?[A-Z]\.?|${stateNamePattern}`

/** The end of a line: `NC 28301`, `N.C., 28301`, `North Carolina 28301-5535`, or `00901, Puerto Rico`. */
const ends = [
  new RegExp(`(?<comma>,)? ?(?:(?<=[ ,]))(?<state>${state})[ ,.]*(?<postalCode>${zip})${lineEnd}`, 'i'),
  new RegExp(`(?<comma>,)? ?(?:(?<=[ ,]))(?<postalCode>${zip})[ ,]+(?<state>${state})${lineEnd}`, 'i'),
  new RegExp(`(?<comma>,) ?(?<state>${state})${lineEnd}`, 'i'),
]
const zipAtEnd = new RegExp(String.raw`\b(${zip})${lineEnd}`, 'i')

/** What a city, a state, a ZIP code and a country take at most; patterns look at no more of a long line. */
const longestEnd = 200

const streetWords = new Set(
  'ST STREET AVE AVENUE RD ROAD DR DRIVE LN LANE BLVD BOULEVARD CT COURT CIR CIRCLE PL PLACE TER TERRACE WAY PKWY PARKWAY HWY HIGHWAY PIKE LOOP TRL TRAIL SQ SQUARE PLZ PLAZA ALY ALLEY ROW XING CROSSING PT CV COVE'.split(
    ' ',
  ),
)
const direction = /^(?:[NSEW]|NE|NW|SE|SW)\.?$/i
const unit = /^(?:APT|APARTMENT|UNIT|STE|SUITE|BLDG|BUILDING|RM|ROOM|FL|FLOOR|LOT|TRLR)\.?#?(?<number>\w+)?$/i
const unitNumber = /^#?\w+$/

/**
 * Splits an address into parts: a structured address unchanged but for its state's code, a single line if it ends in a
 * city, a state and a ZIP code as people write them: `…, City, ST 12345[-6789][, USA]`, `… CITY ST 12345`,
 * `…, City, North Carolina 12345`, `…, San Juan, 00901, Puerto Rico`. Returns `undefined` for any other line; a ZIP code
 * by itself is not an address.
 */
export function parseAddress(address: string | StructuredAddress): ParsedAddress | undefined {
  if (typeof address !== 'string') {
    const { line1, city, state, postalCode } = address
    return { line1, city, state: stateCodeOf(state) ?? state.toUpperCase(), postalCode }
  }
  const line = singleSpaced(address)
  const skipped = Math.max(0, line.length - longestEnd)
  for (const pattern of ends) {
    const end = pattern.exec(line.slice(skipped))
    if (end === null) continue
    const { comma, state: written = '', postalCode } = end.groups ?? {}
    const code = stateCodeOf(written) ?? (comma === undefined ? undefined : written.toUpperCase())
    const before = code === undefined ? undefined : streetAndCity(line.slice(0, skipped + end.index))
    if (code === undefined || before === undefined) continue
    // Of `100 Peachtree St NE 30303` the letters are a direction.
    if (before.city === undefined && code === 'NE') continue
    return { ...before, state: code, ...(postalCode === undefined ? {} : { postalCode: zipDigits(postalCode) }) }
  }
  return undefined
}

/** What stands before the state; `undefined` if no street does. */
function streetAndCity(text: string): Pick<ParsedAddress, 'line1' | 'city'> | undefined {
  const before = text.replace(/[ ,]+$/, '')
  const cityAt = before.lastIndexOf(',')
  if (cityAt !== -1) {
    const city = before.slice(cityAt + 1).trim()
    return city === '' ? undefined : { line1: before.slice(0, cityAt), city }
  }
  const words = before.split(' ')
  const city = before.length > longestEnd ? undefined : cityAfterStreet(words)
  if (city !== undefined) return { line1: words.slice(0, -city.length).join(' '), city: city.join(' ') }
  return /\d\S* \S/.test(before) && / \S+ \S/.test(before) ? { line1: before } : undefined
}

/** The words of the city behind the last word of a street's name, a direction and units; `undefined` without them. */
function cityAfterStreet(words: readonly string[]): string[] | undefined {
  for (let at = words.length - 2; at >= 1; at--) {
    const isStreet = streetWords.has((words[at] ?? '').replace(/\.$/, '').toUpperCase())
    if (!isStreet || !words.slice(0, at).some((word) => /\d/.test(word))) continue
    for (const end of endsOfUnits(words, at + 1)) {
      const city = words.slice(end)
      if (city.length > 0 && !city.some((word) => /\d/.test(word))) return city
    }
  }
  return undefined
}

/** Where direction and units behind a street may end, the furthest first. */
function endsOfUnits(words: readonly string[], from: number): number[] {
  const found = [from]
  let at = from
  if (direction.test(words[at] ?? '')) found.push(++at)
  for (;;) {
    const word = words[at] ?? ''
    const match = unit.exec(word)
    if (match?.groups?.number !== undefined || /^#\w+$/.test(word)) at++
    else if ((match !== null || word === '#') && unitNumber.test(words[at + 1] ?? '')) at += 2
    else if (match !== null && words[at + 1] === '#' && unitNumber.test(words[at + 2] ?? '')) at += 3
    else return found.reverse()
    found.push(at)
  }
}

/** Five digits, or nine with what stands between them as it is written. */
function zipDigits(text: string): string {
  return text.replace(/-$/, '').replace(/ ?-? ?(?=\d{4}$)/, (between) => (between === '' ? '' : '-'))
}

/** A kind of address that no driver can go to. */
type UndeliverableDestination = 'military' | 'po_box' | 'diplomatic_pouch' | 'general_delivery'

/** Why no driver can go there: military mail, a PO box, a diplomatic pouch or general delivery. */
export function undeliverableDestination(address: string | StructuredAddress): UndeliverableDestination | undefined {
  if (isMilitaryMail(address)) return 'military'
  const line = plain(typeof address === 'string' ? (parseAddress(address)?.line1 ?? address) : address.line1)
  const zip = postalCodeOf(address)
  if (isPostOfficeBox(line) && !hasStreetBesideBox(line)) return 'po_box'
  if (zip?.startsWith('20521')) return 'diplomatic_pouch'
  return /^GENERAL DELIVERY\b/.test(line) ? 'general_delivery' : undefined
}

/** A box with its number or letters: `PO Box 7`, `POB K2`, `P.O. Drawer 5`, `Apartado 123`. */
const postOfficeBox =
  /\b(?:P\.? ?O\.? ?B(?:OX)?|P\.? ?O\.? ?DRAWER|POST OFFICE (?:BOX|DRAWER)|(?:APARTADO|APDO\.?)(?: POSTAL)?(?= ?#? ?\d))(?:(?=[,;])|$| ?# ?| (?=[A-Z]{0,2}-?\d|(?<letter>[A-Z])\k<letter>?\b(?! ?[A-Z]{3}))|(?<=BOX)(?=\d)|(?<=\bPOB)(?=\d))(?:[A-Z]{0,2}-?\d[\w-]*|[A-Z]{1,2}\b)?/gi

/** Whether a line names a PO box, in any of its usual spellings. `PO Box Plus` is a shop. */
export function isPostOfficeBox(line: string): boolean {
  return singleSpaced(line).search(postOfficeBox) !== -1
}

/** Whether a line names a PO box and a street, so that a driver can go to the street. */
export function hasStreetBesideBox(line: string): boolean {
  const text = singleSpaced(line)
  const rest = text.replace(postOfficeBox, ' ')
  return rest !== text && /(?:^|[ ,;])\d+[A-Z]?(?:-\d+)? +(?:\d+(?:ST|ND|RD|TH)\b|[A-Z]{2,}|[NSEW]\b)/i.test(rest)
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
  if (!/^(?:PSC|CMR|UNIT|OPS?C|USS) \S.*\bBOX \S/.test(line)) return false
  return /\b(?:APO|FPO|DPO)\b|[ ,](?:AA|AE|AP)$/.test(line)
}

/** ZIP prefixes 090-099 (Europe), 340 (Americas) and 962-966 (Pacific). Hawaii and Guam, 967-969, are domestic. */
export function isMilitaryZip(postalCode: string): boolean {
  const prefix = Number(postalCode.slice(0, 3))
  return (prefix >= 90 && prefix <= 99) || prefix === 340 || (prefix >= 962 && prefix <= 966)
}

/** The ZIP code of an address: its `postalCode` field, or the 5 or 9 digits of a single line's end. */
export function postalCodeOf(address: string | StructuredAddress): string | undefined {
  if (typeof address !== 'string') return address.postalCode
  const digits = parseAddress(address)?.postalCode ?? zipAtEnd.exec(singleSpaced(address))?.[1]
  return digits === undefined ? undefined : zipDigits(digits)
}

/** A line of single spaces; the lines of several are separated by commas. */
function singleSpaced(text: string): string {
  if (!/[^\S ]|;|^ | $| {2}/.test(text)) return text
  return text
    .trim()
    .replace(/[^\S\r\n\u2028\u2029]+/g, ' ')
    .replace(/ ?[,;]? ?[\r\n\u2028\u2029;][ \r\n\u2028\u2029;]*/g, ', ')
}

/** Several checks ask for the same line of an address, and many addresses have the same city. */
const plain = remembering((text) => singleSpaced(text.toUpperCase().replaceAll('.', '')))
