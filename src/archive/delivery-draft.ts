import { terminalStatuses } from '../contract/internal.js'
import { canonicalJson } from '../shared/canonical-json.js'
import { textOf } from '../shared/json.js'
import { figuresOf } from '../trade/figures.js'
import { addStep, isEarlierEta, knownStatus, type Step } from '../trade/known-delivery.js'
import { promiseOf } from '../trade/promise.js'
import { iso, type Snapshot, type SnapshotColumn, snapshotColumns, type Value } from './event-rows.js'

/** The columns of `deliveries` in the order of the table; `steps` and `value_times` are JSON there. */
export type DeliveryRow = Record<string, Value>

/** The part of an order that dlv sent which decides the delivery's window and promise. */
export interface SentOrder {
  quoted_eta: Value
  window_start: Value
  window_end: Value
  installation_code: Value
}

const orderColumns = ['window_start', 'window_end', 'installation_code'] as const

/** The values that a delivery loses with its installation. */
const baseColumns = ['installation_code', 'gate'] as const
/** In `value_times`: `yes` if the newest snapshot that tells of installations is on none, and an older one was on one. */
const hasLeft = 'left_installation'

/** The time of a value that no snapshot has: any snapshot's value replaces it. */
const fromElsewhere = ''

/** Whether the value of a row is from the order that dlv sent, because no snapshot has it. */
export function isFromOrder({ value_times }: { value_times: string | null }, column: (typeof orderColumns)[number]) {
  return value_times !== null && (JSON.parse(value_times) as Record<string, string>)[column] === fromElsewhere
}

/**
 * A row of `deliveries` while snapshots are added to it. The result depends on the snapshots and not on the order in
 * which they come: a newer one wins, and a value that it lacks stays that of the newest one that has it.
 */
export class DeliveryDraft {
  readonly #row: DeliveryRow
  readonly #steps: Step[]
  /**
   * The times of values that are not from the newest snapshot, by column; empty for a value that no snapshot has. That of
   * `first_eta` is the time of the oldest snapshot that has an ETA.
   */
  readonly #times: Record<string, string>
  isChanged = false
  /** Whether the table does not have it yet. */
  isNew: boolean
  /** The person that is written for this delivery, as text; `undefined` if that is not known. */
  person: string | undefined

  constructor(deliveryId: string, known: DeliveryRow | undefined) {
    const row = known ?? { delivery_id: deliveryId, seen_at: '' }
    this.isNew = known === undefined
    this.#row = row
    this.#steps = typeof row.steps === 'string' ? (JSON.parse(row.steps) as Step[]) : []
    this.#times = typeof row.value_times === 'string' ? (JSON.parse(row.value_times) as Record<string, string>) : {}
  }

  get seenAt(): string {
    return String(this.#row.seen_at)
  }

  get seenEventId(): Value {
    return this.#row.seen_event_id ?? null
  }

  get createdAt(): string {
    return String(this.#row.created_at ?? this.#row.seen_at)
  }

  get reference(): Value {
    return this.#row.client_order_reference ?? null
  }

  /**
   * Adds a snapshot.
   *
   * @param isNewest whether it is newer than all snapshots so far
   * @param isFirstEta whether the service's list has no ETA of the same moment before it
   * @returns the steps that were not known, or whose reason was not
   */
  add(
    { at, status, reason, values, leftBase, steps, positionAt }: Snapshot,
    isNewest: boolean,
    eventId: string | null,
    isFirstEta: boolean,
  ): Step[] {
    if (leftBase) this.#leaveBase(at)
    for (const column of snapshotColumns) this.#put(column, values[column], at, isNewest)
    if (this.#put('status', status, at, isNewest) && (this.#row.status_reason_code ?? null) !== reason) {
      this.#row.status_reason_code = reason
      this.isChanged = true
    }
    const eta = values.newest_eta
    const firstAt = this.#times.first_eta
    const isOfMoment = isFirstEta && at === firstAt && eta !== this.#row.first_eta
    if (eta != null && (isEarlierEta(at, firstAt) || isOfMoment)) {
      this.#row.first_eta = eta
      this.#times.first_eta = at
      this.isChanged = true
    }
    const added = steps.filter((step) => addStep(this.#steps, step))
    if (added.length > 0) this.isChanged = true
    if (positionAt !== undefined && positionAt > String(this.#row.position_at ?? '')) {
      this.#row.position_at = positionAt
      this.isChanged = true
    }
    if (!isNewest) return added
    this.#row.seen_at = at
    this.#row.seen_event_id = eventId
    this.isChanged = true
    return added
  }

  /**
   * A snapshot is on no installation. That counts only for a delivery that another snapshot has on one: some services never
   * return it, and the order that was sent says it.
   */
  #leaveBase(at: string): void {
    for (const column of baseColumns) {
      const valueAt = this.#times[column] ?? this.seenAt
      if ((this.#row[column] ?? null) === null || valueAt === fromElsewhere || valueAt >= at) continue
      this.#clear(column)
      this.#times[hasLeft] = 'yes'
      this.isChanged = true
    }
  }

  /** Whether a newer snapshot with a whole dropoff is on no installation. */
  #leftSince(at: string): boolean {
    if ((this.#row.installation_code ?? null) !== null && this.#times.installation_code !== fromElsewhere) return false
    return (this.#row.postal_code ?? null) !== null && at < (this.#times.postal_code ?? this.seenAt)
  }

  #clear(column: SnapshotColumn): void {
    this.#row[column] = null
    delete this.#times[column]
  }

  /** Returns whether the value is in the row now. */
  #put(column: SnapshotColumn | 'status', value: Value | undefined, at: string, isNewest: boolean): boolean {
    const known = this.#row[column] ?? null
    if (value == null) {
      if (isNewest && known !== null && this.seenAt !== '') this.#times[column] ??= this.seenAt
      return false
    }
    if (baseColumns.some((one) => one === column) && !isNewest && this.#leftSince(at)) {
      if (this.#times[hasLeft] === undefined) this.isChanged = true
      this.#times[hasLeft] = 'yes'
      return false
    }
    if (column === 'installation_code' && isNewest) delete this.#times[hasLeft]
    const olderAt = this.#times[column]
    // A listing reads all events of one moment in their order, so that the last of them that has a value wins.
    if (!isNewest && known !== null && (olderAt === undefined || at < olderAt)) return false
    if (isNewest) delete this.#times[column]
    else if (olderAt !== at) {
      this.#times[column] = at
      this.isChanged = true
    }
    if (known !== value) {
      this.#row[column] = value
      this.isChanged = true
    }
    return true
  }

  /** Completes the row with what its steps and its order say, and returns it. */
  row(order: SentOrder | undefined): DeliveryRow {
    const row = this.#row
    for (const column of orderColumns) this.#fill(column, order?.[column] ?? null)
    this.#fill('created_at', this.#steps[0]?.[1] ?? null)
    row.status ??= this.#steps.at(-1)?.[0] ?? 'unknown'
    const last = (status: string) => this.#steps.findLast((step) => step[0] === status)?.[1] ?? null
    const newest = { status: String(row.status), reason: textOf(row.status_reason_code) }
    const { since, reason } = knownStatus(newest, this.#steps)
    row.status_since = since ?? null
    row.status_reason_code = reason ?? null
    row.accepted_at = this.#steps.find(([status]) => status === 'accepted')?.[1] ?? null
    row.assigned_at = last('driver_assigned')
    row.at_store_at = last('driver_at_pickup')
    row.picked_up_at = last('pickup_complete')
    row.at_door_at = last('driver_at_dropoff')
    row.ended_at = terminalStatuses.has(String(row.status)) ? row.status_since : null
    const figures = figuresOf(
      this.#steps.map(([status, at, reason]) => ({
        status,
        atMs: Date.parse(at),
        statusReasonCode: reason ?? undefined,
      })),
    )
    row.delivered_at = iso(figures.deliveredMs)
    row.outcome = figures.outcome
    row.end_reason_code = figures.endReason ?? null
    row.furthest_status = figures.furthest ?? null
    row.time_to_assign_ms = figures.timeToAssignMs ?? null
    row.to_store_ms = figures.toStoreMs ?? null
    row.pickup_dwell_ms = figures.pickupDwellMs ?? null
    row.drive_ms = figures.driveMs ?? null
    row.door_time_ms = figures.doorTimeMs ?? null
    row.return_ms = figures.returnMs ?? null
    row.recovery_ms = figures.recoveryMs ?? null
    row.had_dispatch_trouble = Number(figures.hadDispatchTrouble)
    row.is_scheduled = Number(figures.isScheduled)
    const promise = this.#promise(order)
    row.promised_by = iso(promise?.promisedByMs)
    row.promise_source = promise?.source ?? null
    row.steps = JSON.stringify(this.#steps)
    row.value_times = Object.keys(this.#times).length === 0 ? null : canonicalJson(this.#times)
    return row
  }

  /** A value that snapshots lack. */
  #fill(column: SnapshotColumn, value: Value): void {
    if (this.#row[column] != null && this.#times[column] !== fromElsewhere) return
    // The service tells installations, and told that this delivery is on none any more.
    const isOver = column === 'installation_code' && this.#times[hasLeft] !== undefined
    this.#row[column] = isOver ? null : value
    if (isOver || value === null) delete this.#times[column]
    else this.#times[column] = fromElsewhere
  }

  #promise(order: SentOrder | undefined) {
    const { client_order_reference: reference, accepted_at, created_at, window_end, first_eta } = this.#row
    const quotedMs = msOf(order?.quoted_eta)
    const key = String(reference ?? '')
    return promiseOf(
      {
        reference: key,
        acceptedMs: msOf(accepted_at ?? created_at),
        windowEndMs: msOf(window_end),
        firstEtaMs: msOf(first_eta),
      },
      quotedMs === undefined ? {} : { quotes: new Map([[key, quotedMs]]) },
    )
  }
}

function msOf(time: Value | undefined): number | undefined {
  return typeof time === 'string' ? Date.parse(time) : undefined
}
