import { isRecord } from '../shared/json.js'
import type { Column } from './view.js'

/** The first column of what several accounts have. */
export const profileColumn: Column = { name: 'profile', keep: true }

/** The name of a member that holds the account of a row, where a row has one of that name itself. */
const member = 'profile'

/**
 * A row with its account in front. What is no object, such as a text, becomes the value of one.
 *
 * @returns an object that begins with `profile`
 */
export function withProfile(profile: string, row: unknown): Record<string, unknown> {
  if (!isRecord(row)) return { [member]: profile, value: row }
  const { [member]: _, ...rest } = row
  return { [member]: profile, ...rest }
}
