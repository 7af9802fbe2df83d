import { accessSync, chmodSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, posix, win32 } from 'node:path'
import { UsageError } from './dlv-error.js'

type Variables = Readonly<Record<string, string | undefined>>

/** The directories for the program's files. */
export interface Folders {
  configDir: string
  dataDir: string
}

/**
 * The directories of this user: `DLV_CONFIG_DIR` and `DLV_DATA_DIR`, or the platform's usual ones. Without a home
 * directory, as with `HOME=/dev/null`, they are in a private temporary directory.
 *
 * @throws UsageError if that temporary directory belongs to someone else
 */
export function foldersOf(env: Variables, platform: NodeJS.Platform = process.platform): Folders {
  const { join: joined } = platform === 'win32' ? win32 : posix
  const local = platform === 'win32' ? env.LOCALAPPDATA : undefined
  let home: string | undefined
  const inHome = (folder: string) => {
    home ??= homeOf(env, platform)
    return joined(home, folder)
  }
  return {
    configDir: env.DLV_CONFIG_DIR || joined(env.XDG_CONFIG_HOME || local || inHome('.config'), 'dlv'),
    dataDir: env.DLV_DATA_DIR || joined(env.XDG_DATA_HOME || local || inHome(joined('.local', 'share')), 'dlv'),
  }
}

function homeOf(env: Variables, platform: NodeJS.Platform): string {
  const windowsHome =
    platform === 'win32'
      ? (env.HOMEDRIVE && env.HOMEPATH && win32.join(env.HOMEDRIVE, env.HOMEPATH)) || env.USERPROFILE
      : ''
  const home = env.HOME || windowsHome || homedir()
  return home && isUsable(home) ? home : privateTemporaryDirectory(env)
}

/** Whether a home directory exists or can be created: the nearest existing parent decides. */
function isUsable(home: string): boolean {
  try {
    const stats = statSync(home, { throwIfNoEntry: false })
    if (stats !== undefined) return stats.isDirectory()
    const above = dirname(home)
    if (statSync(above, { throwIfNoEntry: false }) === undefined) return above !== home && isUsable(above)
    accessSync(above, constants.W_OK)
    return statSync(above).isDirectory()
  } catch {
    return false // a file in its path, or a directory that cannot be written
  }
}

/** Other users can create directories there too: it is created first, and used only if it belongs to this user. */
function privateTemporaryDirectory(env: Variables): string {
  const uid = process.getuid?.()
  const path = join(env.TMPDIR || tmpdir(), uid === undefined ? 'dlv' : `dlv-${uid}`)
  try {
    mkdirSync(path, { mode: 0o700 })
    chmodSync(path, 0o700)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw unusable(path, message)
  }
  const stats = lstatSync(path)
  if (!stats.isDirectory() || (uid !== undefined && (stats.uid !== uid || (stats.mode & 0o022) !== 0)))
    throw unusable(path, 'it does not belong to you only')
  return path
}

function unusable(path: string, why: string): UsageError {
  return new UsageError(`No home directory found, and ${path} cannot be used: ${why}.`, {
    hint: 'Set HOME, or DLV_CONFIG_DIR and DLV_DATA_DIR.',
  })
}
