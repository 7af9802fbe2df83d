import type { z } from 'zod'
import {
  type InputRow,
  type PreparedRow,
  type RowAction,
  type RowError,
  type Rows,
  rowErrorOf,
} from '../../bulk/index.js'
import { type IsSettled, preparedOf, referenceOfRow } from '../../bulk/internal.js'
import { type FieldError, fieldErrorsOf, UsageError } from '../../contract/index.js'
import { runView } from '../../render/run-view.js'
import { orderWindowText } from '../../render/sent-order.js'
import { type Column, type View, valueAt } from '../../render/view.js'
import { addressText, moneyText } from '../../render/words.js'
import { rowErrorInFlags } from '../errors/flag-words.js'
import type { Notices } from '../output/notices.js'
import type { Output } from '../output/output.js'
import type { Doubts } from './doubts.js'
import { type OrderRules, orderRefusals } from './preflight.js'
import type { RowEffects, RowPreview } from './row-effects.js'
import { placeOf, Reasons, type RowWarnings } from './row-warnings.js'

/** How rows are checked. */
interface RowChecks<Input> {
  action: RowAction<Input>
  check: RowCheck<Input>
  warnings: RowWarnings
  /** Takes what is doubted, which is said at the end. */
  doubts: Doubts
  effects?: RowEffects<Input> | undefined
  /** Rows that an earlier run has settled. Default: none. */
  isSettled?: IsSettled | undefined
}

/** Refusals of a row's input that need no service; with a time, of windows that are over too. */
export type RowCheck<Input> = (input: Input, nowMs?: number) => readonly FieldError[]

/** A row of a dry run: a result without an outcome. */
interface CheckedRow {
  row: number
  line?: number | undefined
  clientOrderReference: string | null
  idempotencyKey: string | null
  outcome: 'ready' | 'unchanged' | 'failed'
  deliveryId: string | null
  /** The delivery's status now, if it was read. */
  status: string | null
  /** The body that would be sent. */
  body: unknown
  error: RowError | null
}

/** The rows that would be sent which a terminal shows; a pipe gets all. */
const shownReady = 20

const bodyColumns: readonly Column[] = [
  { name: 'body.pickup.storeReference', header: 'STORE', omitEmpty: true },
  { name: 'body.dropoff.contactName', header: 'NAME', elastic: true, omitEmpty: true },
  {
    name: 'body.dropoff.address',
    header: 'ADDRESS',
    elastic: true,
    narrowest: 12,
    omitEmpty: true,
    cell: (row) => addressText(valueAt(row, 'body.dropoff.address')),
  },
  { name: 'body.dropoff.contactPhone', header: 'PHONE', omitEmpty: true },
  {
    name: 'body.timeWindows',
    header: 'WINDOW',
    omitEmpty: true,
    cell: (row, style) => orderWindowText(valueAt(row, 'body.timeWindows'), style),
  },
  {
    name: 'body.tipAmountCents',
    header: 'TIP',
    align: 'right',
    omitEmpty: true,
    cell: (row) => moneyText(valueAt(row, 'body.tipAmountCents') as number | undefined),
  },
  { name: 'body.dropoff.instructions', header: 'INSTRUCTIONS', givesWay: true, omitEmpty: true },
]

/** Results of rows that are not sent, with what an order needs to be right. */
const checkedView: View<CheckedRow[]> = {
  ...runView,
  columns: [...runView.columns.slice(0, -1), ...bodyColumns, ...runView.columns.slice(-1)],
}

/**
 * Checks all rows of a run and prints what would be sent, or on a terminal what would fail and the first of the others.
 * Sends nothing. Returns whether all rows are ready.
 */
export async function showRowChecks<Input>(
  rows: Rows,
  { action, check, warnings, doubts, effects, isSettled = () => false }: RowChecks<Input>,
  output: Output,
  notices: Notices,
): Promise<boolean> {
  const counts = { ready: 0, unchanged: 0, failed: 0, repeated: 0, settled: 0 }
  const judge = new RowJudge(action, check)
  const reasons = new Reasons()
  let readyShown = 0
  async function* checked(): AsyncGenerator<CheckedRow[]> {
    for await (const batch of warnings.watch(rows)) {
      const all: CheckedRow[] = []
      const ready: { input: Input; checked: CheckedRow }[] = []
      for (const row of batch) {
        const judged = judge.judge(row)
        if (judged.prepared !== undefined && isSettled({ row: row.row, bodyHash: judged.prepared.bodyHash })) {
          counts.settled++
          continue
        }
        const checked = checkedRow(row, judged)
        all.push(checked)
        if (judged.failure === undefined && judged.repeats !== undefined) {
          counts.repeated++
          doubts.add(`the same as ${judged.repeats.toLowerCase()}, and sent once`, row)
        } else if (judged.failure === undefined) ready.push({ input: judged.prepared.input, checked })
      }
      const previews = await effects?.read(ready.map(({ input }) => input))
      for (const [index, { checked }] of ready.entries()) applyPreview(checked, previews?.[index])
      for (const { error } of all) if (error !== null) reasons.add(error)
      counts.failed += all.filter(({ outcome }) => outcome === 'failed').length
      counts.ready += ready.filter(({ checked }) => checked.outcome === 'ready').length
      counts.unchanged += ready.filter(({ checked }) => checked.outcome === 'unchanged').length
      const shown = all.filter(({ outcome }) => {
        if (output.forPeople && outcome !== 'failed') readyShown++
        return !output.forPeople || outcome === 'failed' || readyShown <= shownReady
      })
      if (shown.length > 0) yield shown
    }
  }
  await output.pages(checkedView, checked())
  if (readyShown > shownReady)
    notices.notice(`Showing the rows that would fail and the first ${shownReady} of the others.`)
  const repeated = counts.repeated === 0 ? '' : `, ${repeatedText(counts.repeated)}`
  const refused = counts.failed === 0 ? '' : `, ${counts.failed.toLocaleString('en-US')} would fail`
  const ready = counts.ready === 1 ? '1 row is ready' : `${counts.ready.toLocaleString('en-US')} rows are ready`
  const unchanged = counts.unchanged === 0 ? '' : `, ${counts.unchanged.toLocaleString('en-US')} unchanged`
  const settled = counts.settled === 0 ? '' : `, ${counts.settled.toLocaleString('en-US')} done in an earlier run`
  notices.notice(`${ready}${unchanged}${repeated}${refused}${settled}. Nothing was sent.`)
  if (reasons.text !== '') notices.notice(reasons.text)
  if (effects !== undefined && effects.text !== '')
    notices.notice(`${effects.text.charAt(0).toUpperCase()}${effects.text.slice(1)}.`)
  return counts.failed === 0
}

/** Of rows that are the same as one before: they are sent once. */
export function repeatedText(count: number): string {
  return count === 1 ? '1 repeats another' : `${count.toLocaleString('en-US')} repeat others`
}

/** A row that was judged before it is sent. */
type JudgedRow<Input> =
  | {
      prepared: PreparedRow<Input>
      failure?: undefined /** The place of the same row before it. */
      repeats?: string | undefined
    }
  | { prepared?: PreparedRow<Input> | undefined; failure: UsageError }

/** Judges rows before they are sent, one after the other: the dry run and the question count what it lets pass. */
export class RowJudge<Input> {
  private readonly seen = new SeenRows()

  constructor(
    private readonly action: RowAction<Input>,
    private readonly check: RowCheck<Input>,
  ) {}

  judge(row: InputRow): JudgedRow<Input> {
    const made = preparedOf(row, this.action)
    if ('fault' in made) {
      if (made.fault instanceof UsageError) return { failure: made.fault }
      throw made.fault
    }
    const failure = refusalOf(this.check(made.input)) ?? this.seen.clashOf(placeOf(row), made)
    return failure === undefined
      ? { prepared: made, repeats: this.seen.firstOf(placeOf(row), made) }
      : { prepared: made, failure }
  }
}

function checkedRow(row: InputRow, { prepared, failure }: JudgedRow<unknown>): CheckedRow {
  const input = prepared?.input as { deliveryId?: unknown } | undefined
  return {
    row: row.row,
    ...(row.line === undefined ? {} : { line: row.line }),
    clientOrderReference: prepared?.clientOrderReference ?? referenceOfRow(row) ?? null,
    idempotencyKey: prepared?.idempotencyKey ?? null,
    outcome: failure === undefined ? 'ready' : 'failed',
    deliveryId: typeof input?.deliveryId === 'string' ? input.deliveryId : null,
    status: null,
    body: prepared === undefined ? null : bodyOf(prepared.input),
    error: failure === undefined ? null : rowErrorInFlags(rowErrorOf(failure)),
  }
}

/** Adds to a row that is ready what the service says of its delivery. */
function applyPreview(checked: CheckedRow, { delivery, error, isUnchanged }: RowPreview = {}): void {
  checked.status = delivery?.status ?? null
  if (isUnchanged) checked.outcome = 'unchanged'
  if (error === undefined) return
  checked.outcome = 'failed'
  checked.error = error
}

/** The part of an input that is sent: its body, or all of it. */
function bodyOf(input: unknown): unknown {
  return valueAt(input, 'body') ?? input
}

/** The error of a row with what is refused in it. */
export function refusalOf(refusals: readonly FieldError[]): UsageError | undefined {
  if (refusals.length === 0) return undefined
  return new UsageError(refusals.map(({ field, message }) => `${field}: ${message}`).join('; '))
}

/** Rows by what has to be unique, to find rows that are the same, and different orders with the same reference. */
class SeenRows {
  private readonly places = new Map<string, string>()
  private readonly byReference = new Map<string, { place: string; bodyHash: string }>()

  clashOf(place: string, { clientOrderReference, bodyHash }: PreparedRow<unknown>): UsageError | undefined {
    if (clientOrderReference === null) return undefined
    const known = this.byReference.get(clientOrderReference)
    if (known === undefined) this.byReference.set(clientOrderReference, { place, bodyHash: bodyHash.slice(0, 16) })
    else if (!bodyHash.startsWith(known.bodyHash))
      return new UsageError(`${known.place} has the same clientOrderReference with another order`)
    return undefined
  }

  /** The place of the same row, if it was seen before. */
  firstOf(place: string, { bodyHash }: PreparedRow<unknown>): string | undefined {
    const hash = bodyHash.slice(0, 16)
    const first = this.places.get(hash)
    if (first === undefined) this.places.set(hash, place)
    return first
  }
}

/**
 * Checks a request's body with its schema, and with rules if it is an order's: what the contract refuses fails the row,
 * as it does in the real run.
 */
export function schemaChecks(schema: z.ZodType, rules?: OrderRules): RowCheck<unknown> {
  return (body, nowMs) => {
    const refusals = rules === undefined ? [] : orderRefusals(body, { ...rules, nowMs })
    const { error } = schema.safeParse(body, { reportInput: true })
    if (error === undefined) return refusals
    const known = new Set(refusals.map(({ field }) => field))
    return [...refusals, ...fieldErrorsOf(error.issues).filter(({ field }) => !known.has(field))]
  }
}
