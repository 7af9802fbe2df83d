import { createHmac, randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../shared/directory.js'
import { UsageError } from '../../shared/dlv-error.js'

type Variables = Readonly<Record<string, string | undefined>>

/** The secret by which a served sandbox proves to the command line that it belongs to the same user. */
interface ProofSecret {
  secret: string
  /**
   * Given to both sides by hand. A proof then holds at any address, such as a container's published port; with the file
   * it holds only for the address that both sides see, so nobody can pass a challenge on to another port.
   */
  isShared: boolean
}

/** The length below which a shared secret could be guessed. */
const shortestSecret = 16

/** The proof: only who knows the secret can answer a challenge, for this address of the connection. */
export function sandboxProof({ secret, isShared }: ProofSecret, challenge: string, address: string): string {
  return createHmac('sha256', secret)
    .update(`dlv-sandbox\n${challenge}\n${isShared ? '' : address}`)
    .digest('base64url')
}

/** A new challenge. */
export function newChallenge(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a text can be a challenge. */
export function isChallenge(text: string): boolean {
  return /^[\w-]{32,64}$/.test(text)
}

/** An end of a connection, spelled alike on both sides. */
export function socketName(address: string | undefined, port: number | undefined): string {
  return `${(address ?? '').replace(/^::ffff:/, '')} ${port ?? 0}`
}

/**
 * The secret of `DLV_SANDBOX_SECRET`, or of the file in the data directory; `undefined` if there is none.
 *
 * @throws UsageError if the variable is too short
 */
export function proofSecret(env: Variables, dataDir: () => string): ProofSecret | undefined {
  const shared = sharedSecret(env)
  if (shared !== undefined) return shared
  const secret = secretInFile(dataDir())
  return secret === undefined ? undefined : { secret, isShared: false }
}

/** The secret of `DLV_SANDBOX_SECRET`. Throws `UsageError` if it is too short. */
export function sharedSecret({ DLV_SANDBOX_SECRET: given = '' }: Variables): ProofSecret | undefined {
  if (given === '') return undefined
  if (given.length >= shortestSecret) return { secret: given, isShared: true }
  throw new UsageError(`DLV_SANDBOX_SECRET has ${given.length} characters; it needs ${shortestSecret} or more.`, {
    hint: 'Generate one: openssl rand -hex 32',
  })
}

/** Creates the secret of the data directory unless it exists; `undefined` if the directory cannot be written. */
export function ensureProofSecret(env: Variables, dataDir: string): ProofSecret | undefined {
  const known = proofSecret(env, () => dataDir)
  if (known !== undefined) return known
  const file = secretFile(dataDir)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    makeFolder(dataDir)
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
    // Another process may create it at the same time: the first one wins, whole.
    linkSync(draft, file)
  } catch {
    // Read below, or nothing can be proved.
  } finally {
    rmSync(draft, { force: true })
  }
  return proofSecret(env, () => dataDir)
}

/** The file with the secret of a user. */
export function secretFile(dataDir: string): string {
  return join(dataDir, 'sandbox.secret')
}

/**
 * Why the secret of a data directory proves nothing: others can read it or have written it. `undefined` if it can prove
 * something, or does not exist.
 *
 * @throws the file system's error
 */
export function secretFault(dataDir: string): string | undefined {
  const stats = lstatSync(secretFile(dataDir), { throwIfNoEntry: false })
  const uid = process.getuid?.()
  if (stats === undefined) return undefined
  if (!stats.isFile()) return 'is not a file'
  if (uid !== undefined && stats.uid !== uid) return 'belongs to another user'
  return uid !== undefined && (stats.mode & 0o077) !== 0 ? 'can be read or written by others' : undefined
}

function secretInFile(dataDir: string): string | undefined {
  try {
    const secret = secretFault(dataDir) === undefined ? readFileSync(secretFile(dataDir), 'utf8') : ''
    return secret.length >= shortestSecret ? secret : undefined
  } catch {
    return undefined
  }
}
