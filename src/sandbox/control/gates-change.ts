import { z } from 'zod'
import { hoursText, parseHoursText } from '../../trade/gate-hours.js'
import { Refusal } from '../core/refusal.js'
import type { GateRow, InstallationRow } from '../model.js'

const time = z.string().regex(/^(?:[01]\d:[0-5]\d|2[0-3]:[0-5]\d|24:00)$/, 'must be a time such as 06:00')
const wholeGate = z.strictObject({
  name: z.string().min(1).max(200),
  commercialVehiclesPermitted: z.boolean(),
  hours: z.string().max(200),
  timezone: z.string().refine(isTimeZone, { error: 'must be an IANA time zone' }),
  schedule: z.array(z.strictObject({ days: z.array(z.int().min(1).max(7)).max(7), open: time, close: time })).max(20),
  closedOnFederalHolidays: z.boolean(),
})
const hours = z
  .string()
  .max(200)
  .refine((text) => parseHoursText(text) !== undefined, {
    error: 'must be hours such as "Mon-Fri 05:00-21:00; Sat 06:00-12:00; PH off", "24/7" or "closed"',
  })
const someOfGate = wholeGate
  .pick({ name: true, commercialVehiclesPermitted: true, timezone: true })
  .extend({ hours })
  .partial()
const wholeList = z.array(wholeGate).max(50)
const edits = z.record(z.string(), someOfGate)

export type GatesChange = z.output<typeof wholeList> | z.output<typeof edits>

/** All gates in full, or what changes of some by their index: `{"1": {"hours": "24/7"}}`. */
export const GatesChange = z.unknown().transform((value, context): GatesChange => {
  const read = Array.isArray(value) ? wholeList.safeParse(value) : edits.safeParse(value)
  if (read.success) return read.data
  context.issues.push(...(read.error.issues.map((issue) => ({ ...issue, input: value })) as z.core.$ZodRawIssue[]))
  return z.NEVER
})

/** The gates of an installation after a change. Throws the 400 for the index of no gate. */
export function gatesAfter({ code, gates }: Pick<InstallationRow, 'code' | 'gates'>, change: GatesChange): GateRow[] {
  if (Array.isArray(change)) return change
  const unknown = Object.keys(change).find((index) => index === 'length' || !Object.hasOwn(gates, index))
  if (unknown !== undefined)
    throw new Refusal('VALIDATION_ERROR', `${code} has ${gates.length} gates; the first one is 0.`, {
      status: 400,
      fieldErrors: [{ field: `gates.${unknown}`, code: 'INVALID_VALUE', message: 'is not a gate of the installation' }],
    })
  return gates.map((gate, index) => {
    const { hours: text, ...rest } = change[index] ?? {}
    const edited = { ...gate, ...given(rest), ...(text === undefined ? {} : parseHoursText(text)) }
    return { ...edited, hours: hoursText(edited) }
  })
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    // Intl has no other way to ask.
    return false
  }
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The members that were given: a member left out must not overwrite. */
export function given<T extends object>(change: T): Given<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Given<T>
}
