import { UsageError } from '../../contract/index.js'
import { hasPassword, isPostgresAddress } from '../../postgres/index.js'
import { parseWebAddress, webAddress } from '../../shared/web-address.js'

/**
 * Refuses an address with a password on the command line, without repeating it.
 *
 * @param otherwise what else can be done with the whole address, for the hint
 */
export function refusePassword(address: string, flag: string, otherwise = ''): void {
  if (!hasPassword(address)) return
  throw new UsageError(`The address of ${flag} holds a password, which other users of this machine can see.`, {
    hint: `Leave it out and set PGPASSWORD or PGPASSFILE${otherwise}.`,
  })
}

/** Refuses what is meant as an address and is none of PostgreSQL: as a file it would be repeated, with its password. */
export function refuseOtherAddress(text: string, name: string): void {
  // A path that begins as one may have an @ in it.
  const isAddress = /^[a-z][a-z\d+.-]+:\/\/|password=|^(?!\.{0,2}\/[^/]|[a-z]:\\).*@/i.test(text)
  if (isAddress)
    throw new UsageError(`${name} must be a file or an address such as postgres://user@one:5432,two:5432/name.`)
}

/**
 * The address of `--to`, the database of a shared archive.
 *
 * @throws UsageError if it is not one of PostgreSQL, or holds a password
 */
export function databaseAddress(to: string): string {
  if (!isPostgresAddress(to))
    throw new UsageError('--to is not the address of a PostgreSQL database.', {
      hint: 'Such as --to postgres://dlv@db.example.com/dlv',
    })
  refusePassword(to, '--to')
  return to
}

/** Throws `UsageError` if the text is not an http or https URL. */
export function checkReceiver(address: string, flag: string): void {
  parseWebAddress(address, flag)
}

/** Throws `UsageError` if the text is not an http or https URL with a place for the id of a delivery. */
export function checkStateUrl(address: string): void {
  if (address.includes('{deliveryId}') && webAddress(address.replace('{deliveryId}', 'del_1')) !== undefined) return
  throw new UsageError('--state-url must be a URL with {deliveryId}.', {
    hint: 'For example http://localhost:3000/state/{deliveryId}, which returns {"status": "delivered", "processed": 9}.',
  })
}
