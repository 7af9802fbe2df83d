import { type Delivery, type DeliveryListItem, deliveryStatuses, terminalStatuses } from '../contract/index.js'
import { deliveryWord, onAccount, shellWord } from '../shared/command-words.js'
import { spanText } from '../shared/durations.js'
import { type StatusStep, stepsOf } from '../trade/story.js'
import { type CardLine, card, section } from './cards.js'
import { pad, plainText, plainValue, wrap } from './plain-text.js'
import { paint, type Style } from './style.js'
import { proofLines, verificationLines } from './verification.js'
import { type Column, cell, deliveryIdOf, idOf, type View, valueAt } from './view.js'
import {
  addressText,
  clockText,
  link,
  momentText,
  moneyText,
  relativeText,
  statusMark,
  statusWord,
  whenText,
} from './words.js'

/** A list of deliveries; on a narrow terminal the reference names them, and the id gives way. */
const deliveryList: View<DeliveryListItem[]> = {
  id: deliveryIdOf,
  shows: ['getDelivery', 'listDeliveries'],
  timed: true,
  empty: 'No deliveries.',
  columns: [
    { name: 'deliveryId', header: 'DELIVERY', givesWay: true, standsIn: true },
    { name: 'status', cell: cell<DeliveryListItem>(({ status }, style) => statusWord(status, style)) },
    {
      name: 'clientOrderReference',
      header: 'REFERENCE',
      elastic: true,
      narrowest: 24,
      whole: true,
      keep: true,
      cell: cell(nameText),
    },
    {
      name: 'createdAt',
      header: 'CREATED',
      cell: cell<DeliveryListItem>(({ createdAt }, style) => whenText(createdAt, style)),
    },
    {
      name: 'updatedAt',
      header: 'UPDATED',
      narrow: false,
      cell: cell<DeliveryListItem>(({ updatedAt }, style) => whenText(updatedAt, style)),
    },
  ],
}

/** The name that people use for a delivery: the order's reference, or the id if it has none. */
function nameText({ clientOrderReference, deliveryId: id }: DeliveryListItem): string {
  return plainText(clientOrderReference ?? id)
}

/** Columns of a list that `--with` adds, by the part that is asked for. */
const addedColumns: Readonly<Record<string, Column>> = {
  problem: { name: 'problem', elastic: true, narrowest: 20 },
  obstacle: { name: 'obstacle', elastic: true, narrowest: 20 },
  reason: { name: 'statusReasonCode', header: 'REASON', elastic: true },
  store: { name: 'pickup.storeReference', header: 'STORE', elastic: true },
  driver: { name: 'driver.name', header: 'DRIVER', elastic: true },
  eta: {
    name: 'eta.dropoff',
    header: 'ETA',
    cell: (row, style) => whenText(valueAt(row, 'eta.dropoff') as string | null | undefined, style),
  },
}

/** A list of deliveries with more columns: `problem`, and the parts of `--with`. */
export function deliveryListWith(parts: readonly string[], sent: readonly Column[] = []): View<DeliveryListItem[]> {
  const added = parts.flatMap((part) => (part === 'sent' ? sent : (addedColumns[part] ?? [])))
  if (added.length === 0) return deliveryList
  // What was asked for is worth more than the times.
  const columns = deliveryList.columns.map(
    (column): Column => (/^(?:created|updated)At$/.test(column.name) ? { ...column, givesWay: true } : column),
  )
  return { ...deliveryList, columns: [...columns, ...added] }
}

/** How many deliveries of each status a list showed, if several: `50 deliveries: 31 delivered, 19 accepted`. */
export function totalsText(counts: ReadonlyMap<string, number>, style: Style): string {
  const order: readonly string[] = deliveryStatuses
  const place = (status: string) => (order.includes(status) ? order.indexOf(status) : order.length)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total < 2) return ''
  const parts = [...counts]
    .sort(([one], [other]) => place(one) - place(other))
    .map(([status, count]) => `${count} ${statusWord(status, style)}`)
  return `\n${wrap(`${total.toLocaleString('en-US')} deliveries: ${parts.join(', ')}`, style.columns).join('\n')}`
}

/** A delivery: a card with its timeline for people, its fields for a pipe. */
export const deliveryView: View<Delivery> = {
  id: deliveryIdOf,
  shows: ['getDelivery', 'listDeliveries'],
  timed: true,
  columns: [
    { name: 'deliveryId' },
    { name: 'status' },
    { name: 'clientOrderReference' },
    { name: 'statusReasonCode' },
    { name: 'pickup.storeReference' },
    { name: 'dropoff.contactName' },
    { name: 'pricing.totalPriceCents' },
    { name: 'trackingUrl' },
    { name: 'createdAt' },
    { name: 'updatedAt' },
  ],
  card: deliveryCard,
}

/** Several deliveries, one card after the other. */
export const deliveriesView: View<Delivery[]> = {
  id: deliveryIdOf,
  shows: ['getDelivery', 'listDeliveries'],
  timed: true,
  columns: deliveryView.columns,
  card: (deliveries, style) => deliveries.map((delivery) => deliveryCard(delivery, style)).join('\n\n'),
}

/** Shown if no delivery has a reference: no rows, and `null` as JSON. */
export function noDelivery(reference: string): View<null> {
  return {
    id: deliveryIdOf,
    shows: ['getDelivery', 'listDeliveries'],
    columns: deliveryView.columns,
    rows: () => [],
    empty: `No delivery has the reference "${plainText(reference)}".`,
  }
}

/** The page where a recipient tracks a delivery. */
export const trackingView: View<{ trackingUrl: string }> = {
  id: idOf('trackingUrl'),
  shows: ['getDelivery', 'listDeliveries'],
  columns: [{ name: 'trackingUrl' }],
  rows: (shown) => [shown],
  card: ({ trackingUrl }) => plainText(trackingUrl),
}

function deliveryCard(delivery: Delivery, style: Style): string {
  const { driver, dropoff, pickup } = delivery
  const id = link(style, plainText(delivery.deliveryId), delivery.trackingUrl)
  const title = `${paint(style, 'bold', id)}  ${statusWord(delivery.status, style)}`
  const lines: CardLine[] = [
    ['Reference', plainValue(delivery.clientOrderReference)],
    ['Problem', plainValue(valueAt(delivery, 'problem'))],
    ['Reason', reasonText(delivery)],
    ['Pickup', [pickup?.businessName, pickup?.storeReference].filter(Boolean).map(plainValue).join(', ')],
    ['Dropoff', addressText(dropoff?.address)],
    ['Unit', unitText(dropoff?.unit)],
    [
      'Installation',
      [dropoff?.installation?.code, dropoff?.installation?.gate].filter(Boolean).map(plainValue).join(', '),
    ],
    ['Contact', [dropoff?.contactName, dropoff?.contactPhone].filter(Boolean).map(plainValue).join(', ')],
    ['Instructions', plainValue(dropoff?.instructions)],
    ['Driver', driverText(driver, style)],
    ['Price', priceText(delivery)],
    ['Created', momentText(delivery.createdAt, style)],
    ['Tracking', trackingText(delivery, style), 'whole'],
  ]
  const proofs = (delivery.proofOfDelivery ?? []).flatMap((proof) => proofLines(proof, style))
  if (style.unservedPages && proofs.length > 0)
    proofs.push(
      onAccount(
        `  dlv deliveries proof ${shellWord(deliveryWord(delivery.deliveryId))} --save DIR`,
        style.accountFlags ?? '',
      ),
    )
  return card(title, lines, style, [
    section('Timeline', timeline(historyOf(delivery), style), style),
    section('Verification', verificationLines(delivery.resolvedVerification, style), style),
    section('Proof', proofs, style),
    section('Known from this machine', (valueAt(delivery, 'sentLines') ?? []) as string[], style),
  ])
}

/** The page's address, or the command that serves it. */
function trackingText({ deliveryId, trackingUrl }: Delivery, style: Style): string {
  if (trackingUrl == null || !style.unservedPages) return plainValue(trackingUrl)
  return onAccount(`dlv deliveries open ${shellWord(deliveryWord(deliveryId))}`, style.accountFlags ?? '')
}

function historyOf(delivery: Delivery): StatusStep[] {
  return stepsOf(delivery.statusHistory)
}

/** Since when a delivery has its status, as a sentence: `Delivered 30s ago.` */
export function sinceText(delivery: Delivery, style: Style): string {
  const entered = historyOf(delivery).findLast(({ status }) => status === delivery.status)
  const atMs = Date.parse(entered?.occurredAt ?? delivery.updatedAt ?? '')
  const status = plainText(delivery.status).replaceAll('_', ' ')
  const when = Number.isNaN(atMs) ? '' : ` ${relativeText(Math.min(atMs, style.nowMs), style.nowMs)}`
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}${when}.`
}

function reasonText({ statusReasonCode, statusReason }: Delivery): string {
  if (statusReasonCode == null) return plainValue(statusReason)
  return `${plainText(statusReasonCode)}${statusReason == null ? '' : `: ${plainText(statusReason)}`}`
}

function unitText(unit: NonNullable<NonNullable<Delivery['dropoff']>['unit']> | null | undefined): string {
  if (unit == null) return ''
  const { buildingNumber, room, unitDesignation, deliveryPoint } = unit
  return [
    buildingNumber == null ? '' : `building ${plainValue(buildingNumber)}`,
    room == null ? '' : `room ${plainValue(room)}`,
    plainValue(unitDesignation),
    deliveryPoint == null ? '' : `at the ${plainValue(deliveryPoint)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function driverText(driver: Delivery['driver'], style: Style): string {
  if (driver == null) return ''
  const who = [driver.name, driver.phoneNumber, driver.vehicleDescription].filter(Boolean).map(plainValue).join(', ')
  const at = driver.location
  return at == null
    ? who
    : `${who}; at ${at.latitude}, ${at.longitude}${at.updatedAt == null ? '' : `, ${momentText(at.updatedAt, style)}`}`
}

function priceText({ pricing, status }: Delivery): string {
  if (pricing == null) return ''
  const { currency, deliveryFeeCents, tipAmountCents, cancellationFeeCents, totalPriceCents } = pricing
  const parts = [
    deliveryFeeCents === undefined ? '' : `fee ${moneyText(deliveryFeeCents, currency)}`,
    tipAmountCents ? `tip ${moneyText(tipAmountCents, currency)}` : '',
    status === 'cancelled' && cancellationFeeCents ? `cancellation ${moneyText(cancellationFeeCents, currency)}` : '',
  ].filter(Boolean)
  const cancelling =
    terminalStatuses.has(status) || !cancellationFeeCents
      ? ''
      : `; cancelling now costs ${moneyText(cancellationFeeCents, currency)}`
  const price = `${moneyText(totalPriceCents, currency)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
  return `${price}${cancelling}`.trim()
}

/**
 * One line per entry: mark, time in the user's zone, status, time since the previous entry, and for the first and last
 * how long ago.
 */
function timeline(history: readonly StatusStep[], style: Style): string[] {
  const widest = Math.max(0, ...history.map(({ status }) => status.length))
  return history.map((entry, index) => {
    const atMs = Date.parse(entry.occurredAt)
    const before = history[index - 1]
    const previousMs = before === undefined ? Number.NaN : Date.parse(before.occurredAt)
    const isLast = index === history.length - 1
    const since = [
      Number.isNaN(previousMs - atMs) ? '' : `+${spanText(atMs - previousMs)}`,
      !(isLast || index === 0) ? '' : relativeText(atMs, style.nowMs),
    ].filter(Boolean)
    const reason = entry.statusReasonCode == null ? '' : `  ${plainText(entry.statusReasonCode)}`
    const status = pad(statusWord(entry.status, style), widest)
    return `${statusMark(entry.status, style)} ${clockText(atMs, style)}  ${status}  ${paint(style, 'dim', since.join(', '))}${reason}`.trimEnd()
  })
}
