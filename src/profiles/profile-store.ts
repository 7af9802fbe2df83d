import { chmodSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../contract/index.js'
import { type Environment, environments } from './environment.js'

/** A named secret of a webhook endpoint. */
export interface NamedSecret {
  name: string
  secret: string
}

/** A profile as it rests in the file. */
export interface Profile {
  environment: Environment
  baseUrl?: string
  /** Where the key rests: in the system's keychain, or in this file as `apiKey`. */
  keyIn?: 'keychain' | 'file'
  apiKey?: string
  webhookSecrets: NamedSecret[]
}

export interface ProfileFile {
  current?: string
  profiles: Record<string, Profile>
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Throws `UsageError` for a name that is not safe as a key of the file and an argument. */
export function checkProfileName(name: string): void {
  if (namePattern.test(name)) return
  throw new UsageError(
    `A profile's name has letters, digits, dots, dashes and underscores (64 at most), not "${name.slice(0, 80)}".`,
  )
}

export const profileFilePath = (configDir: string): string => join(configDir, 'config.json')

/** Reads the profiles; none where there is no file. Refuses a symbolic link and a file that others may read. */
export function readProfiles(configDir: string): ProfileFile {
  const file = profileFilePath(configDir)
  if (!refuseForeign(file)) return { profiles: {} }
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new UsageError(`${file} cannot be read as JSON.`, {
      cause,
      hint: `Repair it, or move it away and add the profiles again.`,
    })
  }
  return parseProfileFile(content, file)
}

/** The profile of this name; `undefined` where there is none. */
export function profileNamed({ profiles }: ProfileFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

/** `false` where there is no such file. */
function refuseForeign(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return false
  if (stats.isSymbolicLink())
    throw new UsageError(`${file} is a symbolic link; keys are not read or written through one.`)
  if (!stats.isFile()) throw new UsageError(`${file} is not a file.`)
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600)
  return true
}

function parseProfileFile(content: unknown, file: string): ProfileFile {
  const broken = (what: string) =>
    new UsageError(`${file}: ${what}.`, { hint: 'Repair it, or move it away and add the profiles again.' })
  if (typeof content !== 'object' || content === null) throw broken('must hold one JSON object')
  const { current, profiles } = content as { current?: unknown; profiles?: unknown }
  const read: ProfileFile = { profiles: {} }
  if (typeof current === 'string') read.current = current
  for (const [name, stored] of Object.entries((profiles ?? {}) as Record<string, Partial<Profile>>)) {
    const environment = environments.find((known) => known === stored?.environment)
    if (environment === undefined) throw broken(`profile "${name}" has no environment`)
    read.profiles[name] = {
      environment,
      ...(typeof stored.baseUrl === 'string' ? { baseUrl: stored.baseUrl } : {}),
      ...(stored.keyIn === undefined ? {} : { keyIn: stored.keyIn }),
      ...(typeof stored.apiKey === 'string' ? { apiKey: stored.apiKey } : {}),
      webhookSecrets: Array.isArray(stored.webhookSecrets) ? stored.webhookSecrets : [],
    }
  }
  return read
}

/** Writes the profiles, whole and for this user alone (0600 in a folder of 0700). Throws `UsageError` where the disk refuses. */
export async function writeProfiles(configDir: string, content: ProfileFile): Promise<void> {
  const file = profileFilePath(configDir)
  const [{ default: Conf }, { makeFolder }] = await Promise.all([import('conf'), import('../shared/directory.js')])
  try {
    makeFolder(configDir)
    refuseForeign(file)
    const store = new Conf<{ current?: string; profiles: Record<string, Profile> }>({
      cwd: configDir,
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    })
    store.store = content
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`${file} cannot be written: ${(cause as Error).message}.`, {
      cause,
      hint: 'DLV_CONFIG_DIR names another folder for it.',
    })
  }
}
