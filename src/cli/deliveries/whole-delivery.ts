import type { Client } from '../../client/index.js'
import { type Delivery, DlvError, type EventRecord, limits } from '../../contract/index.js'
import { oldestSinceMs } from '../../contract/internal.js'
import { sentLines } from '../../render/sent-order.js'
import type { Style } from '../../render/style.js'
import { clockText } from '../../render/words.js'
import type { SentLedger } from '../../sent/index.js'
import { promisedWords } from '../../trade/promise.js'
import { hasHoles, stepsOf } from '../../trade/story.js'
import type { Output } from '../output/output.js'
import type { ProcessContext } from '../process/context.js'
import { firstEtaMsOf, problemOfDelivery } from './listing/from-service.js'
import { type Judging, judgingOf } from './problem-rules.js'

/**
 * The problem of a delivery, in the words of lists and boards, with the time that it is late for; `undefined` if none is
 * known.
 */
export async function problemWords(
  client: Client,
  delivery: Delivery,
  style: Style,
  judging: Judging,
): Promise<string | undefined> {
  const { nowMs } = style
  // Without its events, a delivery has no first ETA.
  const firstEtaMs = () =>
    firstEtaMsOf(client, delivery, nowMs).catch((error: unknown) => {
      if (error instanceof DlvError) return undefined
      throw error
    })
  const problem = await problemOfDelivery(delivery, judging, nowMs, firstEtaMs)
  if (problem?.missed === undefined) return problem?.text
  const { source, promisedByMs } = problem.missed
  return `${problem.text} (${promisedWords[source]} ${clockText(promisedByMs, style)})`
}

/**
 * Deliveries with what was sent with their orders from here. On a card, a history that cannot be read is filled from the
 * events, too, and what is wrong is said.
 */
export async function wholeDeliveries(
  client: Client,
  output: Output,
  context: ProcessContext,
  ledger: SentLedger | undefined,
): Promise<(delivery: Delivery) => Promise<Delivery>> {
  const sentOf = ({ clientOrderReference }: Delivery) => ledger?.factsOf(clientOrderReference)
  if (!output.forPeople)
    return async (delivery) => {
      const sent = sentOf(delivery)
      return sent === undefined ? delivery : { ...delivery, sent }
    }
  const judging = await judgingOf({}, context, ledger?.read())
  return async (delivery) => {
    const style = await output.serviceStyleNow({ always: true })
    const whole = await withHistory(client, delivery, style.nowMs)
    const problem = await problemWords(client, whole, style, judging)
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
