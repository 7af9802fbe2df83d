import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Caller } from '../support/sandbox/caller.js'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestReceiver } from '../support/sandbox/receiver.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { createTempDir } from '../support/temp-dir.js'

/** Tables that grow with use: none of them may be read from end to end for one request. */
const growing = /SCAN (?:deliveries|events|webhooks|attempts|idempotency|quotes)\b/

/** The sandbox's own status counts, and ledgers are read from their ends. */
const permitted = [/^SELECT COUNT\(\*\)/, /FROM attempts .*ORDER BY attempt_id DESC LIMIT/, /ORDER BY seq DESC LIMIT/]

describe('the statements of a busy day', () => {
  test('read no growing table from end to end, and leave no index without a reader', async () => {
    const statements = new Set<string>()
    const prepare = DatabaseSync.prototype.prepare
    const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
      statements.add(sql)
      return prepare.call(this, sql)
    })
    onTestFinished(() => spy.mockRestore())
    const data = join(createTempDir(), 'plans.db')
    const { sandbox, caller } = await startTestSandbox({ data })
    await useEverything(caller, (await startTestReceiver()).url)
    await sandbox.settled()
    await caller.steer('POST', '/clock', { advance: '800h' })
    await caller.steer('DELETE', '/endpoints')
    expect(statements.size).toBeGreaterThan(40)

    const database = new DatabaseSync(data, { readOnly: true })
    const bad: string[] = []
    const plans: string[] = []
    for (const sql of statements) {
      if (!/^\s*(?:SELECT|UPDATE|DELETE|INSERT)/.test(sql)) continue
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(sql.match(/\?/g) ?? []).map(() => null))
      const plan = steps.map(({ detail }) => String(detail)).join('; ')
      plans.push(plan)
      const isPaged = /FROM (?:deliveries|events) .*LIMIT/s.test(sql)
      const isRead = growing.test(plan) && !permitted.some((pattern) => pattern.test(sql))
      if (isRead || (isPaged && plan.includes('TEMP B-TREE'))) bad.push(`${plan}\n  for ${sql}`)
    }
    const laterPages = [...statements].filter((sql) => /\((?:created|occurred)_at_ms, \w+\) [<>] /.test(sql))
    expect(laterPages.length).toBeGreaterThan(3)
    // With two bounds on one side SQLite takes the wider one, and each page costs as much as all before it together.
    for (const sql of laterPages) expect(sql).not.toMatch(/created_at_ms < \?|occurred_at_ms >= \?/)
    const byStatus = [...statements].filter((sql) => sql.includes('deliveries.status = ?'))
    for (const sql of byStatus) expect(sql).toContain('deliveries_by_status')
    expect(byStatus.length).toBeGreaterThan(0)
    const indexes = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").all()
    database.close()
    expect(bad).toEqual([])
    expect(indexes.map(({ name }) => String(name)).filter((name) => !plans.join().includes(name))).toEqual([])
  })
})

async function useEverything(caller: Caller, url: string): Promise<void> {
  await caller.steer('POST', '/endpoints', { url })
  const day = '2020-01-01T00:00:00Z'
  for (let count = 0; count < 3; count++) {
    const { body } = await caller.create(testOrder({ metadata: { sandbox_pace: 'fast' } }))
    await caller.patch(`/deliveries/${body.deliveryId}`, { tipAmountCents: 1 })
    await caller.get(`/deliveries/${body.deliveryId}`)
    await caller.get(`/events?deliveryId=${body.deliveryId}&delivered=false`)
  }
  const { body } = await caller.create(testOrder({ dropoff: { installation: { code: 'FTBRAGG' } } }))
  await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'driver_at_pickup' })
  await caller.steer('PUT', '/installations/FTBRAGG', { fpconLevel: 'delta' })
  await caller.post(`/deliveries/${body.deliveryId}/cancel`)
  await caller.post('/quotes', testOrder())
  for (const path of ['/drivers', '/teams', '/installations', '/deliveries?clientOrderReference=x'])
    await caller.get(path)
  const lists = [
    `/deliveries?from=${day}&limit=1`,
    `/deliveries?from=${day}&limit=1&status=accepted`,
    '/events?limit=1',
    '/events?limit=1&delivered=true',
    '/events?limit=1&eventType=delivery.accepted&delivered=false',
    '/events?limit=1&eventType=delivery.accepted&eventType=delivery.failed',
  ]
  for (const path of lists) {
    const page = await caller.get(path)
    if (typeof page.body.nextCursor === 'string') await caller.get(`${path}&cursor=${page.body.nextCursor}`)
  }
  for (const path of ['/attempts', '/changes', '/changes?events=1&attempts=1', '/sent-events', '/schedule'])
    await caller.steer('GET', path)
  await caller.steer('POST', '/seed', { count: 5 })
}
