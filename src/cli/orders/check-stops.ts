import { type InputRow, openInput, type Rows } from '../../bulk/index.js'
import { type Client, createPacer } from '../../client/index.js'
import { DeliveryCreate, type InputOf, ServiceabilityRequest, UsageError } from '../../contract/index.js'
import { type CheckedRow, checkedRowsView } from '../../render/installation-view.js'
import { valueAt } from '../../render/view.js'
import { textAt } from '../../shared/json.js'
import { withoutUnsafeKeys } from '../../shared/unsafe-keys.js'
import { refuseTestValuesOnProduction } from '../command/production-guard.js'
import { parseJson } from '../input/read.js'
import { inputSource } from '../input/source.js'
import { exitCodes } from '../process/exit-codes.js'
import type { Session } from '../session/session.js'
import { rowFailure } from './judge-order.js'
import type { FileReading } from './order-file.js'
import { type SheetForms, withForms } from './sheets/sheet-forms.js'

/** The number of stops that are checked at a time; the pacer keeps to the allowance. */
const checksAtOnce = 8

/** Turns a row into the request of its check. Throws `UsageError` for a row that describes no stop. */
type ToRequest = (value: Record<string, unknown>) => Record<string, unknown>

/** The stop of a request or an order, or those of a sheet. */
export type Stops = { given: Record<string, unknown>; rows?: undefined } | { rows: Rows; forms: FileReading['forms'] }

/**
 * A request or an order of a file, or the rows of a sheet: a CSV or workbook with the columns of orders and `deliverAt`.
 *
 * @throws UsageError for what is neither
 */
export async function openStops({ context }: Session, name: string, reading: FileReading): Promise<Stops> {
  const { bytes, bytesTotal, what } = inputSource(context, name)
  const schema = DeliveryCreate.extend({ deliverAt: ServiceabilityRequest.shape.deliverAt })
  const input = await openInput(bytes, { schema, bytesTotal, what, ...reading })
  if (input.kind === 'empty') throw new UsageError(`${what} is empty.`)
  if (input.kind === 'rows') return { rows: input.rows, forms: reading.forms }
  return { given: withoutUnsafeKeys(parseJson(input.text, what, 'input')) as Record<string, unknown> }
}

/** Checks the stops of a sheet as it is read; 9 if some could not be checked. A stop that is not served is a result. */
export async function checkMany(
  session: Session,
  rows: Rows,
  { forms, toRequest }: { forms: SheetForms | undefined; toRequest: ToRequest },
): Promise<undefined> {
  session.output.checkColumns(checkedRowsView)
  const settings = await session.account.settings()
  const client = await session.client({ pacer: createPacer() })
  const counts = { served: 0, unserved: 0, failed: 0 }
  const requestOf = (value: unknown) => {
    const request = toRequest(timedStop(withForms(value as Record<string, unknown>, forms)))
    refuseTestValuesOnProduction(settings, request)
    return request
  }
  const pages = async function* () {
    for await (const batch of rows)
      for (let at = 0; at < batch.length; at += checksAtOnce) {
        const page = await Promise.all(
          batch.slice(at, at + checksAtOnce).map((row) => checkedRow(row, requestOf, client)),
        )
        for (const { outcome } of page) counts[outcome]++
        yield page
      }
  }
  await session.output.pages(checkedRowsView, pages())
  const { served, unserved, failed } = counts
  const parts = [
    `${served.toLocaleString('en-US')} can be served`,
    `${unserved.toLocaleString('en-US')} cannot`,
    ...(failed === 0 ? [] : [`${failed.toLocaleString('en-US')} could not be checked`]),
  ]
  session.notices.notice(`${parts.join(', ')}.`)
  if (failed > 0) session.endWith(exitCodes.otherOutcome)
  return undefined
}

/** A stop of an order in a window is checked for the start of it. */
function timedStop(row: Record<string, unknown>): Record<string, unknown> {
  const start = valueAt(row, 'timeWindows.dropoff.start')
  return row.deliverAt === undefined && typeof start === 'string' ? { ...row, deliverAt: start } : row
}

async function checkedRow(
  row: InputRow,
  requestOf: (value: unknown) => Record<string, unknown>,
  client: Client,
): Promise<CheckedRow> {
  const reference = 'problem' in row ? row.clientOrderReference : textAt(row.value, 'clientOrderReference')
  const checked = { row: row.row, clientOrderReference: reference ?? null, outcome: 'failed' as const, error: null }
  try {
    if ('problem' in row) throw new UsageError(row.problem, { hint: row.hint })
    const answer = await client.checkServiceability({
      body: requestOf(row.value),
    } as unknown as InputOf<'checkServiceability'>)
    return { ...checked, ...answer, outcome: answer.serviceable ? 'served' : 'unserved' }
  } catch (error) {
    return { ...checked, error: rowFailure(error) }
  }
}
