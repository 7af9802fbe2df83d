import { type CellReading, longNumber, notANumber } from './sheet.js'

/** How a number of a cell is shown, as far as it says what the number means. */
export type NumberFormat =
  | { kind: 'number' }
  /** Zeros that pad it, with the letters around and between them: `00000`, `00000-0000`. */
  | { kind: 'mask'; mask: readonly string[]; digits: number }
  | { kind: 'money'; sign: string }
  /** A number that OpenDocument shows as true or false. */
  | { kind: 'truth' }
  | { kind: 'time'; hasDay: boolean; hasTime: boolean }

const plainNumber: NumberFormat = { kind: 'number' }
const day: NumberFormat = { kind: 'time', hasDay: true, hasTime: false }
const time: NumberFormat = { kind: 'time', hasDay: false, hasTime: true }
const dollars: NumberFormat = { kind: 'money', sign: '$' }

/** The format of an id that a workbook does not define itself. */
export function builtInFormat(id: number): NumberFormat {
  if (id === 22) return { kind: 'time', hasDay: true, hasTime: true }
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return day
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return time
  return (id >= 5 && id <= 8) || id === 42 || id === 44 ? dollars : plainNumber
}

const known = new Map<string, NumberFormat>()

/** The format that a code such as `yyyy-mm-dd` or `00000` says. */
export function formatOf(code: string): NumberFormat {
  let format = known.get(code)
  if (format === undefined) {
    format = readCode(code)
    if (known.size < 2_000) known.set(code, format)
  }
  return format
}

function readCode(code: string): NumberFormat {
  if (/^(?:general|standard)/i.test(code)) return plainNumber
  const section = firstSection(code)
  // Without quoted texts, escaped letters, and brackets that are not of elapsed time.
  const bare = section
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?![hms]+\])[^\]]*\]/gi, '')
    .replace(/am\/pm|a\/p/gi, '')
  if (/[ymdhs]/i.test(bare) && !/[#?]/.test(bare)) return timeFormat(bare)
  const mask = maskOf(section.replace(/\[[^\]]*\]/g, ''))
  const sign = moneySign(section) ?? (mask === undefined ? currencyWord(shownText(section)) : undefined)
  if (sign !== undefined) return { kind: 'money', sign }
  return mask ?? plainNumber
}

function firstSection(code: string): string {
  return /^(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\[])*/.exec(code)?.[0] ?? code
}

function timeFormat(bare: string): NumberFormat {
  const hasClock = /[hs]/i.test(bare)
  return {
    kind: 'time',
    hasDay: /[yd]/i.test(bare) || (!hasClock && /m/i.test(bare) && !/\[m/i.test(bare)),
    hasTime: hasClock || /\[m/i.test(bare),
  }
}

function moneySign(section: string): string | undefined {
  const currency = /\[\$([^\]-]+)(?:-[^\]]*)?\]/.exec(section)?.[1]?.trim()
  return currency === undefined ? signOfMoney(shownText(section)) : unlessDollars(currency)
}

/** The sign of money in what a format shows, with the letters that make another currency of it: `$`, `CA$`, `R$`, `₹`. */
export function signOfMoney(shown: string): string | undefined {
  const sign = /(?:(?<!\p{L})\p{L}{1,3}\s?)?\p{Sc}/u.exec(shown)?.[0]
  return sign === undefined ? undefined : unlessDollars(sign)
}

const unlessDollars = (sign: string) => (/^(?:US\s?)?\$$|^USD$/.test(sign) ? '$' : sign)

const currencyWords =
  /\b(?:USD|EUR|GBP|CAD|AUD|NZD|MXN|BRL|JPY|CNY|INR|KRW|CHF|SEK|NOK|DKK|PLN|CZK|HUF|ILS|ZAR|SGD|HKD|PHP)\b|(?<!\p{L})(?:kr|zł|Kč|Rs)(?!\p{L})/u

/** A code or a short word of a currency. A reference may begin with one as well: ask only for what is no mask. */
export function currencyWord(shown: string): string | undefined {
  const word = currencyWords.exec(shown)?.[0]
  return word === undefined ? undefined : unlessDollars(word)
}

function shownText(section: string): string {
  return section.replace(/\[[^\]]*\]/g, '').replace(/[\\"]/g, '')
}

/** Zeros, at least two, and nothing else that a number would fill; texts stand between them as they are. */
function maskOf(section: string): NumberFormat | undefined {
  const [, before] = /^((?:"[^"]*"|\\.|-)+)(?:#*[0#]|general)$/i.exec(section) ?? []
  if (before !== undefined) return prefixMask(shownText(before))
  const mask: string[] = []
  let digits = 0
  for (const [token] of section.matchAll(/"[^"]*"|\\.|_.|\*.|./gs)) {
    if (token === '0') {
      digits++
      mask.push(token)
    } else if (token.startsWith('"')) mask.push(...token.slice(1, -1).split('').map(literal))
    else if (token.startsWith('\\')) mask.push(literal(token.slice(1)))
    else if (/^[_*]/.test(token)) continue
    else if (/^[-() /:+]$/.test(token)) mask.push(token)
    else return undefined
  }
  return digits < 2 ? undefined : { kind: 'mask', mask, digits }
}

/** Letters that a number belongs to: `ORD-42`, `#42`, `+19105550147`. Others may say what is counted: `Total 42`. */
export function prefixMask(before: string): NumberFormat | undefined {
  return /(?:[\p{L}\d]-|[#+])$/u.test(before)
    ? { kind: 'mask', mask: [...before.split('').map(literal), '0'], digits: 1 }
    : undefined
}

/** A zero that is a letter of the mask is marked, because `0` is a digit's place. */
function literal(letter: string): string {
  return letter === '0' ? '"0' : letter
}

/** A number of a cell as a text, or why it is none. */
export function numberText(written: string, format: NumberFormat, is1904: boolean): CellReading {
  const raw = written.trim()
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(raw)) return { text: '', fault: notANumber(raw) }
  if (format.kind === 'time') return timeText(Number(raw), format, is1904)
  const text = plainText(raw)
  if (/^[+-]?\d{16,}$/.test(text)) return { text, fault: longNumber }
  if (format.kind === 'truth' && /^[01]$/.test(text)) return { text: text === '1' ? 'TRUE' : 'FALSE' }
  if (format.kind === 'money') return { text: signedAmount(Number(raw), format.sign) }
  if (format.kind === 'mask' && /^\d+$/.test(text)) return { text: masked(text, format) }
  return { text }
}

/** Whole numbers by their digits, others by the 15 digits that sheets count with. */
function plainText(raw: string): string {
  if (/^\d+$/.test(raw)) return raw
  const value = Number(raw)
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString()
  return String(Number(value.toPrecision(15)))
}

function signedAmount(value: number, sign: string): string {
  const amount = Number(Math.abs(value).toPrecision(15))
  const text = Math.abs(Math.round(amount * 100) - amount * 100) < 1e-6 ? amount.toFixed(2) : String(amount)
  return `${value < 0 ? '-' : ''}${sign}${text}`
}

function masked(digits: string, { mask, digits: places }: { mask: readonly string[]; digits: number }): string {
  const padded = digits.padStart(places, '0')
  let at = padded.length - places
  // What is more than the mask has stands before its first digit.
  let before = padded.slice(0, at)
  let text = ''
  for (const letter of mask) {
    if (letter === '0') {
      text += before + padded[at++]
      before = ''
    } else text += letter.replace('"0', '0')
  }
  return text
}

const daySeconds = 86_400

/** A moment of a sheet in wall time, rounded to the second: `2026-11-30 15:00`, a day alone, or a time alone. */
function timeText(
  serial: number,
  { hasDay, hasTime }: { hasDay: boolean; hasTime: boolean },
  is1904: boolean,
): CellReading {
  if (serial < 0 || serial > 2_958_466)
    return {
      text: '',
      fault: { message: `${serial} is not a day of a sheet's calendar`, hint: 'Enter the time again.' },
    }
  const seconds = Math.round(serial * daySeconds)
  const clock = clockText(seconds % daySeconds)
  // Without a day, and before the first day of either calendar.
  if (!hasDay && serial < 1) return { text: clock }
  const days = Math.floor(seconds / daySeconds) + (is1904 ? 1_462 : 0)
  const date = dayText(days)
  if (seconds % daySeconds === 0 && !hasTime) return { text: date }
  return { text: `${date} ${clock}`, ...(hasTime ? {} : { hiddenTime: clock }) }
}

let lastDay = { days: -1, text: '' }

/** The date of a day; many cells in a row hold the same. */
function dayText(days: number): string {
  if (days !== lastDay.days) {
    // The calendar from 1900 has a day that never was.
    const text = new Date((days - (days < 60 ? 25_568 : 25_569)) * daySeconds * 1_000).toISOString().slice(0, 10)
    lastDay = { days, text }
  }
  return lastDay.text
}

function clockText(seconds: number): string {
  const [hours, minutes, rest] = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  )
  return rest === '00' ? `${hours}:${minutes}` : `${hours}:${minutes}:${rest}`
}

/** `2026-11-30T15:00:00.000Z` of a cell of a sheet is wall time: nothing is moved. */
export function isoText(written: string, format: NumberFormat): CellReading {
  const [, date, clock, second, part = ''] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(written.trim()) ?? []
  if (date === undefined) return { text: '', fault: notANumber(written) }
  const showsTime = format.kind === 'time' && format.hasTime
  if (clock === undefined) return { text: showsTime ? `${date} 00:00` : date }
  const wall = new Date(`${date}T${clock}:${second ?? '00'}Z`)
  if (Number.isNaN(wall.getTime())) return { text: '', fault: notANumber(written) }
  if (Number(part) >= 0.5) wall.setUTCSeconds(wall.getUTCSeconds() + 1)
  const [day = '', time = ''] = wall.toISOString().split('T')
  const isDay = format.kind === 'time' && format.hasDay && !showsTime
  if (isDay && time.startsWith('00:00:00')) return { text: day }
  const shown = time.slice(0, time.startsWith(':00', 5) ? 5 : 8)
  return { text: `${day} ${shown}`, ...(isDay ? { hiddenTime: shown } : {}) }
}
