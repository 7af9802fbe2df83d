import { closeSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { isPostgresAddress } from '../../postgres/index.js'
import { makeFolder } from '../../shared/directory.js'
import { isRecord, textAt, tryParseJson } from '../../shared/json.js'
import { refuseOtherAddress, refusePassword } from '../input/network-addresses.js'
import { pathOf, unwritable } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

/** The word for a run's operation in the name of its results. */
const runWords = { createDelivery: 'create', updateDelivery: 'update', cancelDelivery: 'cancel' } as const

/** An operation of which a run executes one a row. */
export type RunOperation = keyof typeof runWords

/** The results of a run in a file beside its input; of an input that another operation has run on, in one of their own. */
export function resultsBeside(context: ProcessContext, plain: string, operation: RunOperation): string {
  const of = operationIn(pathOf(context, plain))
  if (of === undefined || of === operation) return plain
  return plain.replace(/(?:\.results\.ndjson)?$/, `.${runWords[operation]}.results.ndjson`)
}

/** The operation that the header of a results file names; `undefined` if there is none. */
function operationIn(path: string): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const begin = Buffer.alloc(1_024)
    const [header = ''] = begin.toString('utf8', 0, readSync(file, begin)).split('\n')
    const entry = tryParseJson(header)?.value
    return isRecord(entry) ? textAt(entry.run, 'operation') : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

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
