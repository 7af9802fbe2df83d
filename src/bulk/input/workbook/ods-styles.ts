import { currencyWord, type NumberFormat, prefixMask, signOfMoney } from './number-format.js'
import { attributeOf } from './xml.js'

interface DataStyle {
  kind: string
  digits: number
  decimals: number
  isGrouped: boolean
  /** Letters before and behind the number. */
  texts: [before: string, behind: string]
  /** Letters within the number, by the digits behind them. */
  embedded: Map<number, string>
  symbol: string
  hasDay: boolean
  hasTime: boolean
}

interface CellStyle {
  data: string | undefined
  parent: string | undefined
  /** Whether its letters are struck out; `undefined` if its parent says it. */
  isStruckOut: boolean | undefined
}

/** Styles of cells in an OpenDocument file: what their numbers mean, as far as a style says it. */
export class OdsStyles {
  readonly #data = new Map<string, DataStyle>()
  readonly #cells = new Map<string, CellStyle>()
  readonly #formats = new Map<string, NumberFormat>()
  #open: DataStyle | undefined
  #cell: CellStyle | undefined
  #collects: 'text' | 'symbol' | number | undefined

  open(name: string, attributes: string): void {
    if (name === 'style') this.#style(attributes)
    else if (name === 'text-properties' && this.#cell !== undefined) {
      const line = attributeOf(attributes, 'text-line-through-style')
      if (line !== undefined) this.#cell.isStruckOut = line !== 'none'
    } else if (/^(?:number|currency|percentage|date|time|boolean|text)-style$/.test(name)) {
      this.#open = emptyStyle(name.slice(0, -6))
      this.#data.set(attributeOf(attributes, 'name') ?? '', this.#open)
    } else if (this.#open !== undefined) this.#part(this.#open, name, attributes)
  }

  close(name: string): void {
    this.#collects = undefined
    if (name === 'style') this.#cell = undefined
    if (name.endsWith('-style')) this.#open = undefined
  }

  get wantsText(): boolean {
    return this.#collects !== undefined
  }

  text(text: string): void {
    const style = this.#open
    if (style === undefined) return
    if (this.#collects === 'symbol') style.symbol += text.trim()
    else if (this.#collects === 'text') style.texts[style.digits < 0 ? 0 : 1] += text
    else if (this.#collects !== undefined) style.embedded.set(this.#collects, text)
  }

  /** Whether a style strikes its letters out, by itself or by those that it is made from. */
  isStruckOut(name: string): boolean {
    let style = this.#cells.get(name)
    for (let depth = 0; style !== undefined && depth < 16; depth++) {
      if (style.isStruckOut !== undefined) return style.isStruckOut
      style = style.parent === undefined ? undefined : this.#cells.get(style.parent)
    }
    return false
  }

  /** Whether any style strikes letters out. */
  get hasStruckOut(): boolean {
    return [...this.#cells.values()].some(({ isStruckOut }) => isStruckOut === true)
  }

  /** The format of a cell's style. */
  formatOf(name: string): NumberFormat {
    let format = this.#formats.get(name)
    if (format === undefined) {
      format = this.#read(name, 0)
      this.#formats.set(name, format)
    }
    return format
  }

  #style(attributes: string): void {
    this.#cell = undefined
    if (attributeOf(attributes, 'family') !== 'table-cell') return
    this.#cell = {
      data: attributeOf(attributes, 'data-style-name'),
      parent: attributeOf(attributes, 'parent-style-name'),
      isStruckOut: undefined,
    }
    this.#cells.set(attributeOf(attributes, 'name') ?? '', this.#cell)
  }

  #part(style: DataStyle, name: string, attributes: string): void {
    if (name === 'number') {
      style.digits = Number(attributeOf(attributes, 'min-integer-digits') ?? 0)
      style.decimals = Number(attributeOf(attributes, 'decimal-places') ?? 0)
      style.isGrouped = attributeOf(attributes, 'grouping') === 'true'
    } else if (name === 'scientific-number' || name === 'fraction') style.decimals = 1
    else if (name === 'text') this.#collects = 'text'
    else if (name === 'currency-symbol') this.#collects = 'symbol'
    else if (name === 'embedded-text') this.#collects = Number(attributeOf(attributes, 'position') ?? 0)
    else if (/^(?:year|month|day|day-of-week|quarter|week-of-year)$/.test(name)) style.hasDay = true
    else if (/^(?:hours|minutes|seconds)$/.test(name)) style.hasTime = true
  }

  #read(name: string, depth: number): NumberFormat {
    const cell = this.#cells.get(name)
    if (cell === undefined || depth > 16) return { kind: 'number' }
    const style = cell.data === undefined ? undefined : this.#data.get(cell.data)
    if (style === undefined) return cell.parent === undefined ? { kind: 'number' } : this.#read(cell.parent, depth + 1)
    if (style.hasDay || style.hasTime) return { kind: 'time', hasDay: style.hasDay, hasTime: style.hasTime }
    if (style.kind === 'boolean') return { kind: 'truth' }
    if (style.kind === 'currency')
      return { kind: 'money', sign: /^(?:\$|US\$|USD|)$/.test(style.symbol) ? '$' : style.symbol }
    const shown = style.texts.join(' ')
    const mask = maskOf(style)
    const sign = signOfMoney(shown) ?? (mask === undefined ? currencyWord(shown) : undefined)
    return sign === undefined ? (mask ?? { kind: 'number' }) : { kind: 'money', sign }
  }
}

function emptyStyle(kind: string): DataStyle {
  return {
    kind,
    digits: -1,
    decimals: 0,
    isGrouped: false,
    texts: ['', ''],
    embedded: new Map(),
    symbol: '',
    hasDay: false,
    hasTime: false,
  }
}

function maskOf({ kind, digits, decimals, isGrouped, texts, embedded }: DataStyle): NumberFormat | undefined {
  if (kind !== 'number' || digits > 40 || decimals > 0 || isGrouped) return undefined
  if (digits < 2) return texts[1] === '' ? prefixMask(texts[0]) : undefined
  const letters = (text: string) => text.split('').map((letter) => (letter === '0' ? '"0' : letter))
  const mask = letters(texts[0])
  for (let left = digits; left > 0; left--) {
    const text = embedded.get(left)
    if (text !== undefined && left < digits) mask.push(...letters(text))
    mask.push('0')
  }
  return { kind: 'mask', mask: [...mask, ...letters(texts[1])], digits }
}
