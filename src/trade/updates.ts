import { canonicalJson } from '../shared/canonical-json.js'
import { isRecord } from '../shared/json.js'
import { amountText } from '../shared/texts.js'
import { isActive, isPickedUp } from './statuses.js'

/** Fields that no update changes: the identity of an order, and the decisions taken with it. */
export const fixedFields = ['clientOrderReference', 'quoteId', 'dispatch'] as const

/** Fields that an update still changes once the package is on its way. */
export const fieldsAfterPickup = ['dropoff.instructions', 'dropoff.contactPhone', 'tipAmountCents'] as const

/** Whether a field, or a part of it, is one that no update changes. */
export function isFixedField(path: string): boolean {
  return fixedFields.some((field) => path === field || path.startsWith(`${field}.`))
}

/** Whether an update may change a field of a delivery in this status. */
export function mayUpdate(status: string, path: string): boolean {
  if (!isActive(status) || isFixedField(path)) return false
  return !isPickedUp(status) || (fieldsAfterPickup as readonly string[]).includes(path)
}

/**
 * A patch without the fields that can no longer change and are what they already are: a list of deliveries that is used as
 * an update has them. Gives `undefined` if nothing is left.
 */
export function withoutUnchanged<Patch>(patch: Patch, delivery: { status: string }): Patch | undefined {
  return changing(patch, delivery, delivery.status, '') as Patch | undefined
}

function changing(patch: unknown, current: unknown, status: string, path: string): unknown {
  if (!isRecord(patch))
    return mayUpdate(status, path) || canonicalJson(patch) !== canonicalJson(current) ? patch : undefined
  const left = Object.entries(patch).flatMap(([name, value]) => {
    const now = isRecord(current) ? current[name] : undefined
    const kept = changing(value, now, status, path === '' ? name : `${path}.${name}`)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

/** The tip that an order has at most unless its sender allows more: two places too far cost a hundred times as much. */
const usualMaxTipCents = 10_000

/** A field of an order that the service would accept although it is probably a mistake. */
export interface GuardedField {
  field: string
  code: string
  message: string
}

/** A tip above what is allowed. */
export function tipAboveMaximum(order: unknown, maxTipCents = usualMaxTipCents): GuardedField | undefined {
  const tip = isRecord(order) ? order.tipAmountCents : undefined
  if (typeof tip !== 'number' || tip <= maxTipCents) return undefined
  const message = `a tip of $${amountText(tip)} is above the maximum of $${amountText(maxTipCents)}`
  return { field: 'tipAmountCents', code: 'TIP_ABOVE_MAXIMUM', message }
}

/** A window without a delivery mode: the service ignores it and dispatches at once. */
export function windowWithoutMode(order: unknown): GuardedField | undefined {
  const windows = isRecord(order) ? order.timeWindows : undefined
  if (!isRecord(windows) || !hasWindow(windows) || !isMissing(windows.deliveryMode)) return undefined
  const message = 'is missing beside a window, so the order would be dispatched at once'
  return { field: 'timeWindows.deliveryMode', code: 'MISSING', message }
}

/** Whether the time windows of an order name one. */
function hasWindow({ pickup, dropoff }: Readonly<Record<string, unknown>>): boolean {
  return !isMissing(pickup) || !isMissing(dropoff)
}

/** Whether a field says nothing; an object without members does not either. */
function isMissing(value: unknown): boolean {
  return value == null || value === '' || (isRecord(value) && Object.values(value).every(isMissing))
}

/**
 * Whether an update gives a new address and says nothing about the installation: the order would keep a gate and drivers
 * that the new address may not need.
 */
export function movesWithoutInstallation(patch: unknown): boolean {
  const dropoff = isRecord(patch) ? patch.dropoff : undefined
  if (!isRecord(dropoff) || isMissing(dropoff.address)) return false
  const { installation } = dropoff
  return installation === undefined || (isRecord(installation) && installation.code === undefined)
}

/** The installation that an update of the address leaves behind. */
export function installationLeft(patch: unknown, delivery: unknown): string | undefined {
  const dropoff = isRecord(delivery) ? delivery.dropoff : undefined
  const code = isRecord(dropoff) && isRecord(dropoff.installation) ? dropoff.installation.code : undefined
  return movesWithoutInstallation(patch) && typeof code === 'string' && code !== '' ? code : undefined
}

/**
 * One value with another laid over it: objects member by member to any depth, everything else replaced, `null` taking
 * a member away. Neither argument is changed, and no member can reach a prototype.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const members = new Map(Object.entries(isRecord(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (name === '__proto__' || value === undefined) continue
    if (value === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), value))
  }
  return Object.fromEntries(members)
}
