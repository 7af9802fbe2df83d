import { noProfile } from './profile-file.js'
import type { Settings } from './settings.js'

/** Whether an account has neither a profile nor a key, so that only its address tells it from others. */
export function isKeyless({ profile, baseUrl, apiKey }: Pick<Settings, 'profile' | 'baseUrl' | 'apiKey'>): boolean {
  return profile === noProfile && baseUrl !== undefined && apiKey === undefined
}
