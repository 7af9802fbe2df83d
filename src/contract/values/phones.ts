/** What is written beside a number and is none of it: `(cell)`, `tel:`, `Mobile:`. */
const label = /(?:cell(?:ular)?|mobile|mob|home|work|office|phone|telephone|tel|ph|cel|c|m|h|w|o)/
const labelBefore = new RegExp(`^\\(?${label.source}\\)?[.:]?\\s*(?=[+(\\d])`, 'i')
const labelBehind = new RegExp(`[\\s,]*(?:\\(${label.source}\\.?\\)|[\\s,]${label.source}\\.?)$`, 'i')
const extension = /[\s,;]*(?:ext(?:ension|n)?\.?[\s:=]*|x\.?\s*|#\s*)(\d{1,6})$/i

/** A phone in plain characters: marks of direction go, and every dash and space is the usual one. */
function plainPhone(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(labelBefore, '')
    .replace(labelBehind, '')
}

/** The E.164 form of a phone of North America, however it is written. */
export function phoneOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = plainPhone(value)
  const [, area, exchange, line] =
    /^(?:\+?1[ .\-/]*)?\(?([2-9]\d{2})\)?[ .\-/]*([2-9]\d{2})[ .\-/]*(\d{4})$/.exec(text) ?? []
  return area === undefined ? undefined : `+1${area}${exchange}${line}`
}

/** A phone that has an extension, which no field of an order can hold. */
export function extendedPhone(value: string):
  | {
      /** The number before it in E.164, if it is one of North America. */
      phone: string | undefined
      /** Its digits. */
      extension: string
    }
  | undefined {
  const text = plainPhone(value)
  const found = extension.exec(text)
  if (found === null) return undefined
  return { phone: phoneOf(text.slice(0, found.index)), extension: found[1] ?? '' }
}
