import { type Client, systemClock } from '../../client/index.js'
import { briefly } from '../../client/internal.js'
import { type Delivery, type EventRecord, terminalStatuses } from '../../contract/index.js'
import { deliveryView } from '../../render/delivery-view.js'
import { plainText } from '../../render/plain-text.js'
import { WatchLines } from '../../render/progress-lines.js'
import { statusWord } from '../../render/words.js'
import { limitMs } from '../input/times.js'
import type { Notices } from '../output/notices.js'
import { type Outage, serviceOutage } from '../output/outage.js'
import type { Output } from '../output/output.js'
import { type ExitCode, exitCodes } from '../process/exit-codes.js'
import type { Session } from '../session/session.js'

/** When a watch ends. */
interface WatchOptions {
  /** The status to wait for; default: any final one. */
  until?: string | undefined
  /** Maximum wait in milliseconds. Default: no limit. */
  forMs?: number | undefined
  /** Continue after `failed`, which a return may follow. */
  followReturns?: boolean | undefined
  /** Stop at `dispatch_failed`, which may still recover. */
  failFast?: boolean | undefined
  pollMs?: number | undefined
  signal: AbortSignal
  nowMs(): number
  /** The service has answered this command: from the start, an outage is waited out. */
  isKnown?: boolean | undefined
  /** Told of each failure that is waited out, and of each answer. */
  outage: Pick<Outage, 'began' | 'ended' | 'canEnd'>
}

/** A step of a watch: first the delivery, then its events. */
type Sighting = { delivery: Delivery } | { event: EventRecord }

/** The end of a watch. */
type WatchEnd = 'reached' | 'elsewhere' | 'too-late' | 'interrupted'

const defaultPollMs = 2_000

/**
 * Watches a delivery by its events; the delivery itself is read once, at the start. Yields what it sees and returns how
 * it ended, with the last status.
 */
async function* watchDelivery(
  client: Client,
  deliveryId: string,
  options: WatchOptions,
): AsyncGenerator<Sighting, { end: WatchEnd; status: string }, undefined> {
  const startedMs = performance.now()
  const read = () => client.getDelivery({ deliveryId })
  let delivery = await patiently(client, read, options)
  while (delivery === undefined) {
    const leftMs = options.forMs === undefined ? defaultPollMs : startedMs + options.forMs - performance.now()
    if (options.signal.aborted || leftMs <= 0)
      return { end: options.signal.aborted ? 'interrupted' : 'too-late', status: 'unknown' }
    await systemClock.sleep(Math.min(options.pollMs ?? defaultPollMs, leftMs), options.signal)
    delivery = await patiently(client, read, options)
  }
  yield { delivery }
  let status: string = delivery.status
  let since = delivery.updatedAt ?? delivery.createdAt ?? new Date(options.nowMs() - 60_000).toISOString()
  const seen = new Set<string>()
  let isFirst = true
  for (;;) {
    const end = endOf(status, options, new Set((delivery.statusHistory ?? []).map((entry) => entry.status ?? '')))
    if (end !== undefined) return { end, status }
    if (options.signal.aborted) return { end: 'interrupted', status }
    const leftMs =
      options.forMs === undefined ? Number.POSITIVE_INFINITY : startedMs + options.forMs - performance.now()
    if (leftMs <= 0) return { end: 'too-late', status }
    const limits = Number.isFinite(leftMs) ? { timeoutMs: Math.max(1, Math.min(leftMs, 60_000)) } : undefined
    const query = { deliveryId, since }
    // Read whole before anything is said: what an outage cuts off is read again from the same event on.
    const listed = await patiently(client, () => Array.fromAsync(client.each('listEvents', query, limits)), options)
    for (const event of listed ?? []) {
      if (seen.has(event.eventId)) continue
      seen.add(event.eventId)
      since = event.occurredAt > since ? event.occurredAt : since
      const reached = statusOf(event)
      // Earlier events are already in the delivery's history.
      if (isFirst && delivery.updatedAt != null && event.occurredAt <= delivery.updatedAt) continue
      yield { event }
      if (reached !== undefined) status = reached
      if (reached !== undefined && endOf(reached, options) !== undefined) break
    }
    if (listed !== undefined) isFirst = false
    if (endOf(status, options) !== undefined) continue
    await systemClock.sleep(Math.min(options.pollMs ?? defaultPollMs, leftMs), options.signal)
  }
}

/** An answer, or `undefined` during an outage: of a service that has answered this client before. */
async function patiently<Answer>(
  client: Client,
  ask: () => Promise<Answer>,
  { outage, signal, isKnown = false }: WatchOptions,
): Promise<Answer | undefined> {
  try {
    const answer = await ask()
    outage.ended()
    return answer
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(isKnown || client.serviceNowMs() !== undefined) || !outage.canEnd(error)) throw error
    outage.began(error)
    return undefined
  }
}

const informational = new Set(['driver_location_updated', 'eta_updated', 'proof_of_delivery_added'])

/** The status that an event leads to; `undefined` if it changes none. */
function statusOf({ eventType }: EventRecord): string | undefined {
  const [subject, status] = eventType.split('.')
  return subject === 'delivery' && status !== undefined && !informational.has(status) ? status : undefined
}

function endOf(status: string, options: WatchOptions, passed: ReadonlySet<string> = new Set()): WatchEnd | undefined {
  const { until, followReturns, failFast } = options
  if (status === until || (until !== undefined && passed.has(until))) return 'reached'
  if (status === 'failed' && followReturns) return undefined
  if (terminalStatuses.has(status)) return until === undefined && status === 'delivered' ? 'reached' : 'elsewhere'
  return status === 'dispatch_failed' && failFast ? 'elsewhere' : undefined
}

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
    outage: await serviceOutage(session),
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
