import type { Profile, ProfileFile } from '../../profiles/index.js'
import type { ProfileRow } from '../../render/profile-view.js'

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
