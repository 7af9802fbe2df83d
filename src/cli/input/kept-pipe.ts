import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../contract/index.js'
import { fileReasons } from '../../shared/node-errors.js'

/**
 * A pipe that can be read whole while its reader waits: what passes is kept in a file without a name, so that any length
 * of it needs no memory, and is gone with the program.
 */
export class KeptPipe {
  readonly #source: AsyncIterator<Uint8Array>
  #file: FileHandle | undefined
  /** How much was kept, and how much of it the reader has. */
  #kept = 0
  #read = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The pipe, for its one reader. */
  async *bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        if (this.#read < this.#kept) {
          const piece = await this.#keptAt(this.#read)
          this.#read += piece.byteLength
          yield piece
          continue
        }
        const next = await this.#take()
        if (next === undefined) return
        this.#read = this.#kept
        yield next
      }
    } finally {
      await this.#source.return?.()
    }
  }

  /** Gives up what was kept. The last rows are made after the reader has come to the end. */
  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  /** All of it from its beginning, once it has come to its end. */
  async *whole(): AsyncGenerator<Uint8Array, void, undefined> {
    while ((await this.#take()) !== undefined);
    for (let at = 0; at < this.#kept; ) {
      const piece = await this.#keptAt(at)
      at += piece.byteLength
      yield piece
    }
  }

  /** The next piece of the pipe, which is kept. */
  async #take(): Promise<Uint8Array | undefined> {
    const next = await this.#source.next()
    if (next.done === true) return undefined
    try {
      await this.#keep(next.value)
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      throw new UsageError(`The input cannot be kept in ${tmpdir()}: ${fileReasons[code ?? ''] ?? message}.`, {
        cause,
        hint: 'Name the file instead of piping it, or name a directory with room: TMPDIR.',
      })
    }
    return next.value
  }

  async #keep(piece: Uint8Array): Promise<void> {
    this.#file ??= await namelessFile()
    // A disk that fills takes only a part, without an error.
    for (let from = 0; from < piece.byteLength; ) {
      const { bytesWritten } = await this.#file.write(piece, from, piece.byteLength - from, this.#kept)
      from += bytesWritten
      this.#kept += bytesWritten
    }
  }

  async #keptAt(start: number): Promise<Uint8Array> {
    const length = Math.min(pieceBytes, this.#kept - start)
    const { bytesRead = 0, buffer } = (await this.#file?.read(Buffer.allocUnsafe(length), 0, length, start)) ?? {}
    if (buffer === undefined || bytesRead === 0) throw new Error('What was kept of the pipe cannot be read')
    return buffer.subarray(0, bytesRead)
  }
}

const pieceBytes = 65_536

/** A private file without a name: nobody else can open it, and it ends with the program. */
async function namelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `dlv-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
