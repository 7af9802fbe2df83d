import { UpdateRow, updateAction } from '../../bulk/index.js'
import { type Delivery, DeliveryUpdate, UsageError } from '../../contract/index.js'
import { carryOutAll } from '../bulk/carry-out.js'
import { schemaChecks } from '../bulk/dry-run-rows.js'
import { silentNotices } from '../bulk/table-reading.js'
import { InstallationNames } from '../installations/order-names.js'
import { besideName, changesOf, namedRows, unnamedRows } from '../lookup/find-rows.js'
import type { Session } from '../session/session.js'
import { completedOrder, KeptValues, orderAssignments } from './complete-order.js'
import { warningsOf } from './judge-order.js'
import { movedRows } from './moved-stops.js'
import type { FileReading } from './order-file.js'
import { centsOf, windowEnds } from './order-flags.js'
import { fileReading } from './sheets/column-map.js'
import { changedRows, givenRows, typedOrFile } from './sheets/row-input.js'
import { updateEffects } from './update-effects.js'
import { archiveUpdated, type UpdateFlags } from './update-one.js'

/** The answers of a run that the archive takes at its end; of more, the next events tell. */
const archivedMost = 5_000

/** Updates the deliveries of a file or of standard input, or those that are named. */
export async function updateMany(session: Session, names: readonly string[], flags: UpdateFlags): Promise<undefined> {
  const given = typedOrFile(names, flags.file)
  if (flags.ref !== undefined) throw new UsageError('--ref is for one delivery, because references are unique.')
  const nowMs = await session.nowMsForOrder(windowEnds(flags), flags['dry-run'])
  const account = await session.account.settings()
  const reading = await fileReading(flags, UpdateRow, session)
  const assignments = orderAssignments(flags, nowMs)
  if (typeof given !== 'string' && Object.keys(completedOrder({}, { assignments })).length === 0)
    throw new UsageError('No changes given.', { hint: 'Use --set path=value or --clear path.' })
  const kept = new KeptValues('update', reading.forms?.times)
  const completion = { assignments, forms: reading.forms, kept, account }
  const change = (value: unknown) => completedOrder(value, completion)
  const checks = schemaChecks(DeliveryUpdate, {
    purpose: 'update',
    maxTipCents: centsOf(flags['max-tip'], '--max-tip'),
  })
  const check = (row: unknown) => checks(changesOf(row))
  const input = givenRows(session.context, given, UpdateRow)
  const open = (how: FileReading) => changedRows(input.open(how), { change: besideName(change), check }, kept)
  const installations = new InstallationNames(session)
  const ledger = await session.account.ledger()
  const changed: Delivery[] = []
  await carryOutAll(
    session,
    {
      operation: 'updateDelivery',
      rows: {
        source: input.source,
        open: (client) => {
          const named = namedRows(open(reading), client, session.naming(true))
          return movedRows(installations.rows(named), client, installations.list)
        },
        again: input.isReadOnce
          ? 'never'
          : async () => installations.rows(unnamedRows(open({ ...reading, ...silentNotices }))),
        reading,
        kept,
      },
      judge: {
        action: (client) =>
          updateAction(client, (delivery, body) => {
            ledger.moved(delivery, body)
            if (changed.length < archivedMost) changed.push(delivery)
          }),
        check: ({ body }, atMs) => checks(body, atMs),
        warn: (row) => warningsOf(row, installations, 'update', UpdateRow),
        judgesWindows: true,
      },
      effects: {
        question: input.isNamed
          ? `Change ${given.length.toLocaleString('en-US')} ${given.length === 1 ? 'delivery' : 'deliveries'}`
          : 'Change every delivery of the input',
        of: (client, isDryRun) => updateEffects(client, isDryRun, ledger),
        readsAll: 'for the question',
        readsLocally: true,
      },
    },
    flags,
  )
  ledger.flush()
  await archiveUpdated(session, changed)
  return undefined
}
