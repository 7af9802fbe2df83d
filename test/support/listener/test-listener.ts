import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Listener, type ListenerOptions, type ListenerRecord, startListener } from '../../../src/listener/index.js'
import { newSecret, post, signatureHeaders } from '../../../src/webhooks/index.js'
import { createTempDir } from '../temp-dir.js'

export interface RunningListener extends Listener {
  secret: string
  journalFile: string
  records: ListenerRecord[]
  recordsOf<Type extends ListenerRecord['type']>(type: Type): Extract<ListenerRecord, { type: Type }>[]
}

/** A listener on a free port with a journal of its own, closed after the test. */
export async function launchListener({
  journalFile: file,
  ...options
}: Partial<ListenerOptions> & { journalFile?: string } = {}): Promise<RunningListener> {
  const given = typeof options.secrets === 'function' ? options.secrets() : options.secrets
  const secret = given?.[0]?.secret ?? newSecret()
  const journal = options.journal ?? file ?? join(createTempDir(), 'journal.db')
  const journalFile = typeof journal === 'string' ? journal : ''
  const records: ListenerRecord[] = []
  const listener = await startListener({
    secrets: [{ name: 'test', secret }],
    onRecord: (record) => records.push(record),
    ...options,
    journal,
  })
  onTestFinished(() => listener.close())
  const recordsOf = <Type extends ListenerRecord['type']>(type: Type) =>
    records.filter((record): record is Extract<ListenerRecord, { type: Type }> => record.type === type)
  return { ...listener, secret, journalFile, records, recordsOf }
}

let count = 0

/** An event's id and bytes. */
export function testEvent(deliveryId: string | undefined = undefined, id = `evt_${process.pid}_${++count}`) {
  const delivery = deliveryId === undefined ? '' : `, "delivery": {"deliveryId":"${deliveryId}", "status":"accepted"}`
  return {
    id,
    body: Buffer.from(
      `{"eventId":"${id}", "eventType":"delivery.accepted", "occurredAt":"2026-03-02T15:00:00.000Z"${delivery}}`,
    ),
  }
}

/** Signs and posts an event; the status of the answer, or 0 where none came. */
export async function postEvent(
  url: string,
  secret: string,
  event: { id: string; body: Buffer },
  nowMs = Date.now(),
): Promise<number> {
  const signed = signatureHeaders({ secrets: [secret], ...event, timestampSeconds: Math.floor(nowMs / 1000) })
  const headers = { 'content-type': 'application/json', ...signed }
  const outcome = await post({ url, headers, body: event.body, timeoutMs: 20_000 })
  return outcome.answered ? outcome.status : 0
}
