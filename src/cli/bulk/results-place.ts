import { dirname } from 'node:path'
import { isPostgresAddress } from '../../postgres/index.js'
import { makeFolder } from '../../shared/directory.js'
import { refuseOtherAddress, refusePassword } from '../input/network-addresses.js'
import { pathOf, unwritable } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

/** Whether results are in a database, which several machines share. */
export function areShared(results: string): boolean {
  return isPostgresAddress(results)
}

/**
 * Where the results of a run are written: a file whose folder exists, or an address without a password.
 *
 * @throws UsageError if the file cannot be written, or the address holds a password
 */
export function openableResults(context: ProcessContext, results: string): string {
  if (areShared(results)) return withoutPassword(results)
  try {
    const path = pathOf(context, results)
    makeFolder(dirname(path))
    return path
  } catch (cause) {
    throw unwritable(context, results, '--results', cause)
  }
}

/** @throws UsageError that does not repeat the address */
export function withoutPassword(results: string): string {
  if (!areShared(results)) refuseOtherAddress(results, '--results')
  refusePassword(results, '--results')
  return results
}
