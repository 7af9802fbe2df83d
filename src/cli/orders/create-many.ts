import { createAction, type Rows } from '../../bulk/index.js'
import { DeliveryCreate, UsageError } from '../../contract/index.js'
import { recordingFrom } from '../../sent/index.js'
import { carryOutAll, rowsInQuestion } from '../bulk/carry-out.js'
import { type RowCheck, schemaChecks } from '../bulk/dry-run-rows.js'
import { silentNotices } from '../bulk/table-reading.js'
import { isReadOnce } from '../input/source.js'
import { InstallationNames } from '../installations/order-names.js'
import type { Session } from '../session/session.js'
import { completedOrder, KeptValues, type OrderCompletion } from './complete-order.js'
import { type CreationFlags, type CreationPlan, orderReading, refuseSingleFlags } from './create-plan.js'
import { CreatedCosts, OrderCosts, refuseQuoted, SentBefore } from './order-cost.js'
import { readOrders } from './order-file.js'
import { changedRows } from './sheets/row-input.js'
import { warningOfOrders } from './window-clocks.js'

/**
 * Creates a delivery from each row of a file, or with `--dry-run` checks the rows. A row is completed (`completedOrder`),
 * its base gets its name (`InstallationNames`), what looks wrong is said (`warningsOf`), and the contract's rules are
 * checked (`schemaChecks`), all before `carryOutAll` asks its question. Then each row is written to the ledger of what was
 * sent, dispatched once (`createAction`, which calls `createOnce`), and its result is written.
 */
export async function createMany(
  session: Session,
  given: Rows,
  plan: CreationPlan,
  flags: CreationFlags,
): Promise<undefined> {
  const { choice, maxTotalCents, maxTipCents, reading } = plan
  refuseSingleFlags(flags)
  const source = sourceOf(session, flags, maxTotalCents)
  const completion = { ...plan.completion, kept: new KeptValues('order', plan.completion.forms?.times) }
  const names = new InstallationNames(session)
  const check = schemaChecks(DeliveryCreate, { purpose: 'order', maxTipCents })
  const completed = (rows: Rows) => completedRows(rows, completion, { check, areCounted: maxTotalCents !== undefined })
  const rows = names.rows(completed(given))
  const ledger = flags['dry-run'] ? undefined : await session.account.ledger()
  const sent = flags['new-key'] ? undefined : (ledger ?? (await session.account.ledgerIfAny()))
  const costs = new CreatedCosts()
  return carryOutAll(
    session,
    {
      operation: 'createDelivery',
      rows: {
        source,
        open: () => rows,
        again: source === '-' ? 'never' : async () => names.rows(completed(await ordersAgain(session, source, flags))),
        reading,
        kept: completion.kept,
      },
      judge: {
        action: (client) =>
          createAction(client, {
            newKeys: flags['new-key'],
            ledger: ledger && recordingFrom(ledger, source === '-' ? undefined : source),
            cheapest: choice,
            onCreated: (delivery) => costs.add(delivery),
            onQuote: (quote, { clientOrderReference }) => ledger?.chosen(quote, clientOrderReference),
          }),
        check,
        warn: await warningOfOrders(names, flags),
        judgesWindows: true,
      },
      effects: {
        question: 'Create every order of this file',
        of: (client, isDryRun) => {
          const most = maxTotalCents === undefined ? rowsInQuestion : Number.POSITIVE_INFINITY
          const isQuoted = maxTotalCents !== undefined || !isDryRun
          const costs = new OrderCosts(isQuoted ? { client, most } : undefined, maxTotalCents)
          return new SentBefore(costs, (reference) => sent?.deliveryOf(reference) !== undefined)
        },
        readsAll: maxTotalCents === undefined ? 'for the question' : 'always',
        spent: () => costs.text,
      },
    },
    flags,
  )
}

/** @throws UsageError for what can be read only once, if the orders have to be added up before */
function sourceOf(session: Session, { file = '-' }: CreationFlags, maxTotalCents: number | undefined): string {
  const source = isReadOnce(session.context, file) ? '-' : file
  if (source !== '-' || maxTotalCents === undefined) return source
  throw new UsageError('--max-total reads the orders twice, which standard input and pipes do not allow.', {
    hint: 'Save them to a file, and pass it with --file.',
  })
}

function completedRows(
  rows: Rows,
  completion: OrderCompletion,
  { check, areCounted }: { check: RowCheck<unknown>; areCounted: boolean },
): Rows {
  const change = (value: unknown) => {
    const order = completedOrder(value, completion)
    if (areCounted) refuseQuoted(order)
    return order
  }
  return changedRows(rows, { change, check }, completion.kept)
}

/** The orders of a file once more, to look at them before the run. */
async function ordersAgain(session: Session, source: string, flags: CreationFlags): Promise<Rows> {
  const reading = { ...(await orderReading(session, flags)), ...silentNotices }
  const file = await readOrders(session.context, { file: source }, reading)
  if (file.kind === 'single') throw new UsageError(`${source} has changed while it was read.`)
  return file.rows
}
