import { UsageError } from '../../../contract/index.js'
import { type Archive, beyond, bounds, damaged } from './zip-archive.js'

/** Receives the elements of a document, by their names without a prefix. */
export interface XmlHandler {
  /** @param attributes the text of its attributes, for `attributeOf` */
  open(name: string, attributes: string): void
  close(name: string): void
  /** Text between tags, with its references resolved. Default: it is not wanted. */
  text?(text: string): void
  /**
   * Takes an element in its most frequent form as a whole, and gives the position behind it; `undefined` for any other
   * form, which is read tag by tag.
   */
  take?(text: string, at: number): number | undefined
  /** Whether text is wanted here: resolving what is thrown away takes time. Default: always. */
  wantsText?(): boolean
}

/**
 * Reads XML in pieces: elements, text, CDATA. Comments and instructions are passed over; a document type is refused, and
 * with it every entity but the five that XML has.
 */
export class XmlReader {
  #rest = ''
  #depth = 0
  readonly #names = new Map<string, string>()
  readonly #open: string[] = []

  constructor(
    private readonly handler: XmlHandler,
    private readonly what: string,
  ) {}

  /** @throws UsageError for what is not XML, and beyond the bounds */
  push(piece: string): void {
    const text = this.#rest === '' ? piece : this.#rest + piece
    const end = this.#read(text)
    this.#rest = text.slice(end)
    if (this.#rest.length > bounds.tokenLength) throw beyond(this.what, 'a text or tag in it is longer than 1 MB')
  }

  /** @throws UsageError if elements are open */
  end(): void {
    if (this.#rest.trim() !== '' || this.#depth !== 0) throw damaged(this.what, 'its XML is cut off')
  }

  /** Reads as many tokens as are complete, and gives the position of the next. */
  #read(text: string): number {
    let at = 0
    while (at < text.length) {
      const tag = text.indexOf('<', at)
      if (tag === -1) {
        return at
      }
      if (tag > at) this.#text(text, at, tag)
      const next = this.handler.take?.(text, tag) ?? this.#markup(text, tag)
      if (next === undefined) return tag
      at = next
    }
    return at
  }

  #text(text: string, from: number, to: number): void {
    const { handler } = this
    if (handler.text === undefined || handler.wantsText?.() === false) return
    handler.text(resolved(text.slice(from, to), this.what))
  }

  /** Reads a tag or another thing that begins with `<`; `undefined` if its end is not there yet. */
  #markup(text: string, at: number): number | undefined {
    const code = text.charCodeAt(at + 1)
    if (Number.isNaN(code)) return undefined
    if (code === 0x21) return this.#declaration(text, at)
    if (code === 0x3f) return after(text, '?>', at)
    const end = tagEnd(text, at)
    if (end === undefined) return undefined
    if (code === 0x2f) this.#close(text.slice(at + 2, end))
    else this.#tag(text, at + 1, end)
    return end + 1
  }

  #declaration(text: string, at: number): number | undefined {
    if (text.startsWith('<!--', at)) return after(text, '-->', at + 4)
    if (text.startsWith('<![CDATA[', at)) {
      const end = text.indexOf(']]>', at)
      if (end === -1) return undefined
      if (this.handler.wantsText?.() !== false) this.handler.text?.(text.slice(at + 9, end).replace(/\r\n?/g, '\n'))
      return end + 3
    }
    if (text.length - at < 9 && '<![CDATA['.startsWith(text.slice(at))) return undefined
    if (text.length - at < 4 && '<!--'.startsWith(text.slice(at))) return undefined
    throw damaged(this.what, 'its XML declares a document type, which a workbook never does')
  }

  #tag(text: string, from: number, end: number): void {
    const isEmpty = text.charCodeAt(end - 1) === 0x2f
    const last = isEmpty ? end - 1 : end
    let at = from
    while (at < last && !isSpace(text.charCodeAt(at))) at++
    const name = this.#local(text.slice(from, at))
    if (++this.#depth > bounds.depth) throw beyond(this.what, `its XML is nested deeper than ${bounds.depth}`)
    this.handler.open(name, at === last ? '' : text.slice(at, last))
    if (isEmpty) {
      this.#depth--
      this.handler.close(name)
    } else this.#open.push(name)
  }

  #close(name: string): void {
    const local = this.#local(name.trimEnd())
    if (this.#open.pop() !== local) throw damaged(this.what, 'its XML is damaged')
    this.#depth--
    this.handler.close(local)
  }

  /** A name without its prefix. */
  #local(name: string): string {
    let local = this.#names.get(name)
    if (local !== undefined) return local
    local = name.slice(name.indexOf(':') + 1)
    if (local === '' || !/^[\w.:\u0080-\uffff-]+$/.test(name)) throw damaged(this.what, 'its XML is damaged')
    if (this.#names.size < 1_000) this.#names.set(name, local)
    return local
  }
}

/** The position of a tag's end: a value may hold `>`. */
function tagEnd(text: string, at: number): number | undefined {
  let end = text.indexOf('>', at)
  if (end === -1) return undefined
  let quote = firstQuote(text, at, end)
  while (quote !== -1) {
    const closing = text.indexOf(text[quote] ?? '"', quote + 1)
    if (closing === -1) return undefined
    if (closing > end) {
      end = text.indexOf('>', closing)
      if (end === -1) return undefined
    }
    quote = firstQuote(text, closing + 1, end)
  }
  return end
}

function firstQuote(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22 || code === 0x27) return at
  }
  return -1
}

function after(text: string, end: string, at: number): number | undefined {
  const found = text.indexOf(end, at)
  return found === -1 ? undefined : found + end.length
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** A text with its references resolved, and its line ends as XML has them. */
function resolved(text: string, what: string): string {
  const plain = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  if (!plain.includes('&')) return plain
  return plain.replace(/&([^;&\s]{0,12});?/g, (whole, name: string) => {
    const known = named[name]
    if (known !== undefined && whole.endsWith(';')) return known
    const digits = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name)
    const code = digits === null ? Number.NaN : Number.parseInt(digits[1] ?? digits[2] ?? '', digits[1] ? 16 : 10)
    if (Number.isNaN(code) || code > 0x10ffff || !whole.endsWith(';'))
      throw damaged(what, `its XML has the unknown reference ${whole.slice(0, 20)}`)
    return String.fromCodePoint(code)
  })
}

/** The value of an attribute, by its name without a prefix. */
export function attributeOf(attributes: string, name: string): string | undefined {
  if (attributes === '') return undefined
  if (attributes.includes("'") || attributes.includes(' =') || attributes.includes('= '))
    return slowAttribute(attributes, name)
  const wanted = `${name}="`
  for (let at = attributes.indexOf(wanted); at !== -1; at = attributes.indexOf(wanted, at + 1)) {
    const before = attributes.charCodeAt(at - 1)
    if (at !== 0 && before !== 0x3a && !isSpace(before)) continue
    const from = at + wanted.length
    const value = attributes.slice(from, attributes.indexOf('"', from))
    return value.includes('&') ? resolved(value, 'The workbook') : value
  }
  return undefined
}

function slowAttribute(attributes: string, name: string): string | undefined {
  for (const [, key = '', double, single] of attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (key.slice(key.indexOf(':') + 1) === name) return resolved(double ?? single ?? '', 'The workbook')
  }
  return undefined
}

/** Bytes decoded at a time: what is made of them is young, and soon gone. */
const pieceBytes = 65_536
const tagEndByte = 0x3e

/** Decodes the pieces of a part: UTF-8, or UTF-16 with its mark. */
export async function* partText(
  pieces: AsyncIterable<Buffer>,
  what: string,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<string, void, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const decode = (piece?: Buffer) => {
    try {
      return piece === undefined ? (decoder?.decode() ?? '') : (decoder?.decode(piece, { stream: true }) ?? '')
    } catch (cause) {
      throw cause instanceof UsageError ? cause : damaged(what, 'its XML is not UTF-8 text')
    }
  }
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of pieces) {
    decoder ??= new TextDecoder(encodingOf(piece), { fatal: true })
    onRead(piece.length)
    for (let at = 0; at < piece.length; at += pieceBytes) {
      const part = piece.subarray(at, at + pieceBytes)
      // A text that is put together of two is read letter by letter much more slowly than one that was decoded at once.
      const end = decoder.encoding === 'utf-8' ? part.lastIndexOf(tagEndByte) + 1 : part.length
      if (end > 0)
        yield decode(rest.length === 0 ? part.subarray(0, end) : Buffer.concat([rest, part.subarray(0, end)]))
      rest = end > 0 ? part.subarray(end) : Buffer.concat([rest, part])
      if (rest.length > bounds.tokenLength) throw beyond(what, 'a text or tag in it is longer than 1 MB')
    }
  }
  if (rest.length > 0) yield decode(rest)
  yield decode()
}

function encodingOf(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** The largest of the small parts: workbook, relationships, styles. */
const smallPartBytes = 64 * 1_048_576

/** Reads a part of an archive to its end. */
export async function readPart(
  archive: Archive,
  name: string,
  handler: XmlHandler,
  maxBytes = smallPartBytes,
): Promise<void> {
  const reader = new XmlReader(handler, archive.what)
  for await (const text of partText(archive.bytes(name, maxBytes), archive.what)) reader.push(text)
  reader.end()
}

/** A truth of the schema, as programs write it. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|true|on)$/i.test(value)
}
