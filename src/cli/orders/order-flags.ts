import { Flags, type Interfaces } from '@oclif/core'
import type { QuoteChoice } from '../../client/index.js'
import {
  centsOfDollars,
  deliveryPoints,
  UsageError,
  undeliverableActions,
  verificationLevels,
  verificationMechanisms,
  wordOf,
} from '../../contract/index.js'
import { windowEnd } from '../../trade/zoned-time.js'
import { repeatable } from '../command/write-flags.js'
import { unknownWordError } from '../input/known-word.js'
import { parseTime } from '../input/times.js'
import { assertOnce, wallMsOf } from '../input/wall-time.js'

const helpGroup = 'order'

/** The fields of an order without a flag; `metadata` accepts any names. */
const onlyBySet = [
  'timeWindows.deliveryMode',
  'package.items',
  'dispatch.mode',
  'verification.dropoff.photo.substituteWhenProhibited',
  'verification.dropoff.signature.collectSignerName',
  'verification.dropoff.pinCode.source',
  'verification.dropoff.barcode.values',
  'metadata.NAME',
]

/** Flags for the fields of an order, shared by quotes and deliveries. */
export const orderFlags = {
  file: Flags.string({
    char: 'f',
    summary: 'JSON, NDJSON or CSV file; - for standard input',
    helpGroup,
    helpValue: 'FILE',
  }),
  set: Flags.string({
    summary: 'Set a field; the value is JSON or a string',
    description: `Sets any field of an order, after the other flags: --set dropoff.instructions="Ring twice". In a file of several, the other flags only fill in what a row leaves blank; --set replaces what rows have. These fields have no flag of their own: ${onlyBySet.join(', ')}.`,
    helpGroup,
    helpValue: 'PATH=VALUE',
    ...repeatable,
  }),
  ref: Flags.string({ summary: 'clientOrderReference', helpGroup, helpValue: 'REFERENCE' }),
  store: Flags.string({ summary: 'pickup.storeReference', helpGroup, helpValue: 'STORE' }),
  to: Flags.string({ summary: 'dropoff.address: street, city, ST 12345', helpGroup, helpValue: 'ADDRESS' }),
  name: Flags.string({ summary: 'dropoff.contactName', helpGroup, helpValue: 'NAME' }),
  phone: Flags.string({ summary: 'dropoff.contactPhone in E.164', helpGroup, helpValue: '+1…' }),
  instructions: Flags.string({ summary: 'dropoff.instructions, at most 280 characters', helpGroup, helpValue: 'TEXT' }),
  installation: Flags.string({ summary: 'dropoff.installation.code', helpGroup, helpValue: 'CODE' }),
  gate: Flags.string({ summary: 'dropoff.installation.gate', helpGroup, helpValue: 'NAME' }),
  building: Flags.string({ summary: 'dropoff.unit.buildingNumber', helpGroup, helpValue: 'NUMBER' }),
  room: Flags.string({ summary: 'dropoff.unit.room', helpGroup, helpValue: 'ROOM' }),
  unit: Flags.string({ summary: 'dropoff.unit.unitDesignation', helpGroup, helpValue: 'UNIT' }),
  'delivery-point': Flags.string({
    summary: 'dropoff.unit.deliveryPoint, such as mailroom',
    description: `One of ${deliveryPoints.join(', ')}.`,
    helpGroup,
    helpValue: 'POINT',
  }),
  window: Flags.string({
    summary: 'timeWindows.dropoff: START/END, or asap',
    description:
      'Such as 2026-03-02T15:00-05:00/17:00, "2026-03-02 15:00/2026-03-02 17:00" in the zone of this machine or of --us-times, or +2h/+4h from now.',
    helpGroup,
    helpValue: 'START/END',
  }),
  'pickup-window': Flags.string({ summary: 'timeWindows.pickup: START/END', helpGroup, helpValue: 'START/END' }),
  description: Flags.string({ summary: 'package.description', helpGroup, helpValue: 'TEXT' }),
  items: Flags.integer({ summary: 'package.itemsCount', helpGroup, helpValue: 'N' }),
  'value-cents': Flags.integer({ summary: 'package.valueCents', helpGroup, helpValue: 'N' }),
  'weight-grams': Flags.integer({ summary: 'package.weightGrams', helpGroup, helpValue: 'N' }),
  contains: Flags.string({
    summary: 'package.contains: alcohol, perishable_cold_chain, …',
    helpGroup,
    helpValue: 'CARGO',
    ...repeatable,
  }),
  verify: Flags.string({
    summary: 'verification.dropoff.CHECK.level (default required)',
    description: `CHECK is one of ${verificationMechanisms.join(', ')}; LEVEL one of ${verificationLevels.join(', ')}.`,
    helpGroup,
    helpValue: 'CHECK[=LEVEL]',
    ...repeatable,
  }),
  'min-age': Flags.integer({ summary: 'verification.dropoff.identity.minimumAge', helpGroup, helpValue: 'N' }),
  'if-undeliverable': Flags.string({
    summary: 'handling.undeliverableAction',
    description: `One of ${undeliverableActions.join(', ')}.`,
    helpGroup,
    helpValue: 'ACTION',
  }),
  handoff: Flags.string({ summary: 'handling.handoff, such as hand_to_recipient', helpGroup, helpValue: 'HANDOFF' }),
  'fallback-handoff': Flags.string({
    summary: 'handling.fallbackHandoff, such as visitor_center',
    helpGroup,
    helpValue: 'HANDOFF',
  }),
  team: Flags.string({ summary: 'dispatch.teamReference', helpGroup, helpValue: 'TEAM' }),
  'tip-cents': Flags.integer({ summary: 'tipAmountCents', helpGroup, helpValue: 'N' }),
}

interface Assignment {
  path: string
  value: unknown
  /** The flag, such as `--store`. */
  by: string
}

export type OrderFlags = Interfaces.InferredFlags<typeof orderFlags>

/** The flags that set one field, with its path. */
export const fieldFlags = {
  ref: 'clientOrderReference',
  store: 'pickup.storeReference',
  to: 'dropoff.address',
  name: 'dropoff.contactName',
  phone: 'dropoff.contactPhone',
  instructions: 'dropoff.instructions',
  installation: 'dropoff.installation.code',
  gate: 'dropoff.installation.gate',
  building: 'dropoff.unit.buildingNumber',
  room: 'dropoff.unit.room',
  unit: 'dropoff.unit.unitDesignation',
  'delivery-point': 'dropoff.unit.deliveryPoint',
  description: 'package.description',
  items: 'package.itemsCount',
  'value-cents': 'package.valueCents',
  'weight-grams': 'package.weightGrams',
  contains: 'package.contains',
  'min-age': 'verification.dropoff.identity.minimumAge',
  'if-undeliverable': 'handling.undeliverableAction',
  handoff: 'handling.handoff',
  'fallback-handoff': 'handling.fallbackHandoff',
  team: 'dispatch.teamReference',
  'tip-cents': 'tipAmountCents',
} as const satisfies Partial<Record<keyof OrderFlags, string>>

/** With `--us-times`, times without a zone are read later, by the clocks of the order's store. */
type TimedFlags = Partial<OrderFlags> & { 'us-times'?: string | undefined }

/** The fields that the flags set, as paths and values, in the order of the flags above. */
export function assignmentsOf(flags: TimedFlags, nowMs: number): Assignment[] {
  const assignments = Object.entries(fieldFlags).flatMap(([flag, path]): Assignment[] => {
    const value = flags[flag as keyof typeof fieldFlags]
    return value === undefined ? [] : [{ path, value, by: `--${flag}` }]
  })
  for (const check of flags.verify ?? []) {
    const [name = '', typed = 'required'] = check.split('=')
    const mechanism = wordOf(name, verificationMechanisms)
    if (mechanism === undefined)
      throw unknownWordError(name, verificationMechanisms, { flag: '--verify', noun: 'a verification' })
    const level = wordOf(typed, verificationLevels)
    if (level === undefined) throw unknownWordError(typed, verificationLevels, { flag: '--verify', noun: 'a level' })
    assignments.push({ path: `verification.dropoff.${mechanism}.level`, value: level, by: `--verify ${mechanism}` })
  }
  if (flags.window === 'asap') assignments.push({ path: 'timeWindows.deliveryMode', value: 'asap', by: '--window' })
  else if (flags.window !== undefined) assignments.push(...windowOf(flags.window, 'dropoff', '--window', nowMs, flags))
  if (flags['pickup-window'] !== undefined)
    assignments.push(...windowOf(flags['pickup-window'], 'pickup', '--pickup-window', nowMs, flags))
  return assignments
}

/** The ends of the windows that flags give. Throws `UsageError` for an invalid window. */
export function windowEnds(flags: Partial<OrderFlags>): string[] {
  assignmentsOf(flags, 0)
  const windows = [flags.window, flags['pickup-window']].filter((window) => window !== undefined && window !== 'asap')
  return windows.flatMap((window) => window?.split('/') ?? [])
}

function windowOf(
  text: string,
  stop: 'dropoff' | 'pickup',
  flag: string,
  nowMs: number,
  { 'us-times': usTimes }: TimedFlags,
): Assignment[] {
  const [start, end, ...more] = text.split('/')
  if (start === undefined || end === undefined || more.length > 0)
    throw new UsageError(
      `${flag} expects START/END, such as 2026-03-02T15:00Z/2026-03-02T17:00Z or +2h/+4h, got "${text}".`,
    )
  if (/^\d[\d.]*[smhdw]/.test(end.trim()))
    throw new UsageError(`${flag}: ${end} is in the past. Write +${end.trim()} for a time ahead, as in +2h/+4h.`)
  const timeOf = (time: string) => {
    const parsed = parseTime(time, flag, nowMs, '2026-03-02T15:00-05:00, +2h or tomorrow')
    const wallMs = wallMsOf(time)
    if (wallMs === undefined) return parsed
    if (usTimes !== undefined) return time.trim()
    assertOnce(time, wallMs, flag)
    return parsed
  }
  return [
    { path: 'timeWindows.deliveryMode', value: 'scheduled', by: flag },
    { path: `timeWindows.${stop}`, value: { start: timeOf(start), end: timeOf(windowEnd(start, end)) }, by: flag },
  ]
}

/** The highest tip of an order or an update, for orders that are meant to have more than usual. */
export const maxTipFlag = {
  'max-tip': Flags.string({
    summary: 'Highest tip that is accepted (default 100)',
    description: 'A tip above it is refused before anything is sent: --tip-cents 50000 is $500.00.',
    helpGroup,
    helpValue: 'AMOUNT',
  }),
}

/** Flags about what an order may cost. */
export const priceFlags = {
  cheapest: Flags.boolean({ summary: 'Take quotes first and order the cheapest', helpGroup, exclusive: ['quote'] }),
  'max-price': Flags.string({
    summary: 'Cheapest quote up to this price, such as 9.75',
    description: 'In the unit of the currency and without the tip. Nothing is dispatched if every quote costs more.',
    helpGroup,
    helpValue: 'AMOUNT',
    exclusive: ['quote'],
  }),
  'max-total': Flags.string({
    summary: 'Refuse if quotes and tips exceed this amount',
    description:
      'Takes a quote for every order before the first one is sent, one request each. Nothing is dispatched if best quotes and tips together cost more, or if an order has no quote.',
    helpGroup,
    helpValue: 'AMOUNT',
    exclusive: ['quote'],
  }),
  ...maxTipFlag,
}

/** The limits for choosing a quote; `undefined` without these flags. Throws `UsageError` for what is not an amount. */
export function quoteChoiceOf(flags: { cheapest: boolean; 'max-price'?: string | undefined }): QuoteChoice | undefined {
  const maxPriceCents = centsOf(flags['max-price'], '--max-price')
  if (maxPriceCents === undefined) return flags.cheapest ? {} : undefined
  return { maxPriceCents }
}

/** An amount in dollars as cents: `9.75`, `$2,104.50`. Throws `UsageError` for what is not an amount. */
export function centsOf(amount: string | undefined, flag: string): number | undefined {
  if (amount === undefined) return undefined
  const cents = centsOfDollars(amount)
  if (cents === undefined) throw new UsageError(`${flag} expects an amount such as 9.75, got "${amount.slice(0, 80)}".`)
  return cents
}

/** The flag that sets one field, such as `--phone`. */
export function flagOf(field: string): string | undefined {
  const flag = Object.entries(fieldFlags).find(([, path]) => path === field)?.[0]
  return flag === undefined ? undefined : `--${flag}`
}
