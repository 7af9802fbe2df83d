import {
  type KnownDeliveryStatus,
  type KnownStatusReasonCode,
  milestoneIndex,
  terminalStatuses,
} from '../../contract/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { isPickedUp } from '../../trade/statuses.js'
import type { Decision, DeliveryRow, EventDraft, InstallationRow, World } from '../model.js'
import { inNameOf } from './accounts.js'
import { replan } from './autopilot.js'
import { DeliveryDraft } from './delivery-draft.js'
import { tellNewEta } from './driver-movement.js'
import { enterStatus } from './enter-status.js'
import { installationEvent } from './events.js'
import { restlessInstallation } from './fixtures.js'
import { installationDetail, isAccepting, isElevated } from './installations.js'
import { Refusal } from './refusal.js'
import { resolveVerification } from './verification.js'

/** The parts of an installation that may change: its policy and its gates, not its identity or place. */
export type InstallationPatch = Partial<
  Pick<
    InstallationRow,
    | 'acceptingDeliveries'
    | 'accessLevel'
    | 'fpconLevel'
    | 'photographyPermitted'
    | 'imagingRestrictions'
    | 'supportedDeliveryPoints'
    | 'permittedProofTypes'
    | 'prohibitedCargo'
    | 'gates'
  >
>

/**
 * Changes the policy of an installation. Every account that delivers there, or has done so, gets
 * `installation.access_policy_changed`; orders that the change stops emit events of their own. Answers the
 * installation. Throws `INSTALLATION_NOT_FOUND`.
 */
export function changeInstallation(world: World, code: string, patch: InstallationPatch): Decision {
  const before = world.installation(code)
  if (before === undefined) throw new Refusal('INSTALLATION_NOT_FOUND', `No installation "${code}" exists.`)
  const changed = changedFields(before, patch)
  if (changed.length === 0) return { status: 200, body: installationDetail(world, before) }
  const after: InstallationRow = { ...before, ...patch, policyUpdatedAtMs: world.nowMs }
  const open = world.openDeliveriesAt(code).filter((row) => !terminalStatuses.has(row.status))
  const concerned = world.accounts.filter(({ accountId }) => world.deliversTo(accountId, code))
  const told = concerned.map((account) =>
    installationEvent(inNameOf(world, account), account, after, {
      changed,
      affectedDeliveryCount: open.filter((row) => row.accountId === account.accountId).length,
    }),
  )
  const touched = open.map((row) => touch(withInstallation(world, row, after), row, { before, after, changed }))
  const events: EventDraft[] = [...told, ...touched.flatMap((draft) => draft.events)]
  return {
    status: 200,
    body: installationDetail(world, after),
    installations: [after],
    deliveries: touched.map((draft) => draft.row),
    events,
  }
}

/** The next change of the installation whose policy never rests. */
export function flap(world: World): Decision {
  const isNormal = world.installation(restlessInstallation)?.fpconLevel === 'normal'
  return changeInstallation(world, restlessInstallation, { fpconLevel: isNormal ? 'bravo' : 'normal' })
}

function changedFields(before: InstallationRow, patch: InstallationPatch): string[] {
  return Object.entries(patch)
    .filter(([name, value]) => canonicalJson(before[name as keyof InstallationRow]) !== canonicalJson(value))
    .map(([name]) => name)
}

/** The world of a delivery's own account, in which the change has taken place. */
function withInstallation(world: World, row: DeliveryRow, after: InstallationRow): World {
  const own = inNameOf(world, world.accounts.find(({ accountId }) => accountId === row.accountId) ?? world.account)
  return { ...own, installation: (code) => (code === after.code ? after : own.installation(code)) }
}

interface Change {
  before: InstallationRow
  after: InstallationRow
  changed: readonly string[]
}

/**
 * Applies a change to one order: resolves its verification at the dropoff again, and stops an order that can no longer
 * get in, unless it still waits for its window or is already at the door.
 */
function touch(world: World, row: DeliveryRow, { before, after, changed }: Change): DeliveryDraft {
  const draft = new DeliveryDraft(world, row)
  draft.row.resolvedVerification = resolveVerification(row.order, after)
  if (isAccepting(before) && !isAccepting(after)) stop(draft, after)
  else if (isUnderWay(row) && changesTravel(changed)) tellNewEta(draft)
  replan(draft)
  return draft
}

function stop(draft: DeliveryDraft, installation: InstallationRow): void {
  const { status } = draft.row
  const isAtGate = status === 'pickup_complete' || status === 'driver_enroute_to_dropoff'
  if (status === 'accepted' || status === 'reassigning')
    enterStatus(draft, 'dispatch_failed', { reason: isElevated(installation) ? 'fpcon_elevated' : 'gate_closed' })
  else if (isAtGate) enterStatus(draft, 'failed', { reason: turnedAway(installation) })
  else if (hasDriver(status) && !isPickedUp(status)) enterStatus(draft, 'reassigning')
}

function turnedAway(installation: InstallationRow): KnownStatusReasonCode {
  return isElevated(installation) ? 'fpcon_elevated' : 'denied_at_gate'
}

function isUnderWay({ status }: DeliveryRow): boolean {
  return hasDriver(status) && status !== 'return_in_progress' && status !== 'driver_at_dropoff'
}

function changesTravel(changed: readonly string[]): boolean {
  return changed.some((field) => field === 'gates' || field === 'accessLevel' || field === 'fpconLevel')
}

/** Whether a driver has the order: from `driver_assigned` until the end of the trip. */
function hasDriver(status: KnownDeliveryStatus): boolean {
  return milestoneIndex(status) >= milestoneIndex('driver_assigned') || status === 'return_in_progress'
}
