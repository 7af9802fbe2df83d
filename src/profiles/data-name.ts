import { noProfile } from './profile-file.js'
import type { Settings } from './settings.js'

/** Long enough to recognize a host, short enough for the name of a file. */
const longestHost = 80

/**
 * The name that an account's journal, results, order ledger and idempotency keys belong to: the profile's, or, if there is
 * none, the host with a fingerprint of the base URL and the key, such as `api.example.com@3f9a61c05b7e`. Two accounts that
 * variables name share nothing. No profile has an `@` in its name.
 */
export function dataNameOf({ profile, baseUrl, apiKey }: Pick<Settings, 'profile' | 'baseUrl' | 'apiKey'>): string {
  if (profile !== noProfile || baseUrl === undefined) return profile
  const { hash } = process.getBuiltinModule('node:crypto')
  const host = new URL(baseUrl).host.slice(0, longestHost).replaceAll(/[^\w.-]/g, '_')
  const fingerprint = hash('sha256', JSON.stringify([baseUrl, apiKey ?? null]), 'hex').slice(0, 12)
  return `${host}@${apiKey === undefined ? 'no-key-' : ''}${fingerprint}`
}

/** Whether an account has neither a profile nor a key, so that only its address tells it from others. */
export function isKeyless({ profile, baseUrl, apiKey }: Pick<Settings, 'profile' | 'baseUrl' | 'apiKey'>): boolean {
  return profile === noProfile && baseUrl !== undefined && apiKey === undefined
}
