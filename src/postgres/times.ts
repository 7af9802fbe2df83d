import { UsageError } from '../shared/dlv-error.js'

/** How a server has to write and read times, for every session and transaction. */
export const timeSettings = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' } as const

/** The ids of `date`, `timestamp` and `timestamptz` in `pg_type`. */
export const timeTypes: ReadonlySet<number> = new Set([1082, 1114, 1184])

/**
 * Reads a time. The client's own parser gives `null` for one in another DateStyle than ISO, which looks like an empty column.
 *
 * @throws UsageError for a time that cannot be read
 */
export function readTime(text: string, parse: (text: string) => unknown): unknown {
  const value = parse(text)
  const isReadable = value instanceof Date ? !Number.isNaN(value.getTime()) : value !== null
  if (isReadable) return value
  throw new UsageError(`The database writes the time "${text}" in a DateStyle other than ISO.`, {
    hint: "A pooler in between ignores what its client asks for. Run ALTER ROLE … SET DateStyle = 'ISO', or name the server itself.",
  })
}

/** An expression for a time as text, to the microsecond and the same under every DateStyle and TimeZone. */
export function exactTime(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
