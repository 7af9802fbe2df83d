import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { archivePaths, hasArchive } from '../../archive/index.js'
import { openOrderLedger, type SentLedger, textsFile } from '../../sent/index.js'
import { isDamaged } from '../../shared/sqlite.js'
import type { Notices } from '../output/notices.js'

/** The ledger of an account. If its file cannot be used, that is said, and orders are sent all the same. */
export function openSentLedger(
  file: string,
  account: string,
  { nowMs, notices }: { nowMs: () => number; notices: Pick<Notices, 'warn'> },
): SentLedger {
  const onFailure = (failure: Error, keys: readonly string[]) => notices.warn(unrecorded(file, failure, keys))
  const onTextsFailure = (failure: Error) =>
    notices.warn(
      `Cannot keep the descriptions and metadata of these orders in ${textsFile(file)} (${failure.message}). The archive will lack them.`,
    )
  return openOrderLedger({ file, account, nowMs, onFailure, ...(keepsTexts(file, account) && { onTextsFailure }) })
}

/** An archive without personal data (`dlv sync --no-personal`) takes no words, so none are kept for it. */
function keepsTexts(file: string, account: string): boolean {
  const paths = archivePaths(dirname(file), account)
  return !hasArchive(paths) || existsSync(paths.people)
}

/** What is lost with a ledger that cannot be used. */
function unrecorded(file: string, failure: Error, keys: readonly string[]): string {
  const remedy = isDamaged(failure) ? ' Move the damaged file away, and a new one begins.' : ''
  if (keys.length === 0)
    return `Cannot use ${file} (${failure.message}).${remedy} Promised times are not kept; reports judge lateness by the first ETA.`
  const what = keys.length === 1 ? 'this order' : 'the orders of this run'
  const rest = keys.length === 1 ? `Its idempotency key: ${keys[0]}` : 'Only its results file knows them.'
  return `Cannot record ${what} in ${file} (${failure.message}).${remedy} ${rest}`
}
