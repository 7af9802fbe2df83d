import { given, type SettingsInput } from './account-choice.js'
import { readProject } from './trust.js'

/** The profile that `DLV_BASE_URL` overrides: the one that counts here without it; otherwise the current one. */
export function profileHere(
  current: string,
  { env, ...place }: Pick<SettingsInput, 'env' | 'cwd' | 'configDir'>,
): string {
  if (given(env.DLV_BASE_URL) === undefined) return current
  return given(env.DLV_PROFILE) ?? readProject(place)?.profile ?? current
}

/**
 * The setting that takes precedence over a profile unless `-P` names it, as a sentence; `undefined` if there is none.
 */
export function overrideOf(
  name: string,
  { env, ...place }: Pick<SettingsInput, 'env' | 'cwd' | 'configDir'>,
): string | undefined {
  const profile = given(env.DLV_PROFILE)
  const project = readProject(place)
  const [by] = [
    ...(given(env.DLV_BASE_URL) === undefined ? [] : ['DLV_BASE_URL']),
    ...(profile === undefined || profile === name ? [] : [`DLV_PROFILE (${profile.slice(0, 80)})`]),
    ...(project?.profile === undefined || project.profile === name || profile !== undefined ? [] : [project.file]),
  ]
  return by === undefined ? undefined : `${by} overrides profile ${name} here; -P ${name} uses it nevertheless.`
}
