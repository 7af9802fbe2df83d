/**
 * Faults of webhooks that an order can ask for by `metadata.sandbox_hooks`. Those of the body are written into the
 * event when it is drafted, so that `GET /events` shows the same bytes; those of sending are played at each attempt.
 */

export const contentFaults = {
  unknowntype: 'an event `delivery.teleported` beside each event of a status',
  extrafields: 'properties that no version of the contract knows',
  bigbody: 'a body of 300 kB',
  latearrival: 'an old event after the one of a terminal status',
  locationburst: '20 `delivery.driver_location_updated` in a row when the driver sets out',
  nosnapshotdriver: 'the driver in the snapshot is null',
} as const

export const sendingFaults = {
  duplicate: 'the same event twice',
  shuffle: 'a burst in random order, `occurredAt` intact',
  delay: 'sent this number of seconds later (`delay=30`)',
  drop_first: 'the first N attempts count as failed (`drop_first=3`)',
  badsig: 'a wrong signature',
  wrongsecret: 'signed with another secret',
  stale: 'a timestamp of ten minutes ago',
  future: 'a timestamp ten minutes ahead',
  rotate: 'two signatures, of the old and the new secret',
  unknownscheme: 'a `v2,…` entry before the good one',
  gap: 'not sent at all: to be found in `GET /events`',
} as const

/** The positions of `locationburst`: how many, each about twenty metres north of the one before. */
export const locationBurst = { length: 20, stepDegrees: 0.0002 } as const

type ContentFault = keyof typeof contentFaults

/** `duplicate, delay=30` as its parts. */
export function splitHooks(text: string): string[] {
  return text
    .split(',')
    .map((hook) => hook.trim())
    .filter((hook) => hook !== '')
}

export function isWebhookFault(fault: string): boolean {
  return isContentFault(fault) || isSendingFault(fault)
}

export function contentFaultsOf(faults: readonly string[]): ContentFault[] {
  return faults.filter(isContentFault)
}

export function sendingFaultsOf(faults: readonly string[]): string[] {
  return faults.filter(isSendingFault)
}

const bigBodyCharacters = 300_000

/** The body with what its faults change about it. */
export function withContentFaults(faults: readonly ContentFault[], body: Record<string, unknown>) {
  let changed = body
  if (faults.includes('nosnapshotdriver')) changed = { ...changed, delivery: driverless(changed.delivery) }
  if (faults.includes('extrafields')) changed = { ...changed, sandboxExtra: { nested: [1, 'two', null] } }
  if (faults.includes('bigbody')) changed = { ...changed, sandboxPadding: 'x'.repeat(bigBodyCharacters) }
  return changed
}

function driverless(delivery: unknown): unknown {
  return typeof delivery === 'object' && delivery !== null ? { ...delivery, driver: null } : delivery
}

function isContentFault(fault: string): fault is ContentFault {
  return Object.hasOwn(contentFaults, fault)
}

function isSendingFault(fault: string): boolean {
  return /^(?:delay|drop_first)=\d{1,6}$/.test(fault)
    ? true
    : Object.hasOwn(sendingFaults, fault) && !/^(?:delay|drop_first)$/.test(fault)
}

/** `3` of `drop_first=3`; `undefined` if the fault is not asked for. */
function numberOf(hooks: readonly string[], name: string): number | undefined {
  const hook = hooks.find((candidate) => candidate.startsWith(`${name}=`))
  const given = Number(hook?.slice(name.length + 1))
  return hook !== undefined && Number.isFinite(given) && given >= 0 ? given : undefined
}

/** The delay of the first attempt, in virtual milliseconds. */
export function delayOf(hooks: readonly string[]): number {
  return Math.round((numberOf(hooks, 'delay') ?? 0) * 1_000)
}

/** Number of first attempts that fail without being sent. */
export function droppedAttempts(hooks: readonly string[]): number {
  return numberOf(hooks, 'drop_first') ?? 0
}

export function isDuplicated(hooks: readonly string[]): boolean {
  return hooks.includes('duplicate')
}
