import type { z } from 'zod'
import { type InputRow, type PreparedRow, type RowAction, type Rows, rowErrorOf } from '../../bulk/index.js'
import { type FieldError, fieldErrorsOf, UsageError } from '../../contract/index.js'
import { runView } from '../../render/run-view.js'
import { sentence } from '../../shared/sentence.js'
import type { Notices } from '../output/notices.js'
import type { Output } from '../output/output.js'
import type { RowEffects } from './effects/row-effects.js'
import { checkOrder, type OrderChecks, type PreflightRules } from './preflight.js'

/** How rows are checked. */
interface RowChecks<Input> {
  action: RowAction<Input>
  check: RowCheck<Input>
  effects?: RowEffects<Input> | undefined
}

/** Checks a row's input without the service. */
export type RowCheck<Input> = (input: Input) => OrderChecks

/** A row of a dry run: a result without an outcome. */
interface CheckedRow {
  row: number
  line?: number | undefined
  clientOrderReference: string | null
  idempotencyKey: string | null
  outcome: 'ready' | 'failed'
  deliveryId: string | null
  status: null
  error: { code: string; message: string; fieldErrors?: readonly FieldError[] | undefined } | null
}

/** The number of warnings that are printed; the rest are counted. */
const shownWarnings = 20

/**
 * Checks all rows of a run and prints what would be sent, or on a terminal what would fail. Sends nothing. Returns
 * whether all rows are ready.
 */
export async function showRowChecks<Input>(
  rows: Rows,
  { action, check, effects }: RowChecks<Input>,
  output: Output,
  notices: Notices,
): Promise<boolean> {
  const counts = { ready: 0, failed: 0 }
  const seen = new SeenRows()
  let warnings = 0
  const warn = (place: string, text: string) => {
    if (++warnings <= shownWarnings) notices.warn(`${place}: ${sentence(text)}`)
  }
  async function* checked(): AsyncGenerator<CheckedRow[]> {
    for await (const batch of rows) {
      const ready: Input[] = []
      const all = batch.map((row) => checkRow(row, action, check, seen, warn, ready))
      await effects?.read(ready)
      for (const { outcome } of all) counts[outcome]++
      const shown = output.forPeople ? all.filter(({ outcome }) => outcome === 'failed') : all
      if (shown.length > 0) yield shown
    }
  }
  await output.pages(runView, checked())
  if (warnings > shownWarnings) notices.warn(`${warnings - shownWarnings} more warnings.`)
  const refused = counts.failed === 0 ? '' : `, ${counts.failed} would fail`
  notices.notice(`${counts.ready} rows are ready${refused}. Nothing was sent.`)
  if (effects !== undefined && effects.text !== '')
    notices.notice(`${effects.text.charAt(0).toUpperCase()}${effects.text.slice(1)}.`)
  return counts.failed === 0
}

function checkRow<Input>(
  row: InputRow,
  action: RowAction<Input>,
  check: RowCheck<Input>,
  seen: SeenRows,
  warn: (place: string, text: string) => void,
  ready: Input[],
): CheckedRow {
  let prepared: PreparedRow<Input> | undefined
  let failure: UsageError | undefined
  try {
    if ('problem' in row) throw new UsageError(row.problem, { hint: row.hint })
    prepared = action.prepare(row.value)
    const { refusals, warnings } = check(prepared.input)
    for (const { field, message } of warnings) warn(placeOf(row), `${field}: ${message}`)
    failure = refusalOf(refusals) ?? seen.clashOf(placeOf(row), prepared)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    failure = error
  }
  if (failure === undefined && prepared !== undefined) ready.push(prepared.input)
  const reference = 'problem' in row ? row.clientOrderReference : undefined
  const namedBy = 'value' in row ? row.namedBy : undefined
  const input = prepared?.input as { deliveryId?: unknown } | undefined
  return {
    row: row.row,
    ...(row.line === undefined ? {} : { line: row.line }),
    clientOrderReference: prepared?.clientOrderReference ?? reference ?? namedBy ?? null,
    idempotencyKey: prepared?.idempotencyKey ?? null,
    outcome: failure === undefined ? 'ready' : 'failed',
    deliveryId: typeof input?.deliveryId === 'string' ? input.deliveryId : null,
    status: null,
    error: failure === undefined ? null : rowErrorOf(failure),
  }
}

function placeOf({ row, line }: InputRow): string {
  return line === undefined ? `Row ${row}` : `Line ${line}`
}

function refusalOf(refusals: readonly FieldError[]): UsageError | undefined {
  if (refusals.length === 0) return undefined
  return new UsageError(refusals.map(({ field, message }) => `${field}: ${message}`).join('; '))
}

/** Rows by what has to be unique, to find different orders with the same reference. */
class SeenRows {
  private readonly byReference = new Map<string, { place: string; bodyHash: string }>()

  clashOf(place: string, { clientOrderReference, bodyHash }: PreparedRow<unknown>): UsageError | undefined {
    if (clientOrderReference === null) return undefined
    const known = this.byReference.get(clientOrderReference)
    if (known === undefined) this.byReference.set(clientOrderReference, { place, bodyHash: bodyHash.slice(0, 16) })
    else if (!bodyHash.startsWith(known.bodyHash))
      return new UsageError(`${known.place} has the same clientOrderReference with another order`)
    return undefined
  }
}

/** Checks a request's body with its schema too: what the contract refuses fails the row, as it does in the real run. */
export function schemaChecks(schema: z.ZodType, rules: PreflightRules): RowCheck<unknown> {
  return (body) => {
    const { refusals, warnings } = checkOrder(body, rules)
    const known = new Set(refusals.map(({ field }) => field))
    const issues = schema.safeParse(body, { reportInput: true }).error?.issues ?? []
    return { refusals: [...refusals, ...fieldErrorsOf(issues).filter(({ field }) => !known.has(field))], warnings }
  }
}
