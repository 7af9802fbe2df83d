import { naming } from './database.js'
import { EventCounts } from './drivers-and-counts.js'
import { isoOf } from './event-rows.js'
import { type ArchiveFiles, coverageOf } from './files.js'
import type { People } from './people.js'
import { tables } from './tables.js'

/**
 * Removes deliveries that were created before a time and have ended, with all that belongs to them, and events that are
 * older. Returns the number of deliveries.
 */
export function dropOlder(files: ArchiveFiles, people: People, beforeMs: number): number {
  const before = isoOf(beforeMs)
  const old = `SELECT delivery_id FROM deliveries WHERE coalesce(created_at, seen_at) < ? AND ended_at IS NOT NULL`
  const ids = files
    .prepare(old)
    .all(before)
    .map((row) => String(row.delivery_id))
  const drivers = files.prepare('SELECT driver_id FROM drivers WHERE last_seen_at < ?').all(before)
  files.transaction(() => {
    const referenceOf = files.prepare('SELECT client_order_reference FROM deliveries WHERE delivery_id = ?')
    for (const id of ids) {
      const reference = referenceOf.get(id)?.client_order_reference ?? null
      files.inPeople('DELETE FROM order_texts WHERE client_order_reference = ?')?.run(reference)
      for (const table of ['events', 'status_history', 'locations', 'proofs', 'deliveries'] as const)
        files.prepare(`DELETE FROM ${table} WHERE delivery_id = ?`).run(id)
      files.inPeople('DELETE FROM people WHERE delivery_id = ?')?.run(id)
      files.inPeople('DELETE FROM bodies WHERE delivery_id = ?')?.run(id)
    }
    files.prepare('DELETE FROM events WHERE occurred_at < ? AND delivery_id IS NULL').run(before)
    new EventCounts((text) => files.prepare(text)).recount()
    files.prepare('DELETE FROM installation_changes WHERE occurred_at < ?').run(before)
    files.prepare('DELETE FROM orders WHERE sent_at < ?').run(before)
    files.inPeople('DELETE FROM order_texts WHERE sent_at < ?')?.run(before)
    files.prepare('DELETE FROM drivers WHERE last_seen_at < ?').run(before)
    for (const { driver_id } of drivers)
      files.inPeople('DELETE FROM driver_people WHERE driver_id = ?')?.run(String(driver_id))
    files.inPeople('DELETE FROM bodies WHERE at < ? AND delivery_id IS NULL')?.run(before)
    dropCoverage(files, beforeMs)
  })
  if (ids.length + drivers.length > 0) naming(files.paths.people, 'write', () => people.rewrite())
  return ids.length
}

/** What was dropped is not covered any more. */
function dropCoverage(files: ArchiveFiles, beforeMs: number): void {
  const rows = files.prepare("SELECT * FROM syncs WHERE source GLOB 'events*' OR source GLOB 'backfill*'").all()
  for (const row of rows) {
    const [source, covered] = [String(row.source), coverageOf(row)]
    if (covered === undefined || covered.fromMs >= beforeMs) continue
    if (covered.toMs > beforeMs || source === 'events')
      files.cover(source, { ...covered, fromMs: Math.min(beforeMs, covered.toMs) })
    else files.prepare('DELETE FROM syncs WHERE source = ?').run(source)
  }
}

/** Empties the archive, because the sandbox that it is of was reset. What dlv sent stays. */
export function clearArchive(files: ArchiveFiles): void {
  files.transaction(() => {
    for (const [name, { file }] of Object.entries(tables))
      if (['orders', 'order_texts', 'settings', 'forgotten'].includes(name)) continue
      else if (file === 'people') files.inPeople(`DELETE FROM ${name}`)?.run()
      else files.prepare(`DELETE FROM ${name}`).run()
  })
}
