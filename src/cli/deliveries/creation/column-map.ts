import { Flags } from '@oclif/core'
import type { z } from 'zod'
import { isRequestField, UsageError } from '../../../contract/index.js'
import { repeatable } from '../../command/repeatable.js'
import { checkField } from '../../input/request-fields.js'
import type { Notices } from '../../output/notices.js'
import type { FileReading } from '../order-file.js'

/** The flags of commands that read a CSV as a spreadsheet saves it. */
export const spreadsheetFlags = {
  map: Flags.string({
    summary: 'Map a CSV column to a field; repeatable',
    description:
      'Takes a CSV as a spreadsheet saves it: --map "Order no=clientOrderReference" --map "Phone=dropoff.contactPhone". Columns that are neither a field nor mapped are left out, with a notice. Several pairs can be separated by commas.',
    helpGroup: 'order',
    helpValue: 'THEIRS=PATH',
    ...repeatable,
  }),
  encoding: Flags.string({
    summary: 'Encoding of --file (default utf-8)',
    description:
      'What is not UTF-8 is refused, because a wrong guess would misspell names and addresses. Spreadsheets save windows-1252 in Western Europe and the Americas, macintosh on older Macs, utf-16le as "Unicode text".',
    helpGroup: 'order',
    helpValue: 'NAME',
  }),
}

/**
 * How a CSV is read; nothing without the flags. A pair of columns may also be written the other way round, if only its
 * left side is a field.
 *
 * @throws UsageError for what is not a pair, or names no field
 */
export function fileReading(
  { map: given, encoding }: { map?: readonly string[] | undefined; encoding?: string | undefined },
  schema: z.ZodType,
  notices: Notices,
): FileReading {
  if (given === undefined) return { encoding }
  const columns = new Map<string, string>()
  for (const [theirs, path] of given.flatMap((text) => pairsOf(text, schema))) {
    if (columns.has(theirs)) throw new UsageError(`--map: the column "${theirs}" is mapped twice.`)
    columns.set(theirs, path)
  }
  return {
    encoding,
    columns,
    onLeftOut: (names) => notices.notice(`Columns left out: ${names.join(', ')}.`),
  }
}

/** A name of a column may hold commas: they separate pairs only if each part is a pair. */
function pairsOf(text: string, schema: z.ZodType): [theirs: string, path: string][] {
  const whole = pairOf(text, schema)
  const parts = text.split(',').map((part) => pairOf(part, schema))
  if (parts.length > 1 && parts.every((pair) => pair !== undefined)) return parts
  if (whole !== undefined) return [whole]
  const wrong = parts.length > 1 ? (text.split(',')[parts.indexOf(undefined)] ?? text) : text
  const at = wrong.lastIndexOf('=')
  if (at < 1 || at === wrong.length - 1)
    throw new UsageError(`--map expects THEIRS=PATH, such as Phone=dropoff.contactPhone, got "${wrong.slice(0, 80)}".`)
  const path = wrong.slice(at + 1).trim()
  checkField(schema, { path, value: undefined }, '--map')
  throw new UsageError(`--map: "${path.slice(0, 80)}" is not a field of an order.`)
}

function pairOf(text: string, schema: z.ZodType): [theirs: string, path: string] | undefined {
  const last = text.lastIndexOf('=')
  const [theirs, path] = [text.slice(0, last).trim(), text.slice(last + 1).trim()]
  if (last > 0 && theirs !== '' && isRequestField(schema, path)) return [theirs, path]
  const first = text.indexOf('=')
  const [field, column] = [text.slice(0, first).trim(), text.slice(first + 1).trim()]
  return first > 0 && column !== '' && isRequestField(schema, field) ? [column, field] : undefined
}
