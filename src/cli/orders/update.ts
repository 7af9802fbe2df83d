import { UpdateRow, updateAction } from '../../bulk/index.js'
import type { Client } from '../../client/index.js'
import { type Delivery, DeliveryUpdate, type InputOf, UsageError, withoutMarks } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'
import { plannedChanges, updateChanges } from '../../render/sent-order.js'
import { valueAt } from '../../render/view.js'
import { deliveryWord, shellWord } from '../../shared/command-words.js'
import { movesWithoutInstallation } from '../../trade/updates.js'
import { type BulkFlags, carryOutAll } from '../bulk/carry-out.js'
import { schemaChecks } from '../bulk/dry-run-rows.js'
import { throwRefusal } from '../bulk/row-effects.js'
import { silentNotices } from '../bulk/table-reading.js'
import { mayRaisePrice } from '../command/production-guard.js'
import { InstallationNames } from '../installations/order-names.js'
import { besideName, changesOf, namedRows, unnamedRows } from '../lookup/find-rows.js'
import type { Session } from '../session/session.js'
import { completedOrder, KeptValues, orderAssignments } from './complete-order.js'
import { refuseOrder, sayClocks, sayWarnings, warningsOf, warnOfOrder } from './judge-order.js'
import { movedRows, placedUpdate } from './moved-stops.js'
import { type FileReading, readSingleOrder } from './order-file.js'
import { centsOf, type OrderFlags, windowEnds } from './order-flags.js'
import { fileReading, type SpreadsheetFlags } from './sheets/column-map.js'
import { changedRows, givenRows } from './sheets/row-input.js'
import { updateEffects, updateRefusal } from './update-effects.js'
import { sayWindows, windowClocks } from './window-clocks.js'

/** The flags of a command that updates deliveries. */
export type UpdateFlags = BulkFlags &
  Partial<OrderFlags> &
  SpreadsheetFlags & {
    clear?: string[] | undefined
    'max-tip'?: string | undefined
    'no-installation': boolean
  }

/**
 * Updates the delivery that a name leads to: read the changes, find the delivery, preview or ask, send, keep what was sent,
 * show what changed.
 */
export async function updateOne(session: Session, name: string, flags: UpdateFlags): Promise<Delivery | undefined> {
  const update = await planUpdate(session, name, flags)
  if (flags['dry-run']) return preview(session, update)
  if (!(await askToUpdate(session, update, flags.yes))) return undefined
  // Only people read what changed; a script gets the service's own object, for one request.
  const before = session.output.forPeople ? await update.current() : undefined
  const delivery = await send(session, update)
  await session.show(deliveryView, delivery)
  if (!session.output.forPeople) await sayWindows(session, update.patch, delivery)
  if (before !== undefined)
    await session.output.text(`\n${updateChanges(update.patch, before, delivery, session.output.style)}`)
  return delivery
}

/** One update, of which nothing has been sent. */
interface PlannedUpdate {
  client: Client
  deliveryId: string
  patch: Record<string, unknown>
  /** The delivery as it is, read when it is first asked for. */
  current(): Promise<Delivery>
}

async function planUpdate(session: Session, name: string, flags: UpdateFlags): Promise<PlannedUpdate> {
  const judge = { notices: session.notices, names: new InstallationNames(session) }
  const changes = await admittedPatch(session, flags, judge.names)
  session.output.checkColumns(deliveryView)
  const client = await session.client()
  const { deliveryId } = await session.named(name, client, { forWrite: true, isSaid: flags['dry-run'] })
  let read: Promise<Delivery> | undefined
  const current = () => {
    read ??= client.getDelivery({ deliveryId })
    return read
  }
  const patch = movesWithoutInstallation(changes)
    ? placedUpdate(changes, await current(), judge.names.list.known)
    : changes
  warnOfOrder(patch, judge, { purpose: 'update' })
  const clocks = await windowClocks(flags)
  // A dry run reads the delivery anyway; a script's update is one request.
  const known = flags['dry-run'] || session.output.forPeople ? (await current()).dropoff?.address : undefined
  sayWarnings(clocks(patch, valueAt(patch, 'dropoff.address') ?? known), judge.notices)
  return { client, deliveryId, patch, current }
}

/** The changes of `--file` and the flags. Throws `UsageError` for what would be refused. */
async function admittedPatch(
  session: Session,
  flags: UpdateFlags,
  names: InstallationNames,
): Promise<Record<string, unknown>> {
  const nowMs = await session.nowMsForOrder(windowEnds(flags), flags['dry-run'])
  const account = await session.account.settings()
  const reading = await fileReading(flags, UpdateRow, session)
  const given = await readSingleOrder(session.context, flags, reading)
  const assignments = orderAssignments(flags, nowMs)
  const patch = withoutMarks(completedOrder(given, { assignments, forms: reading.forms, account }))
  sayClocks(reading.forms, session.notices)
  if (Object.keys(patch).length === 0 && flags.file === undefined)
    throw new UsageError('No changes given.', { hint: 'Use --set path=value, --clear path or --file.' })
  const maxTipCents = centsOf(flags['max-tip'], '--max-tip')
  const rules = {
    purpose: 'update',
    maxTipCents,
    nowMs: flags['dry-run'] ? await session.windowsNowMs(patch) : undefined,
  } as const
  await refuseOrder(patch, { names }, rules)
  return patch
}

const inputOf = ({ deliveryId, patch }: PlannedUpdate) => ({ deliveryId, body: patch }) as InputOf<'updateDelivery'>

async function preview(session: Session, update: PlannedUpdate): Promise<Delivery | undefined> {
  throwRefusal(updateRefusal(await update.current(), update.patch))
  return session.dryRun('updateDelivery', inputOf(update))
}

/** Asks on production if the update may cost more. */
async function askToUpdate(
  session: Session,
  { deliveryId, patch, current }: PlannedUpdate,
  yes: boolean,
): Promise<boolean> {
  if (!mayRaisePrice(patch)) return true
  const question = `Change the tip or the package of ${deliveryId}`
  const details = async (mayAsk: boolean) => plannedChanges(patch, mayAsk ? await current() : undefined)
  return session.account.confirmOnProduction(question, yes, details)
}

/** Opens the ledger first: that decides whose the key is, and if it cannot be told, nothing is sent. */
async function send(session: Session, update: PlannedUpdate): Promise<Delivery> {
  const ledger = await session.account.ledger()
  const look = `dlv deliveries get ${shellWord(deliveryWord(update.deliveryId))}`
  const delivery = await session.sendWrite(() => update.client.updateDelivery(inputOf(update)), { look })
  ledger.moved(delivery, update.patch)
  ledger.flush()
  await archiveUpdated(session, [delivery])
  return delivery
}

/** Writes the updated deliveries into the archive, if there is one: no event tells of an update. */
export async function archiveUpdated(session: Session, deliveries: readonly Delivery[]): Promise<void> {
  const { archiveAnswers } = await import('../archive/archive-service.js')
  await archiveAnswers(deliveries, {
    dataDir: session.config.dataDir,
    account: await session.account.dataName(),
    nowMs: session.context.nowMs,
  })
}

/** The answers of a run that the archive takes at its end; of more, the next events tell. */
const archivedMost = 5_000

/**
 * Updates the deliveries of a file, or those that are named, which all get the changes of the flags: a row is completed
 * (`completedOrder`) and its name becomes an id (`namedRows`), a base gets its name, an address that moves off one is
 * placed (`movedRows`), what looks wrong is said, and what an update costs is told with the question (`updateEffects`).
 * Then each is updated (`updateAction`), and kept in the ledger and in the archive.
 *
 * @param given the name of a file, or the names of deliveries
 */
export async function updateMany(
  session: Session,
  given: string | readonly string[],
  flags: UpdateFlags,
): Promise<undefined> {
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
