import type { DeliverySummary } from '../../wire/live.js'

export type Tone = 'good' | 'bad' | 'active' | 'neutral' | 'warn'

const tones: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  failed: 'bad',
  dispatch_failed: 'bad',
  expired: 'bad',
  cancelled: 'neutral',
  returned: 'warn',
  return_in_progress: 'warn',
  reassigning: 'warn',
  scheduled: 'neutral',
}

/** The tone of a status; one that no version of the contract knows is neutral. */
export function toneOf(status: string): Tone {
  return tones[status] ?? (/^(?:accepted|driver_|pickup_)/.test(status) ? 'active' : 'neutral')
}

/** The columns of the board. */
export const stages = [
  { name: 'Problems', statuses: ['dispatch_failed', 'reassigning', 'return_in_progress', 'failed'] },
  { name: 'Waiting', statuses: ['scheduled', 'accepted'] },
  { name: 'To pickup', statuses: ['driver_assigned', 'driver_enroute_to_pickup', 'driver_at_pickup'] },
  { name: 'To dropoff', statuses: ['pickup_complete', 'driver_enroute_to_dropoff', 'driver_at_dropoff'] },
  { name: 'Done', statuses: ['delivered', 'returned', 'cancelled', 'expired'] },
] as const

export interface Column {
  name: string
  deliveries: readonly DeliverySummary[]
}

const ended: ReadonlySet<string> = new Set(['delivered', 'failed', 'returned', 'cancelled', 'expired'])
/** An ETA that slipped by more than this is late. */
const toleranceMs = 5 * 60_000

/** By how much a delivery is behind its first estimate, in milliseconds; 0 if it is not late. */
export function lateMs(delivery: DeliverySummary, nowMs: number): number {
  if (ended.has(delivery.status) || delivery.firstEta === undefined) return 0
  const first = Date.parse(delivery.firstEta)
  const behind = Math.max(Date.parse(delivery.eta ?? delivery.firstEta), nowMs) - first
  return behind > toleranceMs ? behind : 0
}

/** A failure stays among the problems for a day; after that it is history. */
const problemMs = 24 * 3_600_000

/** The column of a delivery; one with a status that no version of the contract knows is waiting. */
function columnOf(delivery: DeliverySummary, nowMs: number): string {
  if (delivery.status === 'failed' && nowMs - timeOf(delivery) > problemMs) return 'Done'
  return stages.find(({ statuses }) => (statuses as readonly string[]).includes(delivery.status))?.name ?? 'Waiting'
}

/** The board: late ones first in each column, then the ones that moved last. */
export function columnsOf(deliveries: Iterable<DeliverySummary>, nowMs: number): Column[] {
  const columns = new Map<string, DeliverySummary[]>(stages.map(({ name }) => [name, []]))
  for (const delivery of deliveries) columns.get(columnOf(delivery, nowMs))?.push(delivery)
  return [...columns].map(([name, members]) => ({
    name,
    deliveries: members.sort((one, other) => lateMs(other, nowMs) - lateMs(one, nowMs) || timeOf(other) - timeOf(one)),
  }))
}

function timeOf({ updatedAt, createdAt }: DeliverySummary): number {
  return Date.parse(updatedAt ?? createdAt ?? '') || 0
}
