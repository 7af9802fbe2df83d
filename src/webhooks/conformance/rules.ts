import type { Probe, ProbeRequest, ProbeResponse } from './probe.js'

/** The contract's rules for a receiver, and how to fix a receiver that breaks them. */
export const rules = {
  accepts_events: {
    title: 'answers a well-signed event with 2xx',
    advice: 'Check the URL, the secret and the clock; nothing else can be tested before this works.',
  },
  signature: {
    title: 'rejects what was not signed with its secret',
    advice: 'Verify webhook-signature before anything else, and answer 401 if it does not match.',
  },
  raw_body: {
    title: 'verifies the bytes as they arrived',
    advice: 'Read the raw body before any JSON middleware: parsed and serialized again, it has other bytes.',
  },
  utf8: {
    title: 'accepts text in any language',
    advice:
      'Decode the whole body, not each piece of it, once it is verified; store text where all of Unicode fits, such as utf8mb4 in MySQL.',
  },
  tolerance: {
    title: 'rejects signatures that are more than 5 minutes off, and no others',
    advice: 'Compare webhook-timestamp with the clock: up to 300 s either way is valid, more is a replay.',
  },
  rotation: {
    title: 'accepts an event if any one of several signatures matches',
    advice: 'Split webhook-signature at spaces, skip unknown versions, and compare each v1 entry.',
  },
  open_contract: {
    title: 'answers 2xx to event types and properties that it does not know',
    advice: 'Log and ignore what is new: types, properties and enum values are added without notice.',
  },
  large_events: {
    title: 'accepts large events and those that arrive slowly',
    advice: 'Raise the body limit of the framework to 1 MiB, and wait for the whole body.',
  },
  bounded: {
    title: 'rejects requests that are far too large, and survives them',
    advice: 'Reject bodies over 1 MiB with 413 before reading them whole.',
  },
  survives: {
    title: 'continues to answer, whatever arrives',
    advice: 'Catch what goes wrong with one request and answer 4xx or 5xx: an error there must not end the process.',
  },
  dedupe: {
    title: 'processes each eventId once, and acknowledges it every time',
    advice: 'Store eventId for 30 days in the same transaction as the effect; answer 2xx to a repetition.',
  },
  order: {
    title: 'orders by occurredAt, not by arrival',
    advice: 'Keep the occurredAt of the newest snapshot of each delivery, and skip older ones.',
  },
  in_time: {
    title: 'answers within the time that the service waits',
    advice: 'Store the event, answer 2xx, and do the work afterwards.',
  },
} as const

/** A rule that a receiver has to keep. */
export type Rule = keyof typeof rules

/** The result of a case; `not_observable` if the receiver offers no way to see it. */
export type CaseStatus = 'passed' | 'failed' | 'not_observable' | 'skipped'

export interface Result {
  /** The result of the case. */
  status: CaseStatus
  /** The observation, in one sentence. */
  reason: string
}

/** One situation that a receiver is put into. */
export interface ConformanceCase {
  id: string
  title: string
  rule: Rule
  play(probe: Probe): Promise<Result>
}

/** A case with one request that must be accepted. */
export function mustAccept(
  id: string,
  rule: Rule,
  title: string,
  make: (probe: Probe) => ProbeRequest,
): ConformanceCase {
  return { id, rule, title, play: async (probe) => judgeAccepted(await probe.send(make(probe))) }
}

/** A case with one request that must be rejected. */
export function mustReject(
  id: string,
  rule: Rule,
  title: string,
  make: (probe: Probe) => ProbeRequest,
): ConformanceCase {
  return { id, rule, title, play: async (probe) => judgeRejected(await probe.send(make(probe))) }
}

/**
 * A missing response breaks the rule on time, not the rule that the case tests; what a platform refuses before the receiver,
 * none.
 */
export function judgeAccepted({ accepted, status, summary, timedOut, mistake, platform }: ProbeResponse): Result {
  if (accepted) return { status: 'passed', reason: `it ${summary}` }
  if (timedOut) return { status: 'skipped', reason: summary }
  if (platform !== undefined) return { status: 'skipped', reason: refusedBy(platform, summary) }
  const expected = status === undefined ? summary : `it ${summary}; expected a 2xx`
  return { status: 'failed', reason: mistake === undefined ? expected : `${expected}. ${mistake}` }
}

export function judgeRejected({ accepted, status, summary, platform }: ProbeResponse): Result {
  if (accepted) return { status: 'failed', reason: `it ${summary}; expected it to be rejected` }
  if (platform !== undefined) return { status: 'skipped', reason: refusedBy(platform, summary) }
  return { status: 'passed', reason: status === undefined ? summary : `it ${summary}` }
}

const refusedBy = (platform: string, summary: string) =>
  `the limit of ${platform} refuses a body of this size before the receiver sees it: ${summary}`
