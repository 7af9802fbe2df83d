import { isoText, type NumberFormat, numberText } from './number-format.js'
import { type CellReading, neverCalculated, notANumber, type RowBuilder } from './sheet.js'
import type { CellStyles } from './xlsx-styles.js'
import { attributeOf, isTrue, type XmlHandler } from './xml.js'

interface SheetTables extends CellStyles {
  texts: readonly string[]
  is1904: boolean
  mustCalculate: boolean
}

const general: NumberFormat = { kind: 'number' }

/** The types of cells that are read as a whole. */
const plainTypes = ['n', 's', 'b', 'e', 'str']
const quote = 0x22

/** Reads the cells of a sheet. */
export class SheetHandler implements XmlHandler {
  #at = 0
  #type = ''
  #style: number | undefined
  #value: string | undefined
  #inline: string | undefined
  #hasFormula = false
  #collects: 'value' | 'inline' | undefined
  #readings = 0
  #isInCell = false
  #isInRow = false

  constructor(
    private readonly builder: RowBuilder,
    private readonly tables: SheetTables,
  ) {}

  /**
   * Takes a cell as most programs write it, `<c r="B7" s="1" t="s"><v>12</v></c>`, with nothing in it that stands for
   * another letter. Letter by letter: a pattern makes an array of parts for each cell.
   */
  take(text: string, at: number): number | undefined {
    if (this.#isInCell || !this.#isInRow || !text.startsWith('<c r="', at)) return undefined
    let column = 0
    let place = at + 6
    for (let code = text.charCodeAt(place); code > 64 && code < 91; code = text.charCodeAt(++place))
      column = column * 26 + code - 64
    place = afterDigits(text, place)
    if (column === 0 || text.charCodeAt(place) !== quote) return undefined
    place++
    let style: number | undefined
    if (text.startsWith(' s="', place)) {
      const end = afterDigits(text, place + 4)
      if (text.charCodeAt(end) !== quote) return undefined
      style = digitsAt(text, place + 4, end)
      place = end + 1
    }
    let type = 'n'
    if (text.startsWith(' t="', place)) {
      type = text.startsWith('s"', place + 4) ? 's' : text.slice(place + 4, text.indexOf('"', place + 4))
      if (!plainTypes.includes(type)) return undefined
      place += 5 + type.length
    }
    if (!text.startsWith('><v>', place)) return undefined
    const end = type === 's' ? afterDigits(text, place + 4) : text.indexOf('<', place + 4)
    if (end === -1 || !text.startsWith('</v></c>', end)) return undefined
    this.#at = column - 1
    this.#style = style
    const known = type === 's' && end > place + 4 ? this.tables.texts[digitsAt(text, place + 4, end)] : undefined
    if (known !== undefined) this.builder.add(this.#at, known, this.#isStruckOut)
    else {
      const value = text.slice(place + 4, end)
      if (value.includes('&') || value.includes('\r')) return undefined
      this.#takeValue(value, type)
    }
    return end + 8
  }

  #takeValue(value: string, type: string): void {
    this.#type = type
    this.#value = value
    this.#inline = undefined
    const isWhole = value.length > 0 && value.length < 16 && afterDigits(value, 0) === value.length
    if (type === 'n' && isWhole && this.#format.kind === 'number') {
      this.builder.add(this.#at, value, this.#isStruckOut)
      return
    }
    const cell = type === 'e' && value.trim() === '' ? { text: '', fault: neverCalculated } : this.#read(value)
    this.builder.add(this.#at, cell.text, this.#isStruckOut, cell.fault, cell.hiddenTime)
  }

  open(name: string, attributes: string): void {
    if (name === 'c') this.#begin(attributes)
    else if (name === 'row') {
      this.#isInRow = true
      const line = attributeOf(attributes, 'r')
      this.builder.begin(line === undefined ? undefined : Number(line), isTrue(attributeOf(attributes, 'hidden')))
    } else if (!this.#isInCell) return
    else if (name === 'v') {
      this.#value ??= ''
      this.#collects = 'value'
    } else if (name === 'f') this.#hasFormula = true
    else if (name === 'rPh') this.#readings++
    else if (name === 't' && this.#readings === 0) {
      this.#inline ??= ''
      this.#collects = 'inline'
    }
  }

  close(name: string): void {
    if (name === 'c') this.#end()
    else if (name === 'row') {
      this.#isInRow = false
      this.builder.end()
    } else if (name === 'v' || name === 't') this.#collects = undefined
    else if (name === 'rPh') this.#readings--
  }

  text(text: string): void {
    if (this.#collects === 'value') this.#value += text
    else if (this.#collects === 'inline') this.#inline += text
  }

  wantsText(): boolean {
    return this.#collects !== undefined
  }

  #begin(attributes: string): void {
    this.#isInCell = true
    this.#at = this.builder.place(attributeOf(attributes, 'r'))
    this.#type = attributeOf(attributes, 't') ?? 'n'
    const style = attributeOf(attributes, 's')
    this.#style = style === undefined ? undefined : Number(style)
    this.#value = undefined
    this.#inline = undefined
    this.#hasFormula = false
    this.#collects = undefined
    this.#readings = 0
  }

  #end(): void {
    this.#isInCell = false
    const { text, fault, hiddenTime }: CellReading = this.#isUncalculated()
      ? { text: '', fault: neverCalculated }
      : this.#read(this.#value ?? '')
    this.builder.add(this.#at, text, this.#isStruckOut, fault, hiddenTime)
  }

  #read(value: string): CellReading {
    const bare = value.trim()
    switch (this.#type) {
      case 's':
        return this.#shared(bare)
      case 'inlineStr':
        return { text: decoded(this.#inline ?? value) }
      case 'str':
        return { text: decoded(this.#value ?? this.#inline ?? '') }
      case 'n':
        return bare === '' ? { text: decoded(this.#inline ?? '') } : this.#number(value)
      case 'b':
        return truthOf(bare.toLowerCase())
      case 'e':
        return { text: bare === '' ? '#N/A' : bare }
      case 'd':
        return bare === '' ? { text: '' } : isoText(value, this.#format)
      default:
        return { text: value, fault: notANumber(value) }
    }
  }

  /** A formula without its value; the writers that ask for a calculation write 0 for every one. */
  #isUncalculated(): boolean {
    const value = this.#value
    if (this.#type === 'e' && (value === undefined || value.trim() === '')) return true
    if (!this.#hasFormula) return false
    if (value === undefined && this.#inline === undefined) return true
    if (value === '' && this.#type !== 'str') return true
    return value?.trim() === '0' && this.#type === 'n' && this.tables.mustCalculate
  }

  #shared(value: string): CellReading {
    if (value === '') return { text: '' }
    const text = /^\d+$/.test(value) ? this.tables.texts[Number(value)] : undefined
    if (text !== undefined) return { text }
    return {
      text: '',
      fault: {
        message: `names the text ${value.slice(0, 20)}, which the workbook does not have`,
        hint: 'Open the workbook in its program, enter the value again, and save it.',
      },
    }
  }

  #number(value: string): CellReading {
    return numberText(value, this.#format, this.tables.is1904)
  }

  get #isStruckOut(): boolean {
    return this.#style !== undefined && this.tables.struck?.has(this.#style) === true
  }

  get #format(): NumberFormat {
    return (this.#style === undefined ? undefined : this.tables.formats[this.#style]) ?? general
  }
}

/** The position behind the digits that begin here. */
function afterDigits(text: string, at: number): number {
  let end = at
  for (let code = text.charCodeAt(end); code > 47 && code < 58; code = text.charCodeAt(end)) end++
  return end
}

function digitsAt(text: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - 48
  return number
}

function truthOf(value: string): CellReading {
  if (value === '1' || value === 'true') return { text: 'TRUE' }
  if (value === '0' || value === 'false') return { text: 'FALSE' }
  return {
    text: '',
    fault: { message: 'is neither true nor false', hint: 'Enter TRUE or FALSE, or leave the cell empty.' },
  }
}

/** Letters that XML cannot hold are written as `_x000D_`; line ends become LF. */
export function decoded(text: string): string {
  const plain =
    text.includes('_') && /_x[\da-f]{4}_/i.test(text)
      ? text.replace(/_x([\da-f]{4})_/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      : text
  return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain
}
