import { UsageError } from '../../contract/index.js'
import { dayMs } from '../../shared/durations.js'
import { momentsOf } from '../../trade/zoned-time.js'

/** A time without a zone, as it is written. */
export interface WallTime {
  text: string
  /** The same clock time in UTC. */
  wallMs: number
}

/** The error for a time that the clocks of a zone skip, or show twice, with both moments that it could be. */
export function clockChangeError({ text, wallMs }: WallTime, zone: string, where: string): UsageError {
  const moments = momentsOf(wallMs, zone)
  const what = moments.length === 0 ? 'does not exist' : 'comes twice'
  const both = moments.length === 0 ? skippedReadings(wallMs, zone) : moments
  return new UsageError(
    `${where}: "${text.trim()}" ${what} in ${zone}, because clocks are changed: it could be ${both.map(shortIso).join(' or ')}`,
    { hint: 'Give it in UTC, such as 2026-11-25T20:00:00Z.' },
  )
}

/** A time that clocks skip, by their difference to UTC before and after. */
function skippedReadings(wallMs: number, zone: string): number[] {
  return [-1, 1].map((days) => {
    const nearMs = wallMs + days * dayMs
    return wallMs - (nearMs - (momentsOf(nearMs, zone)[0] ?? nearMs))
  })
}

/** `2026-11-30T21:00Z`. */
export function shortIso(atMs: number): string {
  return new Date(atMs).toISOString().replace(/(?::00)?\.000Z$/, 'Z')
}

/** A date and a time without a zone, as if it were UTC. */
export function wallMsOf(text: string): number | undefined {
  const [, date, time] = /^\s*(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2})?)\s*$/.exec(text) ?? []
  return date === undefined ? undefined : Date.parse(`${date}T${time}Z`)
}

/** Throws `UsageError` for a time that the clocks of this machine skip, or show twice. */
export function assertOnce(text: string, wallMs: number, flag: string): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const moments = momentsOf(wallMs, timeZone)
  if (moments.length === 1) return
  throw clockChangeError({ text, wallMs }, timeZone, flag)
}
