import type { Client } from '../../../client/index.js'
import { type Delivery, DlvError, type EventRecord, limits } from '../../../contract/index.js'
import { oldestSinceMs } from '../../../contract/internal.js'
import { sentLines } from '../../../render/sent-order.js'
import { hasHoles, stepsOf } from '../../../trade/history.js'
import type { Output } from '../../output/output.js'
import type { ProcessContext } from '../../process/context.js'
import type { PromiseLedger } from '../../promises/promise-ledger.js'
import { type Judging, judgingOf } from '../../report/judging.js'
import { firstEtaMsOf, problemOfDelivery } from './details.js'

/** The problem of a delivery, in the words of lists and boards; `undefined` if none is known. */
export async function problemWords(
  client: Client,
  delivery: Delivery,
  nowMs: number,
  judging: Judging,
): Promise<string | undefined> {
  // Without its events, a delivery has no first ETA.
  const firstEtaMs = () =>
    firstEtaMsOf(client, delivery, nowMs).catch((error: unknown) => {
      if (error instanceof DlvError) return undefined
      throw error
    })
  return (await problemOfDelivery(delivery, judging, nowMs, firstEtaMs))?.text
}

/**
 * Deliveries with what was sent with their orders from here. On a card, a history that cannot be read is filled from the
 * events, too, and what is wrong is said.
 */
export async function wholeDeliveries(
  client: Client,
  output: Output,
  context: ProcessContext,
  promises: PromiseLedger,
): Promise<(delivery: Delivery) => Promise<Delivery>> {
  const sentOf = ({ clientOrderReference }: Delivery) => promises.factsOf(clientOrderReference)
  if (!output.forPeople)
    return async (delivery) => {
      const sent = sentOf(delivery)
      return sent === undefined ? delivery : { ...delivery, sent }
    }
  const judging = await judgingOf({}, context, promises)
  return async (delivery) => {
    const { nowMs } = await output.serviceStyleNow({ always: true })
    const whole = await withHistory(client, delivery, nowMs)
    const problem = await problemWords(client, whole, nowMs, judging)
    const sent = sentOf(delivery)
    return {
      ...whole,
      ...(problem === undefined ? {} : { problem }),
      ...(sent === undefined ? {} : { sentLines: sentLines(delivery, sent, output.style) }),
    }
  }
}

async function withHistory(client: Client, delivery: Delivery, nowMs: number): Promise<Delivery> {
  const { deliveryId, statusHistory } = delivery
  if (!hasHoles(statusHistory)) return delivery
  const events: EventRecord[] = []
  const oldestMs = oldestSinceMs(nowMs)
  const since = new Date(Math.max(oldestMs, Date.parse(delivery.createdAt ?? '') || oldestMs)).toISOString()
  const query = { deliveryId, since, limit: limits.pageSizeMax }
  for await (const event of client.each('listEvents', query)) events.push(event)
  return { ...delivery, statusHistory: stepsOf(statusHistory, events) }
}
