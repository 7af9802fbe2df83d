import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Flags } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { isPostgresAddress } from '../../postgres/index.js'
import { refuseOtherAddress, refusePassword } from '../input/network-addresses.js'
import { missingFileHint, pathOf } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

/** `--journal`, where received events are kept. */
export const journalFlag = {
  journal: Flags.string({
    summary: "Journal (default: DLV_JOURNAL or the account's)",
    helpValue: 'FILE|postgres://…',
  }),
}

/**
 * The journal of `--journal` or `DLV_JOURNAL`: a file or an address; `undefined` if neither is given.
 *
 * @throws UsageError if the flag holds a password, or the place is no regular file
 */
export function journalPlace(
  context: Pick<ProcessContext, 'env' | 'cwd'>,
  flag: string | undefined,
): string | undefined {
  if (flag !== undefined) refusePassword(flag, '--journal', ', or put the whole address into DLV_JOURNAL')
  const place = flag ?? (context.env.DLV_JOURNAL || undefined)
  if (place === undefined || isPostgresAddress(place)) return place
  refuseOtherAddress(place, flag === undefined ? 'DLV_JOURNAL' : '--journal')
  const path = pathOf(context, place)
  const stats = statSync(path, { throwIfNoEntry: false })
  const named = `${flag === undefined ? 'DLV_JOURNAL' : '--journal'} ${place}`
  if (stats?.isDirectory())
    throw new UsageError(`${named} is a directory.`, { hint: 'Name a file in it, such as journal.db.' })
  // A pipe would be waited for, and no signal ends that.
  if (stats?.isFile() === false)
    throw new UsageError(`${named} is not a regular file.`, { hint: 'Name a file, such as journal.db.' })
  return path
}

/** The file of an account's journal, by the name that the account's data is kept under. */
export function journalFileOf(dataDir: string, dataName: string): string {
  return join(dataDir, `journal-${dataName}.db`)
}

/** The error for a journal that is not there, by the name that the flag gave or by its place; `undefined` if it is. */
export function missingJournal(
  context: ProcessContext,
  place: string,
  flag: string | undefined,
): UsageError | undefined {
  if (isPostgresAddress(place) || existsSync(place)) return undefined
  return flag === undefined
    ? new UsageError(`No webhooks received yet: journal ${place} not found.`, {
        hint: 'dlv webhooks listen creates it; each account has its own.',
      })
    : new UsageError(`--journal ${flag} cannot be read: no such file or directory.`, {
        hint: `${missingFileHint(context, flag)} dlv webhooks listen --journal ${flag} creates it.`,
      })
}
