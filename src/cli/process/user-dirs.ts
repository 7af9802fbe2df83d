import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>

/** Where the program keeps what it remembers. */
export interface Folders {
  configDir: string
  dataDir: string
}

/** The folders of this user: `DLV_CONFIG_DIR` and `DLV_DATA_DIR`, else what the platform is used to. */
export function foldersOf(env: Variables, platform: NodeJS.Platform = process.platform): Folders {
  const local = platform === 'win32' ? env.LOCALAPPDATA : undefined
  const home = homeOf(env, platform)
  return {
    configDir: env.DLV_CONFIG_DIR || join(env.XDG_CONFIG_HOME || local || join(home, '.config'), 'dlv'),
    dataDir: env.DLV_DATA_DIR || join(env.XDG_DATA_HOME || local || join(home, '.local', 'share'), 'dlv'),
  }
}

function homeOf(env: Variables, platform: NodeJS.Platform): string {
  if (env.HOME) return env.HOME
  const windowsHome =
    platform === 'win32' ? (env.HOMEDRIVE && env.HOMEPATH && join(env.HOMEDRIVE, env.HOMEPATH)) || env.USERPROFILE : ''
  return windowsHome || homedir() || tmpdir()
}
