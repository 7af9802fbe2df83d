import { UsageError } from '../../contract/index.js'
import { hasMoreMembers } from '../../shared/json.js'

/** One row of a bulk input: a value, or why it could not be read. */
export type InputRow =
  | {
      /** The number of the row, from 1. */
      row: number
      /** The line of the input that it begins on. */
      line?: number | undefined
      /** The sheet that it is in, if the input is a workbook: `line` is its row there. */
      sheet?: string | undefined
      /** The content of the row. */
      value: unknown
      /** The row is a word, its `deliveryId`, which may be an order's reference as well. */
      isWord?: boolean | undefined
      /** The reference that the row names its delivery by, if it has no id. */
      namedBy?: string | undefined
    }
  | {
      /** The number of the row, from 1. */
      row: number
      /** The line of the input that it begins on. */
      line?: number | undefined
      /** The sheet that it is in, if the input is a workbook. */
      sheet?: string | undefined
      /** Why the row cannot be read. */
      problem: string
      /** How to fix it, if that is known. */
      hint?: string | undefined
      /** The reference of the order, if that much could be read. */
      clientOrderReference?: string | undefined
      /** The cells that could be read. They are never sent, only checked for further faults. */
      given?: unknown
      /** The paths of the fields that could not be read. */
      unread?: readonly string[] | undefined
    }

/** The progress of reading an input, for estimates; lengths in bytes. */
export interface ReadingState {
  /** The bytes that were read. */
  bytesRead: number
  /** The whole, if it is known; for a pipe, only once it has come to its end. */
  bytesTotal: number | undefined
  /** Rows in the bytes that were read. */
  rowsRead: number
  /** The fields that the columns of a table are read as, once its header was read. */
  fields?: readonly string[] | undefined
}

/** Bytes from a file or a pipe. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Takes text as it comes and gives the rows that it completes. */
export interface RowParser {
  /** @throws UsageError if the rest cannot be split into rows, or a row is too long */
  push(text: string): InputRow[]
  /** The rows that the end of the input completes. */
  end(): InputRow[]
}

/** Names that the program adds to rejected rows, and that it leaves out when such rows are read. */
export const rejectionNames = ['rejectedLine', 'rejectedReason'] as const

const megabyte = 1_048_576

/** The longest row or cell that is read, in characters. */
export const maxRowLength = 16 * megabyte

/** The error for a row that is too long; `what` names the row. */
export function tooLong(what: string): UsageError {
  return new UsageError(`${what} is larger than ${maxRowLength / megabyte} MB`, {
    hint: 'Check that no quote or bracket is left open.',
  })
}

/** The most members of a row, in all of its objects and lists: far more than an order has. */
const maxRowMembers = 10_000

/** @throws UsageError for a row that is no order but many, or a table; each of its members would be judged */
export function refuseManyMembers(value: unknown, what: string): void {
  if (!hasMoreMembers(value, maxRowMembers)) return
  throw new UsageError(`${what} has more than ${maxRowMembers.toLocaleString('en-US')} fields`, {
    hint: 'Several orders are a JSON array, one object a line, or the rows of a CSV.',
  })
}

/** The first bytes of files that are not text of rows: archives, old workbooks, PDF, gzip, databases, markup. */
const foreignStarts = [0x50, 0xd0, 0x09, 0x25, 0x1f, 0x53, 0x3c, 0xef, 0xff, 0x20, 0x0a, 0x0d]

/** The longest beginning that is looked at to tell files of other programs apart, and that of old workbooks. */
const longestLook = 4_096
const longestOldLook = 8 * megabyte

/**
 * The beginning of an input and all of its bytes. No more of it is awaited than tells whether it is text: a pipe may be
 * idle for a long time.
 */
export function lookAhead(source: ByteSource): Promise<{ head: Uint8Array; bytes: ByteSource }> {
  return headOf(source, isUndecided)
}

async function headOf(
  source: ByteSource,
  isShort: (head: Uint8Array) => boolean,
): Promise<{ head: Uint8Array; bytes: ByteSource }> {
  const iterator = (async function* () {
    yield* source
  })()
  const held: Uint8Array[] = []
  let head: Uint8Array = new Uint8Array()
  while (isShort(head)) {
    const next = await iterator.next()
    if (next.done === true) break
    held.push(next.value)
    head = held.length === 1 ? next.value : Buffer.concat(held)
  }
  const bytes = async function* () {
    yield* held.splice(0)
    yield* iterator
  }
  return { head, bytes: bytes() }
}

/** The first bytes of files of other programs. */
const foreignHead =
  /^(?:\u00d0\u00cf\u0011\u00e0|%PDF|\u001f\u008b|SQLite format|ID;P|TABLE\r?\n0,1|\t[\0\u0002\u0004\u0008]|(?:\u00ef\u00bb\u00bf|\u00ff\u00fe)?[\s\0]*<)/

/** Whether the beginning of an input may be that of a file which is not text of rows. */
export function mayBeForeign(head: Uint8Array): boolean {
  return foreignHead.test(Buffer.from(head.subarray(0, 64)).toString('latin1'))
}

/** Whether the beginning of an input is that of an archive, as workbooks are. */
export function isArchive(head: Uint8Array): boolean {
  return ['504b0304', '504b0506'].includes(Buffer.from(head.subarray(0, 4)).toString('hex'))
}

function isUndecided(head: Uint8Array): boolean {
  const [first] = head
  if (first === undefined) return true
  if (!foreignStarts.includes(first)) return false
  if (head.length < 8) return first !== 0x20 && first !== 0x0a && first !== 0x0d
  if (first === 0xd0) return head.length < longestOldLook
  const text = Buffer.from(head.subarray(0, 64))
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe)/, '')
  return head.length < longestLook && /^\s*\0*</.test(text)
}

/** Bytes decoded at a time: a chunk may be as large as the whole input. */
const pieceBytes = 65_536

/**
 * Text in pieces, decoded across the borders of chunks, without a byte order mark. Without an encoding, the mark tells
 * UTF-16, as spreadsheets save "Unicode text", and everything else is UTF-8.
 *
 * @param what names the input in an error
 * @throws UsageError for an encoding that is unknown, and for bytes that it does not have
 */
export async function* decodeText(
  source: ByteSource,
  state: ReadingState,
  { what = 'The input', encoding }: { what?: string | undefined; encoding?: string | undefined } = {},
): AsyncGenerator<string, void, undefined> {
  const { head, bytes } = await markedHead(source)
  const decoder = decoderOf(markedEncoding(head) ?? encoding ?? 'utf-8')
  let isFirst = true
  const decode = (piece?: Uint8Array) => {
    try {
      const text = piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
      if (isFirst && text.length > 0) {
        isFirst = false
        refuseWide(text, what, decoder.encoding)
      }
      // Files that were joined have several marks, and Gnumeric writes one with each piece of UTF-16.
      return text.includes('\ufeff') ? text.replaceAll('\ufeff', '') : text
    } catch (cause) {
      if (cause instanceof UsageError) throw cause
      throw new UsageError(`${what} is not ${decoder.encoding.toUpperCase()} text.`, {
        cause,
        hint: 'Save it as UTF-8, or give its encoding: { encoding: "windows-1252" }, or macintosh for a file of an older Mac.',
      })
    }
  }
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.byteLength; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes)
      state.bytesRead += piece.byteLength
      const text = decode(piece)
      if (text !== '') yield text
    }
  }
  state.bytesTotal = state.bytesRead
  const rest = decode()
  if (rest !== '') yield rest
}

/** @throws UsageError for UTF-16 or UTF-32 that was read as UTF-8: there are zeros between its letters */
function refuseWide(text: string, what: string, encoding: string): void {
  // Zeros in a row are no letters of any encoding, but the rest of a file that was never written.
  const beginning = text.slice(0, 64)
  const isTwo = /(?:[^\0]\0){4}/.test(beginning)
  const isFour = /(?:[^\0]\0{3}){2}/.test(beginning)
  if (!isTwo && !isFour) return
  const isFourBytes = encoding !== 'utf-8' || isFour
  throw new UsageError(`${what} is ${isFourBytes ? 'UTF-32' : 'UTF-16 without its mark'}.`, {
    hint: isFourBytes
      ? 'Save it as UTF-8.'
      : `Save it as UTF-8, or give its encoding: { encoding: "utf-16${text.startsWith('\0') ? 'be' : 'le'}" }.`,
  })
}

/** The encoding that a mark at the beginning names. It overrides the given one: a mapping is used for files of other programs too. */
function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** The first bytes, as many as a mark that they may be has, and all of the bytes. */
function markedHead(source: ByteSource): Promise<{ head: Uint8Array; bytes: ByteSource }> {
  return headOf(
    source,
    ([first, second, third]) =>
      first === undefined ||
      (first >= 0xfe && second === undefined) ||
      (first === 0xef && (second === undefined || (second === 0xbb && third === undefined))),
  )
}

function decoderOf(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch (cause) {
    throw new UsageError(`"${encoding}" is not an encoding.`, {
      cause,
      hint: 'Use a name of the Encoding Standard, such as utf-8, windows-1252, macintosh or utf-16le.',
    })
  }
}

/** Cuts text into lines without their ends, LF or CRLF; the last one needs none. */
export class LineSplitter {
  /** The beginning of a line, in the pieces in which it was read. */
  #held: string[] = []
  #heldLength = 0

  /** @param what names a line that passes the limit, by the number of lines before it */
  constructor(private readonly what: (linesBefore: number) => string) {}

  push(text: string, linesBefore = 0): string[] {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    if (lines.length > 0) {
      lines[0] = this.#held.join('') + lines[0]
      this.#held = []
      this.#heldLength = 0
    }
    if (rest !== '') this.#held.push(rest)
    this.#heldLength += rest.length
    if (this.#heldLength > maxRowLength) throw tooLong(this.what(linesBefore + lines.length))
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  }

  end(): string[] {
    const line = this.#held.join('')
    this.#held = []
    return line === '' ? [] : [line]
  }
}
