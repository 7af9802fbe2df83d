import { UsageError } from '../contract/index.js'
import { isOwnFile, type ProfileFile, profileFilePath, readProfiles } from './profile-file.js'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Throws `UsageError` for a name that is not safe as a key of the file and an argument. */
export function checkProfileName(name: string): void {
  if (namePattern.test(name)) return
  throw new UsageError(
    `A profile name has up to 64 letters, digits, dots, dashes and underscores, got "${name.slice(0, 80)}".`,
  )
}

/**
 * Reads the profiles, applies a change and writes them back: whole or not at all, readable by their owner only whatever
 * the umask is. Members of the file that this version does not know are kept. `conf` does the writing and is loaded for
 * it only: reading is on the path of every command.
 *
 * @throws UsageError for a malformed file, which stays as it is, and if the file cannot be written
 */
export async function changeProfiles(
  configDir: string,
  change: (before: ProfileFile) => ProfileFile,
): Promise<ProfileFile> {
  const file = profileFilePath(configDir)
  const [{ default: Conf }, { makeFolder }] = await Promise.all([import('conf'), import('../shared/directory.js')])
  // From here to the end without a pause: the umask is the whole process's.
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
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, {
      cause,
      hint: 'DLV_CONFIG_DIR chooses another directory.',
    })
  } finally {
    process.umask(umask)
  }
}
