import { sleep } from '../shared/sleep.js'
import type { DeliveryState } from '../webhooks/index.js'
import { readDeliveryState } from '../webhooks/internal.js'
import type { SentEvent, StaleWebhook } from './courier.js'
import { type ExpectationName, type Scenario, spanMs } from './scenario.js'

export interface ExpectationResult {
  name: ExpectationName
  /** `null` if it could not be observed. */
  passed: boolean | null
  detail: string
}

/** The record of a scenario that was played. */
export interface Played {
  /** The status that the service has for each delivery. */
  deliveries: ReadonlyMap<string, string>
  events: readonly SentEvent[]
  stale: readonly StaleWebhook[]
  /** When the app could not be reached, in virtual time. */
  outages: { fromMs: number; toMs: number }[]
}

type Judgement = Omit<ExpectationResult, 'name'>
/** The app's state of each delivery; `undefined` if the app does not return any. */
type States = ReadonlyMap<string, DeliveryState> | undefined

const informational = /^delivery\.(?:driver_location_updated|eta_updated|proof_of_delivery_added)$/
const askedAtOnce = 16
/** The expectations that the app's state decides. */
const stateful: readonly ExpectationName[] = ['finalState', 'eachEventOnce']
const stateTries = 4
const stateRetryMs = 500
const examples = 3

const passed = (detail: string): Judgement => ({ passed: true, detail })
const failed = (detail: string): Judgement => ({ passed: false, detail })
const unseen = (detail: string): Judgement => ({ passed: null, detail })

/** One result for each expectation of the scenario, in its order. */
export async function judge(
  scenario: Scenario,
  played: Played,
  stateUrl: string | undefined,
): Promise<ExpectationResult[]> {
  for (let tries = 1; ; tries++) {
    const states = stateUrl === undefined ? undefined : await readStates(stateUrl, [...played.deliveries.keys()])
    const results = judgeBy(scenario, played, states)
    const isSettled = results.every(({ name, passed }) => passed !== false || !stateful.includes(name))
    // An app may acknowledge first and work the last events through a moment later.
    if (isSettled || tries === stateTries) return results
    await sleep(stateRetryMs)
  }
}

function judgeBy(scenario: Scenario, played: Played, states: States): ExpectationResult[] {
  const judges: Record<ExpectationName, () => Judgement> = {
    finalState: () => finalState(played, states),
    eachEventOnce: () => eachEventOnce(played, states),
    staleRefused: () => staleRefused(played),
    allAccepted: () => allAccepted(played),
    caughtUp: () => caughtUp(played, scenario.catchUpWithin),
  }
  return scenario.expect.map((name) => ({ name, ...judges[name]() }))
}

async function readStates(stateUrl: string, deliveryIds: readonly string[]): Promise<States> {
  const states = new Map<string, DeliveryState>()
  const queue = deliveryIds.values()
  const ask = async () => {
    for (const deliveryId of queue) states.set(deliveryId, await readDeliveryState(stateUrl, deliveryId))
  }
  await Promise.all(Array.from({ length: askedAtOnce }, ask))
  return states
}

const needsStateUrl = 'Not observable: --state-url tells what the app believes.'

function finalState({ deliveries, events }: Played, states: States): Judgement {
  if (states === undefined) return unseen(needsStateUrl)
  const lastAccepted = new Map<string, SentEvent>()
  for (const event of [...events].sort((one, other) => (one.acceptedAtMs ?? 0) - (other.acceptedAtMs ?? 0)))
    if (event.accepted > 0) lastAccepted.set(event.deliveryId, event)
  const wrong = [...deliveries].flatMap(([deliveryId, expected]) => {
    const status = states.get(deliveryId)?.status
    if (status === expected) return []
    const wasOverwritten = lastAccepted.get(deliveryId)?.wasOutdated === true && status !== undefined
    return [{ text: `${deliveryId} is ${status ?? 'unknown to the app'}, expected ${expected}`, wasOverwritten }]
  })
  if (wrong.length === 0) return passed(`The app has the right status for all ${counted(deliveries.size, 'delivery')}.`)
  const advice = wrong.some(({ wasOverwritten }) => wasOverwritten)
    ? ' An event that arrived late replaced a newer one: order events by occurredAt.'
    : ''
  const wrongOnes = `${wrong.length} of ${counted(deliveries.size, 'delivery')} ${wrong.length === 1 ? 'is' : 'are'} wrong`
  return failed(`${wrongOnes}: ${listed(wrong.map(({ text }) => text))}.${advice}`)
}

function eachEventOnce({ deliveries, events }: Played, states: States): Judgement {
  if (states === undefined) return unseen(needsStateUrl)
  const byDelivery = Map.groupBy(events, ({ deliveryId }) => deliveryId)
  const problems: string[] = []
  let [twice, observed] = [0, 0]
  for (const deliveryId of deliveries.keys()) {
    const processed = states.get(deliveryId)?.processed
    const own = byDelivery.get(deliveryId) ?? []
    if (processed === undefined) continue
    observed++
    // An app may leave out what tells no new status, and what is older than what it has.
    const needed = own.filter((event) => !informational.test(event.eventType) && !event.wasOutdated).length
    if (processed > own.length) twice++
    if (processed > own.length || processed < needed)
      problems.push(`${deliveryId} has ${counted(own.length, 'event')}, the app worked through ${processed}`)
  }
  if (problems.length > 0) {
    const advice = twice > 0 ? ' Events that were sent twice were worked through twice: dedupe on eventId.' : ''
    return failed(
      `Wrong for ${problems.length} of ${counted(deliveries.size, 'delivery')}: ${listed(problems)}.${advice}`,
    )
  }
  if (observed === 0) return unseen('Not observable: the state URL returns no number as "processed".')
  const repeated = events.filter(({ posts }) => posts > 1).length
  return passed(
    `${counted(events.length, 'event')} worked through once; ${repeated} of them had been sent more than once.`,
  )
}

function staleRefused({ stale }: Played): Judgement {
  const accepted = stale.filter(({ status }) => status >= 200 && status < 300)
  const what = `${counted(stale.length, 'webhook')} with a valid signature, but a timestamp 15 minutes old`
  if (stale.length === 0) return unseen('Not observable: the app answered none.')
  if (accepted.length === 0) return passed(`The app refused ${what}.`)
  const texts = accepted.map(({ eventId, status }) => `${eventId} was answered ${status}`)
  return failed(
    `${accepted.length} of ${what}: ${listed(texts)}. Reject a webhook-timestamp that is more than 5 minutes off.`,
  )
}

function allAccepted({ events }: Played): Judgement {
  const lost = events.filter(({ accepted }) => accepted === 0)
  if (lost.length === 0) return passed(`The app accepted all ${counted(events.length, 'event')}.`)
  const texts = lost.map(({ eventId, problem }) => `${eventId} (${problem ?? 'could not be sent'})`)
  return failed(`${lost.length} of ${counted(events.length, 'event')} ${be(lost.length)} given up: ${listed(texts)}.`)
}

function caughtUp({ events, outages }: Played, within: string): Judgement {
  const missed = events.filter(({ missedAtMs, wasHeld }) => missedAtMs !== undefined && !wasHeld)
  if (outages.length === 0 || missed.length === 0) return passed('No event was missed because of an outage.')
  const late = missed.filter(({ acceptedAtMs, missedAtMs = 0 }) => {
    const outage = outages.find(({ fromMs, toMs }) => fromMs <= missedAtMs && missedAtMs < toMs)
    return acceptedAtMs === undefined || acceptedAtMs > (outage?.toMs ?? 0) + spanMs(within)
  })
  if (late.length === 0) return passed(`The app accepted ${counted(missed.length, 'missed event')} within ${within}.`)
  const texts = late.map(({ eventId, problem }) => `${eventId}${problem === undefined ? '' : ` (${problem})`}`)
  return failed(
    `${late.length} of ${counted(missed.length, 'missed event')} ${be(late.length)} not accepted within ${within}: ${listed(texts)}.`,
  )
}

function be(count: number): string {
  return count === 1 ? 'was' : 'were'
}

function listed(texts: readonly string[]): string {
  const more = texts.length - examples
  return `${texts.slice(0, examples).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function counted(count: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`
}
