import { lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../contract/index.js'
import { shellWord } from '../shared/command-words.js'
import { isRecord, readJsonText } from '../shared/json.js'
import { type Environment, environments, lockedFile } from './environment.js'

/** A signing secret of a webhook endpoint, with a name to tell it from others. */
export interface NamedSecret {
  name: string
  secret: string
  /** Takes a key that can be guessed, as a test of others may have it. */
  allowWeak?: boolean | undefined
  /** When it was added, in RFC 3339; absent in a file that was edited by hand. */
  addedAt?: string
}

/** A profile as stored in the file. */
export interface Profile {
  environment: Environment
  baseUrl?: string
  /** The place of the key: the system's keychain, or this file as `apiKey`. */
  keyIn?: 'keychain' | 'file'
  apiKey?: string
  /** The mark of the account that it was last used with. */
  account?: string
  /** The account before its key was replaced, until the new key was asked whose it is. */
  formerAccount?: string
  webhookSecrets: NamedSecret[]
}

export interface ProfileFile {
  /** `null` after the current profile was removed, until another is chosen; absent if none was ever chosen. */
  current?: string | null
  profiles: Record<string, Profile>
}

/** Stands for the profile of an account without one. */
export const noProfile = 'none'

export const profileFilePath = (configDir: string): string => join(configDir, 'config.json')

/** Reads the profiles; none if there is no file. Throws `UsageError` for a symbolic link and for malformed content. */
export function readProfiles(configDir: string): ProfileFile {
  const file = profileFilePath(configDir)
  if (!isOwnFile(file)) return { profiles: {} }
  const reading = readJsonText(readText(file))
  // The parser's own message would quote the text around the fault, which may be a key.
  if ('fault' in reading) throw malformed(file, reading.fault === 'depth' ? reading.message : 'is not valid JSON')
  return parseProfileFile(reading.value, file)
}

/** The profile of this name; `undefined` if there is none. */
export function profileNamed({ profiles }: ProfileFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

const mostBytes = 16 * 1_048_576

/** Whether the file exists. Throws `UsageError` for a symbolic link, which could lead to someone else's file. */
export function isOwnFile(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return false
  if (stats.isSymbolicLink())
    throw new UsageError(`${file} is a symbolic link; keys are not read or written through one.`)
  if (!stats.isFile() || stats.size > mostBytes)
    throw new UsageError(`${file} is ${stats.isFile() ? 'larger than 16 MB' : 'not a file'}.`)
  return true
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`Cannot read ${file}: ${(cause as Error).message}.`, { cause })
  }
}

function malformed(file: string, what: string): UsageError {
  return new UsageError(`${file} ${what}.`, { hint: 'Fix it, or move it away and add the profiles again.' })
}

function parseProfileFile(content: unknown, file: string): ProfileFile {
  if (!isRecord(content)) throw malformed(file, `must hold a JSON object, not ${kindOf(content)}`)
  const { current, profiles = {} } = content
  if (current !== undefined && current !== null && typeof current !== 'string')
    throw malformed(file, 'has a "current" that is not the name of a profile')
  if (!isRecord(profiles)) throw malformed(file, `has "profiles" that are ${kindOf(profiles)}, not an object`)
  const read: ProfileFile = { ...(current === undefined ? {} : { current }), profiles: {} }
  for (const [name, stored] of Object.entries(profiles)) {
    if (!isProfile(stored))
      throw malformed(
        file,
        `has a profile "${name}" that is malformed: it needs an "environment" (${environments.join(', ')}), and texts for "baseUrl" and "apiKey"`,
      )
    read.profiles[name] = { ...stored, webhookSecrets: stored.webhookSecrets ?? [] }
  }
  return read
}

/** Whether a stored value is a profile; one that was edited by hand may lack its list of secrets. */
function isProfile(value: unknown): value is Omit<Profile, 'webhookSecrets'> & Partial<Profile> {
  if (!isRecord(value)) return false
  const { environment, baseUrl, keyIn, apiKey, account, formerAccount, webhookSecrets = [] } = value
  return (
    environments.some((known) => known === environment) &&
    isTextIfGiven(baseUrl) &&
    [apiKey, account, formerAccount].every(isTextIfGiven) &&
    (keyIn === undefined || keyIn === 'keychain' || keyIn === 'file') &&
    Array.isArray(webhookSecrets) &&
    webhookSecrets.every(
      (entry) =>
        isRecord(entry) &&
        typeof entry.name === 'string' &&
        typeof entry.secret === 'string' &&
        isTextIfGiven(entry.addedAt) &&
        (entry.allowWeak === undefined || typeof entry.allowWeak === 'boolean'),
    )
  )
}

function isTextIfGiven(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/**
 * A warning for the owner of a file with a key or secret that other users of this machine can read, with the command
 * that fixes it; `undefined` if nobody else can read it, for a pipe, and on Windows.
 */
export function exposureOf(file: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true || (stats.mode & 0o077) === 0) return undefined
  return `Other users can read ${file}; run: chmod 600 ${shellWord(file)}`
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Throws `UsageError` for a name that is not safe as a key of the file and as an argument. */
export function checkProfileName(name: string): void {
  if (namePattern.test(name) && name !== noProfile) return
  if (name === noProfile) throw new UsageError(`"${noProfile}" stands for no profile; choose another name.`)
  throw new UsageError(
    `A profile name has up to 64 letters, digits, dots, dashes and underscores, got "${name.slice(0, 80)}".`,
  )
}

/**
 * Reads the profiles, applies a change and writes them atomically, readable only by their owner whatever the umask. Waits
 * while another process does the same, so that no change is lost.
 * Unknown members of the file are kept. `conf` does the writing and is loaded only for it, because every command reads.
 *
 * @throws UsageError for a malformed file, which is left unchanged, and if the file cannot be written
 */
export async function changeProfiles(
  configDir: string,
  change: (before: ProfileFile) => ProfileFile,
): Promise<ProfileFile> {
  const file = profileFilePath(configDir)
  const [{ default: Conf }, { makeFolder }] = await Promise.all([import('conf'), import('../shared/directory.js')])
  try {
    // No await in here: the umask applies to the whole process.
    return await lockedFile(file, () => {
      const umask = process.umask(0o077)
      try {
        const after = change(readProfiles(configDir))
        makeFolder(configDir)
        isOwnFile(file)
        const store = new Conf<Record<string, unknown>>({
          cwd: configDir,
          configName: 'config',
          configFileMode: 0o600,
          accessPropertiesByDotNotation: false,
        })
        store.set({ ...after })
        return after
      } finally {
        process.umask(umask)
      }
    })
  } catch (cause) {
    throw writeFailure(file, cause)
  }
}

function writeFailure(file: string, cause: unknown): UsageError {
  if (cause instanceof UsageError) return cause
  return new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, {
    cause,
    hint: 'DLV_CONFIG_DIR chooses another directory.',
  })
}
