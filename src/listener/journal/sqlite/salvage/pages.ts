import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

/**
 * The pages of a SQLite database as its last commit left them, read without SQLite: those of the write-ahead log stand in
 * for older ones of the file. The formats are those of https://www.sqlite.org/fileformat2.html.
 */
export interface DatabasePages {
  /** Bytes of a page that hold content. */
  usableBytes: number
  /** Numbers start with 1. */
  count: number
  /** `undefined` for a page that is not there. The bytes are overwritten by the next call. */
  read(number: number): Buffer | undefined
  close(): void
}

const magic = 'SQLite format 3\0'
const defaultPageBytes = 4_096
const walHeaderBytes = 32
const frameHeaderBytes = 24

/** @throws the file system's error if the file cannot be read */
export function databasePages(file: string): DatabasePages {
  const main = openSync(file, 'r')
  const header = readAt(main, 0, 100)
  const isIntact = header.toString('latin1', 0, 16) === magic
  const pageBytes = (isIntact ? pageBytesOf(header.readUInt16BE(16)) : undefined) ?? defaultPageBytes
  const wal = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, 'r') : undefined
  const inWal = wal === undefined ? new Map<number, number>() : committedFrames(wal, pageBytes)
  const mainCount = Math.floor(fstatSync(main).size / pageBytes)
  const page = Buffer.alloc(pageBytes)
  return {
    usableBytes: pageBytes - (isIntact ? (header[20] ?? 0) : 0),
    count: Math.max(mainCount, ...inWal.keys()),
    read(number) {
      const offset = inWal.get(number)
      const [descriptor, position] = offset === undefined ? [main, (number - 1) * pageBytes] : [wal ?? main, offset]
      if (number < 1 || !Number.isSafeInteger(position)) return undefined
      return readSync(descriptor, page, 0, pageBytes, position) === pageBytes ? page : undefined
    },
    close() {
      closeSync(main)
      if (wal !== undefined) closeSync(wal)
    },
  }
}

/** A power of two from 512 to 65,536, which is written as 1; `undefined` for anything else. */
function pageBytesOf(written: number): number | undefined {
  const bytes = written === 1 ? 65_536 : written
  return bytes >= 512 && (bytes & (bytes - 1)) === 0 ? bytes : undefined
}

/** Where in the write-ahead log the newest committed content of each page lies. */
function committedFrames(wal: number, pageBytes: number): Map<number, number> {
  const committed = new Map<number, number>()
  let transaction: [page: number, offset: number][] = []
  const frameBytes = frameHeaderBytes + pageBytes
  // Frames of an older round, which the log still holds behind the newest one, have other salts.
  const salts = readAt(wal, walHeaderBytes, frameHeaderBytes).toString('hex', 8, 16)
  const { size } = fstatSync(wal)
  for (let at = walHeaderBytes; at + frameBytes <= size; at += frameBytes) {
    const header = readAt(wal, at, frameHeaderBytes)
    if (header.toString('hex', 8, 16) !== salts) break
    transaction.push([header.readUInt32BE(0), at + frameHeaderBytes])
    const isCommit = header.readUInt32BE(4) !== 0
    if (!isCommit) continue
    for (const [page, offset] of transaction) committed.set(page, offset)
    transaction = []
  }
  return committed
}

/** Bytes at a position; zeros if the file has ended. */
function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(descriptor, bytes, 0, length, position)
  return bytes
}
