import { isRecord } from '../../../shared/json.js'
import { fingerprintOf } from '../../../webhooks/internal.js'
import type { SecretSummary } from '../../wire/webhooks.js'
import { accountQuery, type Backend } from '../backend.js'

/** The secrets that are known here and those that the sandbox signs with, by name; never their values. */
export async function secretsOf(backend: Backend): Promise<SecretSummary[]> {
  const { secrets, listener, control } = backend
  const answer = await control?.('GET', `/secrets${accountQuery(backend)}`)
  const active = isRecord(answer) && Array.isArray(answer.secrets) ? answer.secrets.map(String) : undefined
  const counts = new Map(listener?.countBySecret().map(({ name, verified }) => [name, verified]))
  const own = secrets.map(({ name, secret }) => ({
    name,
    fingerprint: fingerprintOf(secret),
    verified: listener === undefined ? null : (counts.get(name) ?? 0),
    isActive: active === undefined ? null : active.includes(secret),
  }))
  const known = new Set(secrets.map(({ secret }) => secret))
  const others = (active ?? [])
    .filter((secret) => !known.has(secret))
    .map((secret, index) => ({
      name: `sandbox ${index + 1}`,
      fingerprint: fingerprintOf(secret),
      verified: null,
      isActive: true,
    }))
  return [...others, ...own]
}
