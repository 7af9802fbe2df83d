import { webhookRetryDelaysSeconds } from '../../contract/index.js'
import { sleep } from '../../shared/sleep.js'
import { mistakenSignatures } from '../mistaken-variants.js'
import { newSecret } from '../secret.js'
import { type Mistake, mistakes } from '../verdict.js'
import type { DeliveryState, Probe, ProbeEvent, ProbeResponse } from './probe.js'
import { type ConformanceCase, judgeAccepted, judgeRejected, mustAccept, type Result, type Rule } from './rules.js'

const notObservable = (what: string): Result => ({
  status: 'not_observable',
  reason: `${what}; send the response header dlv-outcome, or give a state URL`,
})

/** The event that everything else depends on. */
export const plainEvent = mustAcceptOrExplain('valid', 'accepts_events', 'a plain, well-signed event', (probe) =>
  probe.event('delivery.accepted'),
)

/** A case as `mustAccept` makes it that names the mistake in a receiver that rejects the event. */
function mustAcceptOrExplain(
  id: string,
  rule: Rule,
  title: string,
  make: (probe: Probe) => ProbeEvent,
): ConformanceCase {
  return {
    id,
    rule,
    title,
    async play(probe) {
      const response = await probe.send(make(probe))
      const result = judgeAccepted(response)
      const isRejected = [400, 401, 403, 422].includes(response.status ?? 0) && response.mistake === undefined
      const mistake = isRejected ? await acceptedMistake(probe, make(probe)) : undefined
      if (mistake === undefined) return result
      const { message, hint } = mistakes[mistake]
      return { ...result, reason: `${result.reason}. It accepts a signature with a mistake: ${message}. ${hint}` }
    },
  }
}

/** The mistake in a receiver that rejects what is well signed: it accepts what is signed with the same mistake. */
async function acceptedMistake(probe: Probe, { id, body }: ProbeEvent): Promise<Mistake | undefined> {
  const timestampSeconds = probe.nowSeconds()
  const signatures = mistakenSignatures({ secret: probe.secret, id, timestamp: String(timestampSeconds), body })
  for (const [signature, mistake] of signatures) {
    const headers = (signed: Record<string, string>) => ({ ...signed, 'webhook-signature': signature })
    if ((await probe.send({ id, body, timestampSeconds, headers })).accepted) return mistake
  }
  return undefined
}

/** Valid events that a receiver must accept although they are unusual. */
export const unusualEvents: ConformanceCase[] = [
  mustAccept('rotated', 'rotation', 'signed with a new secret and with the known one', (probe) => {
    const event = probe.event('delivery.accepted')
    return { ...event, headers: (signed) => prepend(signed, `v1,${Buffer.alloc(32, 1).toString('base64')}`) }
  }),
  mustAccept('other-versions', 'rotation', 'entries of unknown versions beside the good one', (probe) => {
    const event = probe.event('delivery.accepted')
    return { ...event, headers: (signed) => prepend(signed, 'v2,AAAA v1a,BBBB') }
  }),
  mustAccept('unknown-type', 'open_contract', 'the event type delivery.teleported', (probe) =>
    probe.event('delivery.teleported'),
  ),
  mustAccept('unknown-properties', 'open_contract', 'properties that are not in the contract', (probe) => {
    const event = probe.event('delivery.accepted')
    return { ...event, body: event.body.replace('{', '{"future":{"version":2,"tags":["new"]},') }
  }),
  mustAccept('large', 'large_events', 'an event of 300 kB', (probe) => {
    const event = probe.event('delivery.accepted')
    return { ...event, body: event.body.replace('{', `{"padding":"${'x'.repeat(300_000)}",`) }
  }),
  mustAccept('slow-body', 'large_events', 'an event that arrives slowly, over half a second', (probe) => {
    const event = probe.event('delivery.accepted')
    const body = Buffer.from(event.body)
    const size = Math.ceil(body.length / 5)
    const pieces = Array.from({ length: 5 }, (_, index) => body.subarray(index * size, (index + 1) * size))
    return { ...event, pieces }
  }),
  mustAcceptOrExplain('characters', 'utf8', 'a name and a note with é, €, 門 and 😀', withCharacters),
  mustAccept('cut-character', 'utf8', 'an event whose é arrives in two pieces', (probe) => {
    const event = withCharacters(probe)
    const body = Buffer.from(event.body)
    const within = body.indexOf('é') + 1
    return { ...event, pieces: [body.subarray(0, within), body.subarray(within)] }
  }),
]

/** Characters of two, three and four bytes in UTF-8: of Latin-1, of Windows-1252 only, and of neither. */
function withCharacters(probe: Probe): ProbeEvent {
  const event = probe.event('delivery.accepted')
  const body = event.body.replace('Sam Example', 'Renée Müller').replace('Ring twice.', 'Café at 門 2, 5 € deposit 😀')
  return { ...event, body }
}

/** It may answer with any error or close the connection, as long as it continues to answer. */
export const oversized: ConformanceCase = {
  id: 'oversized',
  rule: 'bounded',
  title: 'a forged request of 4 MiB, and a valid event after it',
  async play(probe) {
    const forged = await probe.send({
      ...probe.event('delivery.accepted'),
      secrets: [newSecret()],
      sentBody: Buffer.alloc(4_194_304, 0x20),
    })
    const rejected = judgeRejected(forged)
    if (rejected.status === 'failed') return rejected
    const after = judgeAccepted(await probe.send(probe.event('delivery.accepted')))
    return after.status === 'passed' && rejected.status === 'skipped' ? rejected : after
  },
}

function prepend(signed: Record<string, string>, entry: string): Record<string, string> {
  return { ...signed, 'webhook-signature': `${entry} ${signed['webhook-signature'] ?? ''}` }
}

export const repetition: ConformanceCase = {
  id: 'duplicate',
  rule: 'dedupe',
  title: 'the same event three times, with a new signature each time',
  async play(probe) {
    const event = probe.event('delivery.accepted')
    const responses: ProbeResponse[] = []
    for (let time = 0; time < 3; time++) responses.push(await probe.send(event))
    return judgeOnce(responses, await probe.state(event.deliveryId))
  },
}

export const reordering: ConformanceCase = {
  id: 'reordered',
  rule: 'order',
  title: 'delivered, and then an event from a minute earlier',
  async play(probe) {
    const nowMs = probe.nowSeconds() * 1000
    const newer = probe.event('delivery.delivered', { occurredAtMs: nowMs })
    const { deliveryId } = newer
    const older = probe.event('delivery.driver_at_dropoff', { deliveryId, occurredAtMs: nowMs - 60_000 })
    const responses = [await probe.send(newer), await probe.send(older)]
    const notAccepted = responses.map(judgeAccepted).find(({ status }) => status !== 'passed')
    if (notAccepted !== undefined) return notAccepted
    const state = await probe.state(deliveryId)
    if (state?.status !== undefined) {
      return state.status === 'delivered'
        ? { status: 'passed', reason: 'it still has the status delivered' }
        : { status: 'failed', reason: `it fell back from delivered to ${state.status}` }
    }
    return judgeOlder(responses[1]?.outcome)
  },
}

function judgeOlder(outcome: ProbeResponse['outcome']): Result {
  if (outcome === undefined) return notObservable('cannot see whether the older event was skipped')
  return outcome === 'processed'
    ? { status: 'failed', reason: 'it processed an event that was older than what it had' }
    : { status: 'passed', reason: `it called the older event ${outcome}` }
}

/**
 * The service's schedule of 8 attempts, as if every response had been lost: the receiver must accept each attempt and
 * process one.
 *
 * @param timeScale by which the schedule's 27 h 35 min are divided
 */
export function schedule(timeScale: number): ConformanceCase {
  return {
    id: 'schedule',
    rule: 'dedupe',
    title: 'all 8 attempts of one event, on the schedule of the service',
    async play(probe) {
      const event = probe.event('delivery.accepted')
      const responses: ProbeResponse[] = []
      for (const delaySeconds of webhookRetryDelaysSeconds) {
        await sleep((delaySeconds * 1000) / timeScale)
        responses.push(await probe.send(event))
      }
      return judgeOnce(responses, await probe.state(event.deliveryId))
    },
  }
}

/** Whether every sending of one event was accepted, and only one of them processed. */
function judgeOnce(responses: readonly ProbeResponse[], state: DeliveryState | undefined): Result {
  for (const response of responses) {
    const judged = judgeAccepted(response)
    if (judged.status !== 'passed') return judged
  }
  if (state?.processed !== undefined) {
    return state.processed <= 1
      ? { status: 'passed', reason: 'it processed the event once' }
      : { status: 'failed', reason: `it processed the event ${state.processed} times` }
  }
  const told = responses.slice(1).map(({ outcome }) => outcome)
  if (told.includes('processed')) return { status: 'failed', reason: 'it processed an event that it already had' }
  if (told.includes(undefined)) return notObservable('cannot see whether a repetition was processed')
  return { status: 'passed', reason: 'it recognized every repetition' }
}
