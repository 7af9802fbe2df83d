// Appends events to a journal, many at once, and prints how many a second were committed.
// Arguments: the package's folder, the journal, how many, and what their ids begin with.
import { pathToFileURL } from 'node:url'

const [entry = '', address = '', count = '0', prefix = ''] = process.argv.slice(2)
const { openJournal } = await import(pathToFileURL(entry).href)
const journal = await openJournal(address)
const body = Buffer.alloc(1_000, 'x')
const rawHeaders = ['content-type', 'application/json', 'webhook-signature', `v1,${'A'.repeat(43)}=`]
let next = 0
const append = async () => {
  while (next < Number(count)) {
    const number = next++
    await journal.append({
      id: `evt_${prefix}_${number}`,
      source: 'webhook',
      receivedAtMs: Date.now(),
      timestampSeconds: 1_772_463_600,
      secret: 'bench',
      rawHeaders,
      body,
      eventType: 'delivery.accepted',
      deliveryId: `del_${number % 1_000}`,
      occurredAt: '2026-03-02T15:00:00.000Z',
    })
  }
}
const startedAt = performance.now()
await Promise.all(Array.from({ length: 512 }, append))
const perSecond = Number(count) / ((performance.now() - startedAt) / 1_000)
await journal.close()
process.stdout.write(`${JSON.stringify({ perSecond })}\n`)
