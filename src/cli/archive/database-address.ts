import { UsageError } from '../../contract/index.js'
import { hasPassword, isPostgresAddress } from '../../postgres/index.js'

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
  if (hasPassword(to))
    throw new UsageError('The address of --to holds a password, which other users of this machine can see.', {
      hint: 'Leave it out and set PGPASSWORD or PGPASSFILE.',
    })
  return to
}
