import { resolve } from 'node:path'
import { exposureOf, type Profile, type ProfileFile, profileFilePath, readProfiles } from '../../profiles/index.js'
import type { ProfileRow } from '../../render/profile-view.js'
import type { Session } from '../session/session.js'

/** The profiles of this user; warns if other users can read the file that holds them. */
export function profilesOf(session: Session): ProfileFile {
  const { configDir } = session.config
  warnIfExposed(session, profileFilePath(configDir))
  return readProfiles(configDir)
}

/** Warns if other users can read a file with a key or a secret. */
export function warnIfExposed({ context, notices }: Session, file: string): void {
  const exposure = exposureOf(resolve(context.cwd, file))
  if (exposure !== undefined) notices.warn(exposure)
}

/** A profile to show; `current` is the file's value: `null` for none, absent for the built-in `local`. */
export function profileRow(name: string, profile: Profile, current: ProfileFile['current']): ProfileRow {
  const isEmbedded = profile.baseUrl === undefined
  return {
    name,
    current: name === (current === undefined ? 'local' : current),
    environment: profile.environment,
    baseUrl: profile.baseUrl ?? null,
    apiKey: profile.keyIn ?? (profile.apiKey === undefined ? (isEmbedded ? 'embedded' : 'none') : 'file'),
    webhookSecrets: profile.webhookSecrets.length,
  }
}

/** All profiles, including `local`. */
export function profileRows(file: ProfileFile): ProfileRow[] {
  const profiles: Record<string, Profile> = { local: { environment: 'local', webhookSecrets: [] }, ...file.profiles }
  return Object.entries(profiles).map(([name, profile]) => profileRow(name, profile, file.current))
}
