import { z } from 'zod'
import { codePointLength, limits } from './limits.js'

/** The schema of an open enum: its type completes the known values. */
export interface OpenEnum<Value extends string> extends z.ZodType<Value | (string & {}), string> {}

/** An enum that accepts any string when read, because new values ship without notice. */
export function openEnum<const Value extends string>(values: readonly Value[]) {
  return z.union([z.enum(values), z.string()]) as unknown as OpenEnum<Value>
}

/** An object that is read tolerantly: unknown properties are kept unchanged. */
export const openObject = z.looseObject

/** A UTC ISO-8601 timestamp of a response. Read as a string, so that unusual precision never fails a response. */
export const Timestamp = z.string().meta({ format: 'date-time' })

/** A timestamp of a request: RFC 3339 with `Z` or an offset. */
export const TimestampInput = z.iso.datetime({
  offset: true,
  error: 'must be a timestamp such as 2026-03-02T15:00:00Z',
})

/** Integer cents in a response. */
export const Cents = z.number().int()
/** Integer cents in a request. The contract has no limit; this one keeps sums of amounts exact in JSON. */
export const CentsInput = z
  .int()
  .min(0)
  .max(2 ** 52)

/** A string with at least one character that is not white space. */
export const TextInput = z.string().regex(/\S/, 'must not be empty or blank')

/**
 * A string of at most `max` characters, counted in code points rather than UTF-16 units: an emoji is one character to
 * the person who typed it.
 */
export function textInput(max: number) {
  return boundedText(max).meta({ maxLength: max })
}

/** An identifier that the client chooses, without half of a surrogate pair, which a query could not contain. */
export function referenceInput(max: number) {
  return boundedText(max)
    .refine((text) => /\S/.test(text), { error: 'must not be empty or blank' })
    .refine((text) => text.isWellFormed(), { error: 'must not contain half of a surrogate pair' })
    .meta({ maxLength: max, minLength: 1 })
}

function boundedText(max: number) {
  return z.string().refine((text) => codePointLength(text) <= max, {
    error: (issue) => `must be at most ${max} characters long, got ${codePointLength(String(issue.input))}`,
  })
}

/** What every E.164 number looks like; generated clients and tests of others get it from the OpenAPI document. */
export const phonePattern = /^\+[1-9]\d{6,14}$/

/** Whether a phone number is E.164: a plus sign and 7 to 15 digits, with a valid area and exchange code after +1. */
export function isE164(phone: string): boolean {
  if (!phonePattern.test(phone)) return false
  return !phone.startsWith('+1') || /^\+1[2-9]\d{2}[2-9]\d{6}$/.test(phone)
}

/** A 5- or 9-digit US postal code, with or without the hyphen. */
export const postalCodePattern = /^\d{5}(?:-?\d{4})?$/

/** A page of a list: its items under `name`, and `nextCursor`, which is null on the last page. */
export function Page<const Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const shape = { [name]: z.array(item) } as { [K in Name]: z.ZodArray<Item> }
  return openObject({ ...shape, nextCursor: z.string().nullish() })
}

/** Query parameters of every paged operation. */
export const pageQuery = {
  cursor: z.string().min(1).optional(),
  limit: z.int().min(limits.pageSizeMin).max(limits.pageSizeMax).optional(),
}
