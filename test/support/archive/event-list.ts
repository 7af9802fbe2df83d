import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type ArchivePaths,
  type ArchiveService,
  archivePaths,
  fillArchive,
  inflated,
  openArchive,
  tables,
  type WriterOptions,
} from '../../../src/archive/index.js'

export const startMs = Date.parse('2026-03-02T15:00:00.000Z')

/** An event of the list: what a delivery was, when, and when the service shows it. */
export interface ListEvent {
  delivery: number
  status: string
  /** Milliseconds after `startMs`. */
  atMs: number
  /** How much later the service lists it. */
  lateMs?: number
  /** Lacks the driver, whose id is one of a few otherwise. */
  driver?: number | undefined
  eventType?: string
  etaMs?: number
  attempts?: number
  webhook?: string | null
  isLive?: boolean
  /** More of the delivery's snapshot. */
  more?: Readonly<Record<string, unknown>>
}

/** The service's list of these events, with a clock, pages of any size and requests that fail. */
export function eventList(events: readonly ListEvent[], pageSize = () => 100) {
  let nowMs = startMs
  let requests = 0
  let failAfter = Number.POSITIVE_INFINITY
  let instance: string | undefined
  const records = events
    .map((event, index) => ({ event, index, record: recordOf(event, index) }))
    // As the service has it: by time, and of one moment in the order in which they happened.
    .sort((one, other) => one.event.atMs - other.event.atMs || one.index - other.index)

  const service: ArchiveService = {
    nowMs: async () => nowMs,
    async listEvents({ since, until, cursor }) {
      requests++
      if (failAfter-- <= 0) throw new Error('the connection was cut')
      const after = cursor === undefined ? undefined : Number(cursor)
      const untilMs = until === undefined ? nowMs : Date.parse(until)
      const shown = records.filter(({ event: { atMs, lateMs = 0 }, index }, place) => {
        const at = startMs + atMs
        const isShown = at >= Date.parse(since) && at < untilMs && at + lateMs <= nowMs
        return isShown && (after === undefined || place > after) && index >= 0
      })
      const page = shown.slice(0, pageSize())
      const last = page.at(-1)
      const nextCursor = page.length < shown.length && last !== undefined ? String(records.indexOf(last)) : null
      return Buffer.from(JSON.stringify({ events: page.map(({ record }) => record), nextCursor }))
    },
    listDeliveries: async () => ({ deliveries: [] }),
    getDelivery: async () => undefined,
    instance: () => instance,
  }
  return {
    service,
    records: records.map(({ record }) => record),
    requests: () => requests,
    setNow: (ms: number) => {
      nowMs = startMs + ms
    },
    /** Is a sandbox in a state of this name. */
    setInstance: (name: string) => {
      instance = name
    },
    /** Lists an event with data that are not an object. */
    spoil: (eventId: string) => {
      for (const { record } of records) if (record.eventId === eventId) Object.assign(record, { data: 'lost' })
    },
    /** Lets this many requests succeed, and then one fail. */
    cutAfter: (count: number) => {
      failAfter = count
    },
  }
}

function recordOf(
  { delivery, status, atMs, driver, eventType, etaMs, attempts, webhook = 'pending', isLive = false, more }: ListEvent,
  index: number,
) {
  const deliveryId = `del_${delivery}`
  const eventId = `evt_${index}`
  const occurredAt = new Date(startMs + atMs).toISOString()
  const envelope = { eventId, eventType: eventType ?? `delivery.${status}`, occurredAt, livemode: isLive }
  const person = { contactName: `Jordan ${delivery}`, contactPhone: `+1910555${1000 + delivery}` }
  const address = { line1: `${delivery} Ramsey Street`, city: 'New London', state: 'CT', postalCode: '06385' }
  return {
    ...envelope,
    deliveryId,
    deliveryAttempts: attempts ?? 1,
    lastDeliveryStatus: webhook,
    lastAttemptAt: occurredAt,
    data: {
      ...envelope,
      ...(etaMs === undefined ? {} : { eta: { dropoff: new Date(startMs + etaMs).toISOString() } }),
      delivery: {
        deliveryId,
        clientOrderReference: `ORDER-${delivery}`,
        status,
        pickup: { storeReference: `STORE-${delivery % 3}` },
        dropoff: { address, ...person, instructions: `Ring twice at ${index}` },
        pricing: { currency: 'USD', totalPriceCents: 700 + index },
        ...(driver === undefined ? {} : { driver: { id: `drv_${driver}`, name: `Priya ${driver}` } }),
        createdAt: new Date(startMs).toISOString(),
        updatedAt: occurredAt,
        ...more,
      },
    },
  }
}

/** Fills an archive as one process does, which then ends. */
export async function fillOnce(
  paths: ArchivePaths,
  { service }: Pick<ReturnType<typeof eventList>, 'service'>,
  options: Partial<WriterOptions> & { fromMs?: number; isHurried?: boolean } = {},
): Promise<string[]> {
  const warnings: string[] = []
  const { fromMs = startMs - 60_000, isHurried, ...writing } = options
  const writer = await openArchive(paths, { nowMs: () => startMs, ...writing })
  try {
    await fillArchive(writer, service, {
      nowMs: () => startMs,
      fromMs: () => fromMs,
      isHurried,
      onWarning: (text) => warnings.push(text),
    })
  } finally {
    writer.close()
  }
  return warnings
}

/** The rows of all tables that events make, in the order of their keys. */
export function tablesOf(paths: ArchivePaths): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(tables)
      .filter(([name]) => !['syncs', 'settings'].includes(name))
      .map(([name, { file, key, columns }]) => {
        const database = new DatabaseSync(paths[file], { readOnly: true })
        const known = Object.keys(columns).filter((column) => column !== 'first_seen_at' || name !== 'events')
        const rows = database.prepare(`SELECT ${known.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`).all()
        database.close()
        const text = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(inflated(value)).toString() : value)
        return [
          name,
          rows.map((row) => Object.fromEntries(Object.entries(row).map(([at, value]) => [at, text(value)]))),
        ]
      }),
  )
}

/** The files of an archive in a directory. */
export const pathsIn = (directory: string, name = 'local') => archivePaths(join(directory), name)
