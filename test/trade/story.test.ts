import { describe, expect, it } from 'vitest'
import { deliveryStatuses, type KnownDeliveryStatus, reasonCodesFor } from '../../src/contract/index.js'
import { type StoryFacts, storyOf } from '../../src/trade/story.js'

const nowMs = Date.parse('2026-03-02T15:00:00Z')
const minutesOn = (minutes: number) => nowMs + minutes * 60_000
const style = { nowMs, time: (atMs: number) => new Date(atMs).toISOString().slice(11, 16) }
const told = (facts: StoryFacts) => storyOf(facts, style)

const known: Omit<StoryFacts, 'status'> = {
  sinceMs: minutesOn(-12),
  store: 'STORE-004',
  gate: 'Bastion Gate',
  windowStartMs: minutesOn(30),
  etaMs: minutesOn(20),
  promise: { promisedByMs: minutesOn(60), source: 'window' },
}

const sentences: Record<KnownDeliveryStatus, string> = {
  scheduled: 'Waiting for its window, which begins at 15:30; the window ends at 16:00.',
  accepted: 'Waiting 12 minutes for a driver at STORE-004; the window ends at 16:00.',
  dispatch_failed: 'No driver was found at STORE-004 for 12 minutes; the window ends at 16:00.',
  reassigning:
    'The driver dropped out, and it waits for 12 minutes for another one at STORE-004; the window ends at 16:00.',
  driver_assigned: 'A driver took it at 14:48, and will fetch it at STORE-004; the window ends at 16:00.',
  driver_enroute_to_pickup: 'The driver has been on the way to STORE-004 for 12 minutes; the window ends at 16:00.',
  driver_at_pickup: 'The driver has been at STORE-004 for 12 minutes; the window ends at 16:00.',
  pickup_complete: 'The driver picked it up at STORE-004 at 14:48; the window ends at 16:00.',
  driver_enroute_to_dropoff:
    'The driver has been on the way to the recipient for 12 minutes, by Bastion Gate; the window ends at 16:00.',
  driver_at_dropoff: 'The driver has been at the door for 12 minutes; the window ends at 16:00.',
  delivered: 'Delivered at 14:48, within its window.',
  failed: 'Failed at 14:48.',
  return_in_progress: 'On the way back to STORE-004 for 12 minutes.',
  returned: 'Back at STORE-004 since 14:48.',
  cancelled: 'Cancelled at 14:48.',
  expired: 'Expired at 14:48, because nobody took it in time.',
}

describe('The story of a delivery', () => {
  it.each(
    deliveryStatuses,
  )('of status %s is one sentence, with each of its reasons and with nothing known', (status) => {
    expect(told({ status, ...known })).toBe(sentences[status])
    for (const statusReasonCode of reasonCodesFor(status))
      expect(told({ status, ...known, statusReasonCode })).toContain(`: ${statusReasonCode.replaceAll('_', ' ')}`)
    for (const facts of [{ status }, { status, sinceMs: nowMs }, { status, store: 'S', etaMs: minutesOn(1) }])
      expect(told(facts)).toMatch(/^[A-Z][^.]*[^ .;,]\.$/)
    expect(told({ status })).not.toMatch(/undefined|NaN|\d| {2}|; *\./)
  })

  it('says a status that this version does not know as it is', () => {
    expect(told({ status: 'held_for_review', sinceMs: minutesOn(-1) })).toBe('Held for review for 1 minute.')
  })

  it('says when it is late, by how much, and when it is expected', () => {
    const facts = { status: 'driver_enroute_to_dropoff', etaMs: minutesOn(5) }
    const promised = (minutes: number, source: 'quote' | 'window' | 'firstEta') =>
      told({ ...facts, promise: { promisedByMs: minutesOn(minutes), source } }).split('; ')[1]
    expect(promised(-12, 'window')).toBe('the window ended 12 minutes ago.')
    expect(promised(-12, 'quote')).toBe('12 minutes late (quoted for 14:48), expected at 15:05.')
    expect(promised(-3 * 60, 'firstEta')).toBe('3 hours late (first ETA 12:00), expected at 15:05.')
    // Within the grace of five minutes.
    expect(promised(-4, 'quote')).toBe('promised by 14:56.')
    expect(promised(3, 'firstEta')).toBe('expected at 15:05.')
    const promise = { promisedByMs: minutesOn(-30), source: 'quote' as const }
    expect(told({ status: 'delivered', sinceMs: minutesOn(-12), promise })).toBe('Delivered at 14:48, 18 minutes late.')
    expect(told({ status: 'delivered', sinceMs: minutesOn(-29), promise })).toBe('Delivered at 14:31, in time.')
    expect(told({ status: 'return_in_progress', promise })).toBe('On the way back to the store.')
  })
})
