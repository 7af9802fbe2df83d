import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../contract/index.js'
import { hmacSha256 } from '../shared/crypto.js'
import { replacePrivateFile } from '../shared/directory.js'
import { lockedFile } from './locked-file.js'

/** The random key of a data directory, by which keys and secrets are recognized and records are authenticated. */
export const directoryKeyPath = (dataDir: string): string => join(dataDir, 'account-key')

/**
 * The key of a data directory, created at first use for its owner only.
 *
 * @throws UsageError for a symbolic link; the file system's error if it cannot be read or written
 */
export async function directoryKey(dataDir: string): Promise<Buffer> {
  const file = directoryKeyPath(dataDir)
  const known = readKey(file)
  if (known !== undefined) return known
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  return lockedFile(file, () => {
    const other = readKey(file)
    if (other !== undefined) return other
    const key = randomBytes(32)
    replacePrivateFile(file, `${key.toString('hex')}\n`)
    return key
  })
}

function readKey(file: string): Buffer | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw new UsageError(`${file} is not a file.`, { hint: 'Move it away, or set DLV_DATA_DIR to another directory.' })
  const text = readFileSync(file, 'utf8').trim()
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** Tells a key or secret from others. Without the data directory's key, nobody can try values against it. */
export function fingerprintWith(directoryKey: Buffer, kind: 'key' | 'secret', value: string): string {
  return authenticated(directoryKey, [kind, value]).slice(0, 32)
}

/** An HMAC of values with the data directory's key, as hexadecimal digits. */
export function authenticated(directoryKey: Buffer, values: readonly unknown[]): string {
  return Buffer.from(hmacSha256(directoryKey, '', JSON.stringify(values)), 'base64').toString('hex')
}

/** A slow hash of a key with a salt, for a database that others can read: nobody can try many values against it. */
export function sharedFingerprint(key: string, salt: string): Promise<string> {
  const { scrypt } = process.getBuiltinModule('node:crypto')
  return new Promise((resolve, reject) =>
    scrypt(key, `dlv account ${salt}`, 16, (error, hash) =>
      error === null ? resolve(hash.toString('hex')) : reject(error),
    ),
  )
}
