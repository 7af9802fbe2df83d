import type { Client } from '../../client/index.js'
import type { Delivery } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'
import { plainText } from '../../render/plain-text.js'
import { WatchLines } from '../../render/progress-lines.js'
import { statusWord } from '../../render/words.js'
import { limitMs } from '../input/durations.js'
import type { Notices } from '../output/notices.js'
import { Outage } from '../output/outage.js'
import type { Output } from '../output/output.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import type { Session } from '../session/session.js'
import { type WatchOptions, watchDelivery } from './watch-delivery.js'

/**
 * Watches a delivery and prints what happens: one line an event for people, events as NDJSON. Returns the exit code of the
 * outcome, or 0 if a signal ended it, which has set its own.
 */
export async function showWatch(
  client: Client,
  deliveryId: string,
  options: WatchOptions,
  output: Output,
  notices: Notices,
  quietStart = false,
): Promise<ExitCode> {
  const watch = watchDelivery(client, deliveryId, options)
  const lines = new WatchLines()
  let isSilent = true
  for (;;) {
    const { value, done } = await watch.next()
    if (done === true) {
      if (isSilent && value.end === 'reached')
        notices.notice(`It was already ${plainText(value.status)}: no event followed.`)
      return outcome(value, options, notices)
    }
    const style = await output.serviceStyleNow()
    if ('event' in value) {
      isSilent = false
      const { event } = value
      if (output.isJson) await output.record(event)
      else await output.text(lines.event(event, style))
    } else if (!output.isJson && style.terminal && !quietStart) {
      isSilent = false
      const { delivery } = value
      const past = lines.history(delivery, style).map((line) => `\n${line}`)
      await output.text(`${plainText(delivery.deliveryId)}  ${statusWord(delivery.status, style)}${past.join('')}`)
    }
  }
}

/**
 * Watches a delivery without printing, for scripts whose stdout has only the result. Returns the exit code of the
 * outcome, and the status that it was last seen in.
 */
async function awaitStatus(
  client: Client,
  deliveryId: string,
  options: WatchOptions,
  notices: Notices,
): Promise<{ code: ExitCode; status: string }> {
  const watch = watchDelivery(client, deliveryId, options)
  let step = await watch.next()
  while (step.done !== true) step = await watch.next()
  return { code: outcome(step.value, options, notices), status: step.value.status }
}

const endWaitMs = 30_000

/**
 * Waits until a new delivery has a status. People see the card and then what happens; a script gets one result, the
 * delivery at the end of the wait.
 */
export async function showOutcome(session: Session, delivery: Delivery, until: string): Promise<Delivery> {
  const { output, notices } = session
  const { deliveryId } = delivery
  const signal = session.takeSignals()
  const options = {
    until,
    forMs: limitMs([session.flags.timeout, '--timeout']),
    signal,
    nowMs: session.context.nowMs,
    isKnown: true,
    outage: new Outage(notices),
  }
  if (output.forPeople) await session.show(deliveryView, delivery)
  else notices.notice(`${deliveryId} is ${delivery.status}; waiting for ${until}.`)
  const client = await session.client({ limit: 'watching', signal })
  if (output.forPeople) {
    session.endWith(await showWatch(client, deliveryId, options, output, notices, true))
    return delivery
  }
  const { code, status } = await awaitStatus(client, deliveryId, options, notices)
  session.endWith(code)
  const now = signal.aborted ? undefined : await readAtEnd(client, deliveryId, options)
  if (now === undefined && !signal.aborted)
    notices.warn(`${deliveryId} could not be read again: only its status is newer than the order.`)
  const shown = now ?? (status === 'unknown' ? delivery : { ...delivery, status })
  await session.show(deliveryView, shown)
  return shown
}

/** The delivery at the end of a wait; an outage is waited out for a while, because the outcome is known. */
async function readAtEnd(
  client: Client,
  deliveryId: string,
  { signal, outage }: { signal: AbortSignal; outage: Outage },
): Promise<Delivery | undefined> {
  const briefly = { timeoutMs: 5_000, retries: { maxRetries: 0 } }
  const read = () => client.getDelivery({ deliveryId }, briefly)
  const until = AbortSignal.any([signal, AbortSignal.timeout(endWaitMs)])
  return outage.waitFor(read, { isKnown: () => true, signal: until }).catch(() => undefined)
}

function outcome({ end, status }: { end: string; status: string }, options: WatchOptions, notices: Notices): ExitCode {
  if (end === 'reached' || end === 'interrupted') return exitCodes.done
  const wanted = options.until ?? 'delivered'
  const word = plainText(status)
  notices.warn(
    end === 'too-late'
      ? `Timed out: still ${word}, expected ${wanted}.`
      : `Ended as ${word}, expected ${wanted}. See dlv explain ${word}.`,
  )
  return exitCodes.otherOutcome
}
