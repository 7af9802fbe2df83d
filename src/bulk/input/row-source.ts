/** One row of a bulk input: a value, or why it could not be read. */
export type InputRow =
  | { row: number; value: unknown }
  | { row: number; problem: string; clientOrderReference?: string | undefined }

/** How far an input has been read, for estimates: lengths in bytes. */
export interface ReadingState {
  bytesRead: number
  /** The whole, where it is known; for a pipe, only once it has come to its end. */
  bytesTotal: number | undefined
}

/** Bytes from a file or a pipe. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Bytes decoded at a time: `bytesRead` runs ahead of the rows that were taken by no more than this. */
const pieceBytes = 4_096

/** Text in pieces, decoded across the borders of chunks, without a byte order mark. */
export async function* decodeText(source: ByteSource, state: ReadingState): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of source) {
    for (let start = 0; start < chunk.byteLength; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes)
      state.bytesRead += piece.byteLength
      const text = decoder.decode(piece, { stream: true })
      if (text !== '') yield text
    }
  }
  state.bytesTotal = state.bytesRead
  const rest = decoder.decode()
  if (rest !== '') yield rest
}

/** Lines without their ends, LF or CRLF; the last one needs none. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}
