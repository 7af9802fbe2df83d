import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import { UsageError } from '../../../contract/index.js'
import type { ByteSource } from '../row-source.js'

/** A part of a workbook's archive. */
interface Part {
  name: string
  method: number
  packedBytes: number
  /** The checksum of its content; 0 if the writer did not compute it. */
  checksum: number
  /** Where its local header begins. */
  offset: number
}

const megabyte = 1_048_576

/** Bounds of what a file may make its reader do. */
export const bounds = {
  parts: 2_000,
  directoryBytes: 4 * megabyte,
  partBytes: 512 * megabyte,
  sharedTextBytes: 256 * megabyte,
  tokenLength: megabyte,
  depth: 64,
  cellLength: 32_767,
  columns: 16_384,
  rows: 1_048_576,
  /** Cells of all rows, with the empty ones before the last of each. */
  cells: 100_000_000,
} as const

const advice = 'Open it in its program, save it again as a workbook (.xlsx, .ods) or as CSV, and pass that file.'

/** The error for a workbook that cannot be read. */
export function damaged(what: string, why: string, hint = advice): UsageError {
  return new UsageError(`${what} cannot be read as a workbook: ${why}.`, { hint })
}

/** The error for a workbook that passes a bound. */
export function beyond(what: string, limit: string): UsageError {
  return new UsageError(`${what} is not read further: ${limit}.`, {
    hint: 'Split the sheet into several files, or save it as CSV, which has no such limit.',
  })
}

/** The parts of a ZIP archive, by the directory at its end. */
export class Archive {
  readonly #parts = new Map<string, Part>()

  private constructor(
    private readonly store: ByteStore,
    readonly what: string,
  ) {}

  /** @throws UsageError for what is not an archive, or not within the bounds */
  static async open(store: ByteStore, what: string): Promise<Archive> {
    const archive = new Archive(store, what)
    await archive.#readDirectory()
    return archive
  }

  /** Whether there is a part of this name; names are compared without case. */
  has(name: string): boolean {
    return this.#parts.has(keyOf(name))
  }

  /** The names of the parts. */
  get names(): string[] {
    return [...this.#parts.values()].map(({ name }) => name)
  }

  /**
   * The content of a part, unpacked as it is asked for. Its bytes are counted and its checksum is compared at its end.
   *
   * @throws UsageError if it is missing, damaged or longer than the bounds
   */
  async *bytes(name: string, maxBytes: number = bounds.partBytes): AsyncGenerator<Buffer, void, undefined> {
    const part = this.#parts.get(keyOf(name))
    if (part === undefined) throw damaged(this.what, `it has no part ${name.slice(0, 80)}`)
    let length = 0
    let checksum = 0
    const packed = this.#packed(part)
    const content = part.method === 0 ? packed : inflated(packed)
    try {
      for await (const piece of content) {
        length += piece.length
        if (length > maxBytes)
          throw beyond(this.what, `${part.name} unpacks to more than ${Math.round(maxBytes / megabyte)} MB`)
        checksum = zlib.crc32(piece, checksum)
        yield piece
      }
    } catch (cause) {
      if (cause instanceof UsageError) throw cause
      throw damaged(this.what, `${part.name} is damaged or cut off`)
    }
    if (part.checksum !== 0 && part.checksum !== checksum) throw damaged(this.what, `${part.name} is damaged`)
  }

  async *#packed({ name, offset, packedBytes }: Part): AsyncGenerator<Buffer, void, undefined> {
    const header = await this.store.read(offset, 30)
    if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50)
      throw damaged(this.what, `${name} is not where its directory says`)
    let at = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    const end = at + packedBytes
    if (end > this.store.size) throw damaged(this.what, `${name} is cut off`)
    while (at < end) {
      const piece = await this.store.read(at, Math.min(65_536, end - at))
      if (piece.length === 0) throw damaged(this.what, `${name} is cut off`)
      at += piece.length
      yield piece
    }
  }

  async #readDirectory(): Promise<void> {
    const { store, what } = this
    const tailAt = Math.max(0, store.size - 65_557)
    const tail = await store.read(tailAt, store.size - tailAt)
    const at = tail.lastIndexOf(Buffer.from('504b0506', 'hex'))
    if (at === -1 || at + 22 > tail.length) throw damaged(what, 'the end of the file is missing')
    let count = tail.readUInt16LE(at + 10)
    let length = tail.readUInt32LE(at + 12)
    let offset = tail.readUInt32LE(at + 16)
    // A larger directory is elsewhere; the record before this one has its place.
    if (at >= 20 && tail.readUInt32LE(at - 20) === 0x07064b50) {
      const large = await store.read(numberAt(tail, at - 12), 56)
      if (large.length < 56 || large.readUInt32LE(0) !== 0x06064b50) throw damaged(what, 'its directory is missing')
      count = numberAt(large, 32)
      length = numberAt(large, 40)
      offset = numberAt(large, 48)
    }
    if (count > bounds.parts) throw beyond(what, `it has ${count} parts, and the limit is ${bounds.parts}`)
    if (length > bounds.directoryBytes || offset + length > store.size)
      throw damaged(what, 'its directory is not within the file')
    const directory = await store.read(offset, length)
    for (let read = 0, place = 0; read < count; read++) place = this.#readEntry(directory, place)
  }

  /** Reads an entry of the directory, and gives the position of the next one. */
  #readEntry(directory: Buffer, at: number): number {
    const { what } = this
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50)
      throw damaged(what, 'its directory is damaged')
    const flags = directory.readUInt16LE(at + 8)
    const method = directory.readUInt16LE(at + 10)
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((by) =>
      directory.readUInt16LE(at + by),
    )
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength)
    const next = at + 46 + nameLength + extraLength + commentLength
    if (next > directory.length) throw damaged(what, 'its directory is damaged')
    if (name.endsWith('/')) return next
    if ((flags & 1) === 1) throw passwordError(what)
    if (method !== 0 && method !== 8)
      throw damaged(what, `${name.slice(0, 80)} is packed in a way (${method}) that workbooks do not use`)
    const sizes = { packed: directory.readUInt32LE(at + 20), offset: directory.readUInt32LE(at + 42) }
    largeSizes(directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength), {
      hasLargeContent: directory.readUInt32LE(at + 24) === 0xffffffff,
      sizes,
    })
    if (sizes.offset + sizes.packed > this.store.size) throw damaged(what, `${name.slice(0, 80)} is cut off`)
    const key = keyOf(name)
    if (this.#parts.has(key)) throw damaged(what, `it has the part ${name.slice(0, 80)} twice`)
    const checksum = directory.readUInt32LE(at + 16)
    this.#parts.set(key, { name, method, packedBytes: sizes.packed, checksum, offset: sizes.offset })
    return next
  }
}

/** The error for a file that cannot be read without a password. */
export function passwordError(what: string): UsageError {
  return new UsageError(`${what} has a password.`, {
    hint: 'Open it in its program, save it without a password, and pass that file.',
  })
}

function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()
}

/** Replaces what does not fit 32 bits by the numbers of the extra field that has them. */
function largeSizes(
  extra: Buffer,
  { hasLargeContent, sizes }: { hasLargeContent: boolean; sizes: { packed: number; offset: number } },
): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let place = at + 4 + (hasLargeContent ? 8 : 0)
    for (const name of ['packed', 'offset'] as const) {
      if (sizes[name] !== 0xffffffff || place + 8 > extra.length) continue
      sizes[name] = numberAt(extra, place)
      place += 8
    }
    return
  }
}

function numberAt(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}

async function* inflated(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const source = Readable.from(packed)
  const inflate = zlib.createInflateRaw({ chunkSize: 262_144 })
  source.on('error', (error) => inflate.destroy(error))
  try {
    for await (const piece of source.pipe(inflate)) yield piece as Buffer
  } finally {
    source.destroy()
    inflate.destroy()
  }
}

/** Bytes that can be read at any position. */
export interface ByteStore {
  readonly size: number
  read(at: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/** The most that is held in memory; a longer input goes to a temporary file. */
const memoryBytes = 33_554_432

/** All bytes of a source: an archive's directory is at its end. */
export async function storeBytes(source: ByteSource): Promise<ByteStore> {
  const held: Uint8Array[] = []
  let size = 0
  let file: TemporaryFile | undefined
  try {
    for await (const chunk of source) {
      size += chunk.byteLength
      if (file === undefined) held.push(chunk)
      if (file === undefined && size > memoryBytes) {
        file = await temporaryFile()
        for (const piece of held.splice(0)) await file.write(piece)
      } else await file?.write(chunk)
    }
  } catch (error) {
    await file?.remove()
    throw error
  }
  return file === undefined ? memoryStore(Buffer.concat(held)) : fileStore(file, size)
}

function memoryStore(bytes: Buffer): ByteStore {
  return {
    size: bytes.length,
    read: (at, length) => Promise.resolve(bytes.subarray(at, at + length)),
    close: () => Promise.resolve(),
  }
}

type TemporaryFile = Awaited<ReturnType<typeof temporaryFile>>

async function temporaryFile() {
  const directory = await mkdtemp(join(tmpdir(), 'dlv-workbook-'))
  const handle = await open(join(directory, 'input'), 'wx+', 0o600)
  return {
    handle,
    write: async (bytes: Uint8Array) => void (await handle.writeFile(bytes)),
    remove: async () => {
      await handle.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function fileStore(file: TemporaryFile, size: number): ByteStore {
  return {
    size,
    async read(at, length) {
      const bytes = Buffer.alloc(Math.min(length, Math.max(size - at, 0)))
      const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, at)
      return bytes.subarray(0, bytesRead)
    },
    close: () => file.remove(),
  }
}
