import { setTimeout as pause } from 'node:timers/promises'
import { webhookRetryDelaysSeconds } from '../../contract/index.js'
import { newSecret } from '../secret.js'
import { type ExaminationCase, judgeAccepted, mustAccept, type Result } from './conformance-case.js'
import type { DeliveryState, Examiner, Exchange } from './exchange.js'

const notObservable = (what: string): Result => ({
  verdict: 'not_observable',
  reason: `${what}; let the receiver answer with the header dlv-outcome, or give a state address`,
})

/** Good events that a receiver must take although they are unusual. */
export const unusualEvents: ExaminationCase[] = [
  mustAccept('rotated', 'rotation', 'signed with a new secret and with the known one', (examiner) => {
    const event = examiner.event('delivery.accepted')
    return { ...event, headers: (signed) => prepend(signed, `v1,${Buffer.alloc(32, 1).toString('base64')}`) }
  }),
  mustAccept('other-versions', 'rotation', 'entries of unknown versions beside the good one', (examiner) => {
    const event = examiner.event('delivery.accepted')
    return { ...event, headers: (signed) => prepend(signed, 'v2,AAAA v1a,BBBB') }
  }),
  mustAccept('unknown-type', 'open_contract', 'the event type delivery.teleported', (examiner) =>
    examiner.event('delivery.teleported'),
  ),
  mustAccept('unknown-properties', 'open_contract', 'properties that no contract knows', (examiner) => {
    const event = examiner.event('delivery.accepted')
    return { ...event, body: event.body.replace('{', '{"future":{"version":2,"tags":["new"]},') }
  }),
  mustAccept('large', 'large_events', 'an event of 300 kB', (examiner) => {
    const event = examiner.event('delivery.accepted')
    return { ...event, body: event.body.replace('{', `{"padding":"${'x'.repeat(300_000)}",`) }
  }),
  mustAccept('slow-body', 'large_events', 'an event that arrives in pieces over half a second', (examiner) => ({
    ...examiner.event('delivery.accepted'),
    pieces: { count: 5, pauseMs: 100 },
  })),
]

/** Any response is fine, as long as the receiver keeps responding. */
export const oversized: ExaminationCase = {
  id: 'oversized',
  rule: 'bounded',
  title: 'a forged request of 4 MiB, and a good event after it',
  async play(examiner) {
    await examiner.send({
      ...examiner.event('delivery.accepted'),
      secrets: [newSecret()],
      sentBody: Buffer.alloc(4_194_304, 0x20),
    })
    return judgeAccepted(await examiner.send(examiner.event('delivery.accepted')))
  },
}

function prepend(signed: Record<string, string>, entry: string): Record<string, string> {
  return { ...signed, 'webhook-signature': `${entry} ${signed['webhook-signature'] ?? ''}` }
}

export const repetition: ExaminationCase = {
  id: 'duplicate',
  rule: 'dedupe',
  title: 'the same event three times, signed afresh each time',
  async play(examiner) {
    const event = examiner.event('delivery.accepted')
    const exchanges: Exchange[] = []
    for (let time = 0; time < 3; time++) exchanges.push(await examiner.send(event))
    return judgeOnce(exchanges, await examiner.state(event.deliveryId))
  },
}

export const reordering: ExaminationCase = {
  id: 'reordered',
  rule: 'order',
  title: 'delivered first, and then what happened a minute before it',
  async play(examiner) {
    const nowMs = examiner.nowSeconds() * 1000
    const newer = examiner.event('delivery.delivered', { occurredAtMs: nowMs })
    const { deliveryId } = newer
    const older = examiner.event('delivery.driver_at_dropoff', { deliveryId, occurredAtMs: nowMs - 60_000 })
    const exchanges = [await examiner.send(newer), await examiner.send(older)]
    const unanswered = exchanges.map(judgeAccepted).find(({ verdict }) => verdict !== 'passed')
    if (unanswered !== undefined) return unanswered
    const state = await examiner.state(deliveryId)
    if (state?.status !== undefined) {
      return state.status === 'delivered'
        ? { verdict: 'passed', reason: 'it still holds delivered' }
        : { verdict: 'failed', reason: `it fell back from delivered to ${state.status}` }
    }
    return judgeOlder(exchanges[1]?.outcome)
  },
}

function judgeOlder(outcome: Exchange['outcome']): Result {
  if (outcome === undefined) return notObservable('whether the older event was passed over cannot be seen')
  return outcome === 'processed'
    ? { verdict: 'failed', reason: 'it processed an event that was older than what it had' }
    : { verdict: 'passed', reason: `it called the older event ${outcome}` }
}

/**
 * The service's schedule of 8 attempts, as though every answer had been lost on its way: the receiver must take each
 * attempt, and process one.
 *
 * @param timeScale by which the schedule's 27 h 35 min are divided
 */
export function schedule(timeScale: number): ExaminationCase {
  return {
    id: 'schedule',
    rule: 'dedupe',
    title: 'all 8 attempts of one event, on the schedule of the service',
    async play(examiner) {
      const event = examiner.event('delivery.accepted')
      const exchanges: Exchange[] = []
      for (const delaySeconds of webhookRetryDelaysSeconds) {
        await pause((delaySeconds * 1000) / timeScale)
        exchanges.push(await examiner.send(event))
      }
      return judgeOnce(exchanges, await examiner.state(event.deliveryId))
    },
  }
}

/** Whether every sending of one event was taken, and only one of them processed. */
function judgeOnce(exchanges: readonly Exchange[], state: DeliveryState | undefined): Result {
  for (const exchange of exchanges) {
    const judged = judgeAccepted(exchange)
    if (judged.verdict !== 'passed') return judged
  }
  if (state?.processed !== undefined) {
    return state.processed <= 1
      ? { verdict: 'passed', reason: 'it processed the event once' }
      : { verdict: 'failed', reason: `it processed the event ${state.processed} times` }
  }
  const told = exchanges.slice(1).map((exchange) => exchange.outcome)
  if (told.includes('processed')) return { verdict: 'failed', reason: 'it processed a repetition of an event it had' }
  if (told.includes(undefined)) return notObservable('every repetition was accepted, but not how it was handled')
  return { verdict: 'passed', reason: 'it knew every repetition' }
}

/** The event that all results depend on. */
export const plainEvent: ExaminationCase = mustAccept(
  'valid',
  'takes_events',
  'a plain, well-signed event',
  (examiner: Examiner) => examiner.event('delivery.accepted'),
)
