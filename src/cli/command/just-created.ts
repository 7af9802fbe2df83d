import type { Transport, TransportReply, TransportRequest } from '../../client/index.js'
import { percentDecoded } from '../../shared/percent-decoded.js'
import { sleep } from '../../shared/sleep.js'

/** Less than two seconds in all. */
const delaysMs = [200, 400, 1_000]

/** The delivery that a request is about, by its address. */
const ofDelivery = /\/deliveries\/([^/?]+)/

/**
 * Sends a request that was answered with 404 again, a few times, if it is about a delivery that is known to be there: a
 * copy of the service's data may be a moment behind.
 */
export async function sentAgain(
  transport: Transport,
  request: TransportRequest,
  notFound: TransportReply,
  isKnown: (deliveryId: string) => Promise<boolean>,
): Promise<TransportReply> {
  const [, encoded] = ofDelivery.exec(request.url) ?? []
  const deliveryId = encoded === undefined ? undefined : percentDecoded(encoded)
  if (deliveryId === undefined || !(await isKnown(deliveryId))) return notFound
  let reply = notFound
  for (const delayMs of delaysMs) {
    await sleep(delayMs, request.signal)
    if (request.signal.aborted) return reply
    reply = await transport.send(request)
    if (reply.status !== 404) return reply
  }
  return reply
}
