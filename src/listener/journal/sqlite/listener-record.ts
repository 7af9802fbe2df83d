import { isRecord, tryParseJson } from '../../../shared/json.js'
import { lockHolder } from '../../../shared/sqlite.js'
import type { JournalStatus } from '../reader.js'

/** The cursor under which the listener of a file stores its address and the number of rejected requests. */
export const listenerCursor = 'listener'

/** A listener's entry about itself. */
export interface ListenerNote {
  since: string
  url: string | null
  rejected: number
}

/** The listener of a journal in a file, from its lock and from what it noted last. */
export function listenerOf(file: string, note: string | undefined): JournalStatus['listener'] {
  const value = note === undefined ? undefined : tryParseJson(note)?.value
  const { since, url, rejected } = isRecord(value) ? value : {}
  const holder = lockHolder(`${file}.lock`)
  return {
    running: holder !== undefined,
    pid: holder?.pid ?? null,
    since: holder?.startedAt ?? (typeof since === 'string' ? since : null),
    url: typeof url === 'string' ? url : null,
    rejected: typeof rejected === 'number' ? rejected : 0,
  }
}
