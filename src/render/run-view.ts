import { spanText } from '../shared/durations.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, deliveryIdOf, type View } from './view.js'

/** The result of a row, with the fields that are shown. */
interface ResultRow {
  /** The account, in a run over several. */
  profile?: string | undefined
  row: number
  line?: number | undefined
  clientOrderReference: string | null
  outcome: string
  deliveryId: string | null
  status: string | null
  error: {
    code: string
    message: string
    fieldErrors?: readonly { field: string; message?: string | undefined }[] | undefined
  } | null
}

const good = new Set(['created', 'updated', 'cancelled', 'replayed', 'existing'])

function outcomeWord({ outcome }: ResultRow, style: Style): string {
  return paint(style, good.has(outcome) ? 'green' : 'red', plainText(outcome))
}

/** The number of fields that are shown of what differs from the delivery of a conflict. */
const shownDifferences = 3

/** What differs from the delivery that has the reference: `: tipAmountCents: 500 here, 300 there`. */
function differencesOf({ outcome, error }: ResultRow): string {
  const fields = outcome === 'conflict' ? (error?.fieldErrors ?? []) : []
  if (fields.length === 0) return ''
  const shown = fields
    .slice(0, shownDifferences)
    .map(({ field, message }) => `${plainText(field)}: ${plainValue(message ?? 'differs')}`)
  const more = fields.length - shown.length
  return `: ${[...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')}`
}

/** The results of a bulk run, one line per row. */
export const runView: View<ResultRow[]> = {
  id: deliveryIdOf,
  columns: [
    { name: 'line', align: 'right', omitEmpty: true },
    { name: 'row', align: 'right', narrow: false },
    { name: 'clientOrderReference', header: 'REFERENCE', elastic: true },
    { name: 'outcome', keep: true, cell: cell(outcomeWord) },
    { name: 'deliveryId', header: 'DELIVERY', omitEmpty: true },
    { name: 'status', omitEmpty: true },
    {
      name: 'error',
      elastic: true,
      narrowest: 20,
      keep: true,
      wraps: true,
      cell: cell<ResultRow>((row) =>
        row.error === null ? '' : `${plainText(row.error.code)}: ${plainValue(row.error.message)}${differencesOf(row)}`,
      ),
    },
  ],
}

/** The progress of a run. */
export interface RunProgress {
  done: number
  failed: number
  perSecond: number
  /** Rows of the input; `undefined` if its length is unknown. */
  total: number | undefined
  /** Whether `total` is an estimate, which may be too low. */
  isTotalEstimated: boolean
  etaMs: number | undefined
  waitingMs: number
  /** The limit of the service that holds requests back now. */
  limit?: string | undefined
}

const narrowestBar = 8
const widestBar = 40

/** A line that fits the given columns: a bar if the total is known, the rate, the time left, failures and waits. */
export function progressBar(progress: RunProgress, columns: number): string {
  const { done, total, isTotalEstimated } = progress
  const share = total === undefined || total === 0 ? undefined : Math.min(isTotalEstimated ? 0.99 : 1, done / total)
  const of = isTotalEstimated ? '~' : ''
  const facts = [
    ...(share === undefined
      ? [String(done)]
      : [`${Math.floor(share * 100)} %`, `${done}/${of}${shownTotal(progress)}`]),
    ...rateAndRemainder(progress),
  ].join('  ')
  const room = Math.min(widestBar, columns - 1 - facts.length - 4)
  if (share === undefined || room < narrowestBar) return facts.slice(0, Math.max(0, columns - 1))
  const filled = Math.round(share * room)
  return `[${'█'.repeat(filled)}${'░'.repeat(room - filled)}]  ${facts}`
}

/** The progress as words, for a log. */
export function progressWords(progress: RunProgress): string {
  const { done, total, isTotalEstimated } = progress
  const of = isTotalEstimated ? 'of about' : 'of'
  return [
    `${done}${total === undefined ? '' : ` ${of} ${shownTotal(progress)}`} done`,
    ...rateAndRemainder(progress),
  ].join(', ')
}

/** An estimate is rounded to two digits, but is never less than what is done. */
function shownTotal({ done, total = 0, isTotalEstimated }: RunProgress): number {
  return isTotalEstimated ? Math.max(done, Number(total.toPrecision(2))) : total
}

function rateAndRemainder({ perSecond, etaMs, failed, waitingMs, limit }: RunProgress): string[] {
  const limitedBy = limit === undefined ? '' : ` (limit ${limit})`
  return [
    // First, because a narrow terminal cuts the end.
    ...(waitingMs >= 1_000 ? [`waiting ${spanText(Math.ceil(waitingMs / 1_000) * 1_000)} as the service asks`] : []),
    `${perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond)}/s${limitedBy}`,
    ...(etaMs === undefined ? [] : [`${spanText(Math.ceil(etaMs / 1_000) * 1_000)} left`]),
    `${failed} failed`,
  ]
}
