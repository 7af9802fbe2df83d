import type { Installation } from '../contract/index.js'
import { deliveryWord, shellWord } from '../shared/command-words.js'
import { isRecord, recordAt, textAt, timeAt } from '../shared/json.js'
import {
  type AccessOrder,
  entryObstacles,
  type Found,
  type Obstacle,
  proofObstacles,
  type RemedyField,
} from './obstacles.js'
import { isExpected, isPickedUp } from './statuses.js'
import { mayUpdate } from './updates.js'

/** The time and the fields of an `installation.access_policy_changed` event. */
export interface PolicyChange {
  atMs: number
  /** The names of the changed fields; absent if the service does not say them: it may be any. */
  changed?: readonly string[] | undefined
}

/** A change with the installation as it is now. */
export interface AffectingChange extends PolicyChange {
  installation: Installation
}

/** The installation that an event is about. */
export function installationIn(event: unknown): string | undefined {
  return textAt(recordAt(event, 'installation'), 'code')
}

/** The change that an event tells of; one without a time counts as later than every order. */
export function changeIn(event: unknown): PolicyChange {
  const changed = isRecord(event) && Array.isArray(event.changed) ? event.changed.map(String) : undefined
  return { atMs: timeAt(event, 'occurredAt') ?? Number.POSITIVE_INFINITY, changed }
}

/** A change without the fields that later changes of the installation have changed again, and decide now. */
export function changeThatStands(change: PolicyChange, later: readonly PolicyChange[]): PolicyChange {
  const again = new Set(later.flatMap(({ changed }) => changed ?? []))
  return { ...change, changed: change.changed?.filter((name) => !again.has(name)) }
}

/** A step that helps an order that a change touches. */
export interface Remedy {
  kind: 'update' | 'check' | 'wait' | 'contact' | 'cancel'
  label: string
  /** The words of the command after `dlv`. */
  command: string
  /** The fields of the update or the check. */
  fields?: readonly RemedyField[]
}

/** The effect of a change on an order. */
export interface Touched {
  obstacles: Obstacle[]
  remedies: Remedy[]
}

/**
 * The effect of a change of an installation's policy on an order, by the policy as it is now; `undefined` if it does not
 * touch it.
 */
export function touchedBy(
  { atMs, changed, installation }: AffectingChange,
  order: AccessOrder,
  nowMs: number,
): Touched | undefined {
  // An order that came later was accepted under the policy as it was then.
  if (!isExpected(order.status) || (order.createdMs ?? 0) > atMs) return undefined
  const found = [
    ...(order.status === 'driver_at_dropoff' ? [] : entryObstacles(installation, order, nowMs)),
    ...proofObstacles(installation, order),
  ].filter(({ of }) => changed === undefined || of.some((field) => changed.some((name) => isPartOf(name, field))))
  if (found.length === 0) return undefined
  return {
    obstacles: found
      .toSorted((one, other) => Number(other.blocks) - Number(one.blocks))
      .map(({ text, blocks }) => ({ text, blocks })),
    remedies: remediesOf(order, found),
  }
}

/** A service may name a part, such as `gateHours` or `gates.0.hours`. */
function isPartOf(name: string, field: string): boolean {
  return name === field || name.startsWith(`${field}.`) || (field === 'gates' && /^gate/i.test(name))
}

/** Updates that its stage still allows, then steps that are always possible. */
function remediesOf(order: AccessOrder, found: readonly Found[]): Remedy[] {
  const { deliveryId, status } = order
  const id = shellWord(deliveryWord(deliveryId))
  const updates = new Map<string, RemedyField[]>()
  for (const { update } of found) {
    const [label = '', ...fields] = update ?? []
    if (fields.length > 0 && fields.every(({ path }) => mayUpdate(status, path)))
      updates.set(label, [...(updates.get(label) ?? []), ...fields])
  }
  const instructions = 'dropoff.instructions'
  if (isPickedUp(status) && mayUpdate(status, instructions))
    updates.set('Change the instructions', [{ path: instructions, value: '' }])
  const remedies: Remedy[] = [...updates].map(([label, fields]) => ({
    kind: 'update',
    label,
    command: [`deliveries update ${id}`, ...fields.map(assignment)].join(' '),
    fields,
  }))
  remedies.push(check(order))
  // What an update does not mend may pass by itself.
  if (updates.size === 0 || found.every(({ blocks }) => !blocks))
    remedies.push({ kind: 'wait', label: 'Wait and watch', command: `deliveries watch ${id}` })
  remedies.push(
    { kind: 'contact', label: 'Contact', command: `deliveries get ${id}` },
    { kind: 'cancel', label: 'Cancel', command: `deliveries cancel ${id}` },
  )
  return remedies
}

function assignment({ path, value }: RemedyField): string {
  if (path === 'package.contains')
    return `--set ${shellWord(`${path}=${JSON.stringify(value === '' ? [] : value.split(', '))}`)}`
  return `--set ${shellWord(`${path}=${value === '' ? 'TEXT' : value}`)}`
}

function check({ installation, gate, deliveryPoint, contains, window }: AccessOrder): Remedy {
  const atMs = window?.startMs
  const fields = [
    { path: 'dropoff.installation.gate', value: gate ?? '' },
    { path: 'dropoff.unit.deliveryPoint', value: deliveryPoint ?? '' },
    { path: 'package.contains', value: contains.join(', ') },
    { path: 'deliverAt', value: atMs === undefined ? '' : new Date(atMs).toISOString() },
  ].filter(({ value }) => value !== '')
  const words = [`installations check ${shellWord(installation)}`, ...fields.map(assignment)]
  return { kind: 'check', label: 'Check again', command: words.join(' '), fields }
}
