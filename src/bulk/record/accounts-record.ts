import type { RowResult } from '../outcome.js'
import type { IsSettled } from './file-record.js'
import type { RowIdentity, RunRecord } from './run-record.js'

/** Stands for an account in the header of a record that several accounts share; each row names its own. */
export const severalAccounts = 'several accounts'

/** The account of a row. */
export interface RowAccount {
  /** Its name, in results. */
  profile: string
  /** What tells it from all others, whatever it is called. */
  mark: string
}

/**
 * The body of a row with its account: the same order is another one for another account, so that its outcome under this one
 * says nothing of it.
 */
export function bodyOf({ mark }: Pick<RowAccount, 'mark'>, bodyHash: string): string {
  // The beginning tells bodies apart quickly, and the account has to change it.
  return [...mark].reduce((hash, letter) => shifted(hash, letter.charCodeAt(0)), bodyHash)
}

/** A hash with its first digits mixed with a number; as long as before. */
function shifted(hash: string, by: number): string {
  const head = Number.parseInt(hash.slice(0, 8), 16)
  if (Number.isNaN(head)) return `${by}${hash}`
  return (Math.imul(head ^ by, 0x01000193) >>> 0).toString(16).padStart(8, '0') + hash.slice(8)
}

/** Which rows of an account a run on a shared record would skip. */
export function settledOf(account: RowAccount, isSettled: IsSettled): IsSettled {
  return ({ row, bodyHash }) => isSettled({ row, bodyHash: bodyOf(account, bodyHash) })
}

/** One record of a run whose rows belong to several accounts: each account claims and completes its own rows. */
export class AccountsRecord {
  #record: Promise<RunRecord> | undefined
  #unfinished: number

  /** @param accounts how many share it: it is complete once all of them are */
  constructor(accounts: number) {
    this.#unfinished = accounts
  }

  /** The record as an account sees it; the first one opens it. */
  async of(account: RowAccount, open: () => Promise<RunRecord>): Promise<RunRecord> {
    this.#record ??= open()
    return this.#viewOf(account, await this.#record)
  }

  #viewOf(account: RowAccount, record: RunRecord): RunRecord {
    const own = (row: RowIdentity): RowIdentity => ({
      ...row,
      // Two accounts may have the same reference.
      clientOrderReference:
        row.clientOrderReference === null ? null : `${account.profile}: ${row.clientOrderReference}`,
      bodyHash: bodyOf(account, row.bodyHash),
    })
    return {
      ahead: Math.max(16, Math.floor(record.ahead / 8)),
      claim: (rows, serviceMs) => record.claim(rows.map(own), serviceMs),
      complete: (result) => record.complete(withAccount(account, result)),
      flush: () => record.flush(),
      finish: async () => {
        this.#unfinished--
        if (this.#unfinished === 0) await record.finish()
      },
      failure: () => record.failure(),
      // The others may still write.
      close: async () => record.flush(),
    }
  }

  /** Closes the record once no account writes any more. */
  async close(): Promise<void> {
    const record = await this.#record?.catch(() => undefined)
    await record?.close()
  }
}

/** A record of one account in a place where each has its own; its results name it. */
export function namedRecord(account: RowAccount, record: RunRecord): RunRecord {
  return {
    ahead: record.ahead,
    claim: (rows, serviceMs) => record.claim(rows, serviceMs),
    complete: (result) => record.complete(withAccount(account, result)),
    flush: () => record.flush(),
    finish: () => record.finish(),
    failure: () => record.failure(),
    close: () => record.close(),
  }
}

function withAccount({ profile }: RowAccount, result: RowResult): RowResult {
  return { profile, ...result }
}
