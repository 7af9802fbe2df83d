import { UsageError } from '../../contract/index.js'
import { type NamedSecret, type Profile, type ProfileFile, profileNamed } from '../../profiles/index.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'
import { fingerprintOf, isSameSecret } from '../../webhooks/internal.js'

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
