import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../contract/index.js'
import {
  exposureOf,
  type NamedSecret,
  type Profile,
  type ProfileFile,
  profileFilePath,
  profileNamed,
  readProfiles,
} from '../../profiles/index.js'
import type { ProfileRow } from '../../render/profile-view.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'
import { parseSecret } from '../../webhooks/index.js'
import { fingerprintOf, isSameSecret } from '../../webhooks/internal.js'
import type { Session } from '../session/session.js'

/**
 * The secrets of a profile with more of them, each under a name of its own. One that is there already stays as it is.
 */
export function withSecrets(
  before: readonly NamedSecret[],
  added: readonly NamedSecret[],
  nowMs: number,
): NamedSecret[] {
  const secrets = [...before]
  for (const { name, ...secret } of added) {
    if (secrets.some((known) => isSameSecret(known.secret, secret.secret))) continue
    secrets.push({ name: freeName(name, secrets), ...secret, addedAt: new Date(nowMs).toISOString() })
  }
  return secrets
}

/** The profiles of other accounts that have a secret: events that it signs are taken for those of either. */
function othersWith(secret: string, profile: string, { profiles }: ProfileFile): string[] {
  const own = profiles[profile]
  const isSameAccount = (one: Profile) =>
    own?.account !== undefined && one.account === own.account && one.baseUrl === own.baseUrl
  return Object.entries(profiles)
    .filter(([name, one]) => name !== profile && !isSameAccount(one))
    .filter(([, one]) => one.webhookSecrets.some((known) => isSameSecret(known.secret, secret)))
    .map(([name]) => name)
}

/** Warns of secrets that profiles of other accounts have too. */
export function warnOfShared(session: Session, profile: string, secrets: readonly NamedSecret[]): void {
  const file = profilesOf(session)
  const others = [...new Set(secrets.flatMap(({ secret }) => othersWith(secret, profile, file)))]
  if (others.length > 0)
    session.notices.warn(
      `Not known as the same account, and with the same secret: profile ${others.join(', ')}. A webhook that it signs is taken as one of the account that is listened for; remove it where it does not belong.`,
    )
}

function freeName(name: string, taken: readonly NamedSecret[]): string {
  const isFree = (candidate: string) => taken.every((other) => other.name !== candidate)
  if (isFree(name)) return name
  for (let number = 2; ; number++) if (isFree(`${name} ${number}`)) return `${name} ${number}`
}

/** The one secret of a profile with this name or fingerprint. Throws `UsageError`. */
export function secretCalled(profile: string, secrets: readonly NamedSecret[], called: string): NamedSecret {
  const found = secrets.filter(({ name, secret }) => name === called || fingerprintOf(secret) === called)
  const [one] = found
  if (one !== undefined && found.length === 1) return one
  const list = secrets.map(({ name, secret }) => `${name} (${fingerprintOf(secret)})`).join(', ')
  throw new UsageError(
    found.length > 1
      ? `Profile "${profile}" has several secrets named "${called.slice(0, 80)}".`
      : `Profile "${profile}" has no secret "${called.slice(0, 80)}".`,
    { hint: list === '' ? 'It has no secrets.' : `It has: ${list}.` },
  )
}

/** A stored profile, or the built-in `local`. Throws `UsageError`. */
export function editableProfile(file: ProfileFile, name: string): Profile {
  const stored =
    profileNamed(file, name) ?? (name === 'local' ? { environment: 'local', webhookSecrets: [] } : undefined)
  if (stored === undefined) throw notFound(name, ['local', ...Object.keys(file.profiles)])
  return stored
}

/** The error for an unknown profile name. */
export function notFound(name: string, known: readonly string[]): UsageError {
  const near = suggestions(name, known)
  const hint =
    didYouMean(near) ?? (known.length > 0 ? `Choose one of: ${known.join(', ')}.` : 'dlv profiles add NAME adds one.')
  return new UsageError(`Profile "${name.slice(0, 80)}" not found.`, { hint })
}

/**
 * The secrets of a profile as they are stored whenever they are asked for: the file is read again once it has changed.
 * A file that cannot be used changes nothing.
 */
export function followedSecrets(
  configDir: string,
  profile: string,
  first: readonly NamedSecret[],
): () => readonly NamedSecret[] {
  const file = profileFilePath(configDir)
  let current = first
  let seen: string | undefined
  return () => {
    const stamp = stampOf(file)
    if (stamp === seen) return current
    try {
      const secrets = profileNamed(readProfiles(configDir), profile)?.webhookSecrets ?? []
      for (const named of secrets) parseSecret(named.secret, named)
      current = secrets
    } catch {
      // The next change may be a better one.
    }
    seen = stamp
    return current
  }
}

function stampOf(file: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(file, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return ''
  }
}

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
