import { UsageError } from '../../contract/index.js'
import { isRelativeTime, parseTime } from './times.js'

/** The flags of a command, as its help describes them. */
export type Described = Readonly<Record<string, { helpValue?: string | string[] }>>

/** Flags that are the start and the end of a period. */
const periods = [
  ['from', 'to'],
  ['since', 'until'],
] as const

/**
 * Refuses times that nobody can read, and a period that ends before it begins, before the service is asked for its clock:
 * two times can be compared without it if both are relative to the present, or neither.
 *
 * @throws UsageError
 */
export function refuseTimes(described: Described, flags: Readonly<Record<string, unknown>>, nowMs: number): void {
  const given = new Map<string, { text: string; time: string }>()
  for (const [name, { helpValue }] of Object.entries(described)) {
    const text = flags[name]
    if (helpValue === 'TIME' && typeof text === 'string')
      given.set(name, { text, time: parseTime(text, `--${name}`, nowMs) })
  }
  for (const [start, end] of periods) {
    const [from, to] = [given.get(start), given.get(end)]
    if (from === undefined || to === undefined || from.time <= to.time) continue
    if (isRelativeTime(from.text) !== isRelativeTime(to.text)) continue
    throw new UsageError(`The period is empty: --${start} ${from.time} is not before --${end} ${to.time}.`, {
      hint: `Times count back from now: --${start} 7d, or --${start} yesterday --${end} today.`,
    })
  }
}
