import { Flags } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import { hasPassword, isPostgresAddress } from '../../postgres/index.js'
import { pathOf } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

/** `--journal`, where received events are kept. */
export const journalFlag = {
  journal: Flags.string({
    summary: "Journal (default: DLV_JOURNAL or the profile's)",
    helpValue: 'FILE|postgres://…',
  }),
}

/**
 * The journal of `--journal` or `DLV_JOURNAL`: a file or an address; `undefined` if neither is given.
 *
 * @throws UsageError if the flag holds a password
 */
export function journalPlace(context: ProcessContext, flag: string | undefined): string | undefined {
  if (flag !== undefined && isPostgresAddress(flag) && hasPassword(flag))
    throw new UsageError('The address of --journal holds a password, which other users of this machine can see.', {
      hint: 'Leave it out and set PGPASSWORD or PGPASSFILE, or put the whole address into DLV_JOURNAL.',
    })
  const place = flag ?? (context.env.DLV_JOURNAL || undefined)
  if (place === undefined || isPostgresAddress(place)) return place
  return pathOf(context, place)
}
