import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ByteSource } from '../row-source.js'

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
