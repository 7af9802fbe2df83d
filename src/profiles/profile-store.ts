import { UsageError } from '../contract/index.js'
import { lockedFile } from './locked-file.js'
import { isOwnFile, noProfile, type ProfileFile, profileFilePath, readProfiles } from './profile-file.js'

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
