import { z } from 'zod'
import type { InputRow, Rows } from '../../bulk/index.js'
import { UsageError } from '../../contract/index.js'
import { isRecord } from '../../shared/json.js'
import { trimmed } from '../../shared/texts.js'
import type { AccountRows } from '../process/context.js'

/** The column of a sheet that names the account of each row. */
export const profileField = 'profile'

/** A schema of rows that may name their account. */
export function withProfileField(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject && !(profileField in schema.shape)
    ? schema.extend({ [profileField]: z.string().optional() })
    : schema
}

/** The account that a row names; empty if it has such a column and leaves it blank, `undefined` without one. */
export function profileOf(row: InputRow): string | undefined {
  if (!('value' in row) || !isRecord(row.value) || !Object.hasOwn(row.value, profileField)) return undefined
  const { profile } = row.value
  return profile === null || profile === undefined ? '' : trimmed(String(profile))
}

/**
 * The rows of one account of a sheet, without their account; a sheet that is not read by accounts has none.
 *
 * @param isChosen whether an account is chosen for the rows that name none
 */
export function ownRows(rows: Rows, own: AccountRows | undefined, isChosen = false): Rows {
  const { reading } = rows
  return {
    reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      for await (const batch of rows) {
        const isNamed = !isChosen && reading.fields?.includes(profileField) === true
        yield batch.flatMap((row) => (own === undefined ? unnamed(row, isChosen, isNamed) : ownRow(row, own)))
      }
    },
  }
}

function ownRow(row: InputRow, { profile, takesOthers }: AccountRows): InputRow[] {
  const named = profileOf(row)
  if (named === undefined || named === '') return takesOthers ? [withoutProfile(row)] : []
  return named === profile ? [withoutProfile(row)] : []
}

function withoutProfile(row: InputRow): InputRow {
  if (!('value' in row) || !isRecord(row.value)) return row
  const { [profileField]: _, ...value } = row.value
  return { ...row, value }
}

/** Nothing of an account goes to another one because its name came late, is missing, or where nothing reads it. */
function unnamed(row: InputRow, isChosen: boolean, isNamed: boolean): InputRow {
  if (!('value' in row)) return row
  const profile = profileOf(row) ?? (isNamed ? '' : undefined)
  if (profile === undefined) return row
  if (profile === '' && isChosen) return withoutProfile(row)
  const reference = isRecord(row.value) ? row.value.clientOrderReference : undefined
  const [problem, hint] =
    profile === ''
      ? ['no profile is named', ', or choose one for the others with -P NAME']
      : [`the row belongs to "${profile.slice(0, 80)}", and the rows before it name no account`, '']
  return {
    row: row.row,
    line: row.line,
    problem: `profile: ${problem}`,
    hint: `Give each row its profile, and save the rows to a file: a named pipe is not read by accounts${hint}.`,
    clientOrderReference: typeof reference === 'string' ? reference : undefined,
  }
}

/** @throws UsageError for a single order that names its account: it is not a sheet */
export function refuseProfile(order: Readonly<Record<string, unknown>>, what: string): void {
  if (!Object.hasOwn(order, profileField)) return
  const name = String(order[profileField]).slice(0, 80)
  throw new UsageError(`${what} names the profile "${name}", and holds one order.`, {
    hint: `Leave it out, and choose the account with -P ${name}. In a file of several orders each row may have its own.`,
  })
}
