import type { Delivery } from '../contract/index.js'
import { isRecord } from '../shared/json.js'
import { card } from './card.js'
import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { valueAt } from './view.js'
import { addressText, moneyText } from './words.js'

/** The changes of an update, line by line: `dropoff.instructions  Ring twice → Side door`, and the new price. */
export function updateChanges(patch: unknown, before: Delivery, after: Delivery, style: Style): string {
  const fields = leavesOf(patch).map(
    ([path, asked]) => [plainText(path), changeText(path, asked, before, after)] as const,
  )
  const price = amountsText(totalOf(before), totalOf(after))
  const status = before.status === after.status ? '' : `${plainText(before.status)} → ${plainText(after.status)}`
  return card(paint(style, 'bold', 'Changed'), [...fields, ['status', status], ['price', price]], style)
}

/** The changes that an update is about to make, for a question: `tipAmountCents $3.00 → $5.00`, or `tipAmountCents $5.00`. */
export function plannedChanges(patch: unknown, before: Delivery | undefined): string {
  return leavesOf(patch)
    .map(([path, asked]) => {
      const was = shownAt(before, path)
      const will = isRecord(asked) && isRecord(was) ? { ...was, ...asked } : asked
      return `${plainText(path)} ${was === undefined ? '' : `${fieldText(path, was)} → `}${fieldText(path, will)}`
    })
    .join(', ')
}

/** An address has two forms, and is read as a whole. */
const addressPath = 'dropoff.address'

/** The fields of a patch that have a value of their own; an array is replaced as a whole. */
function leavesOf(patch: unknown, above = ''): [path: string, value: unknown][] {
  if (!isRecord(patch)) return []
  return Object.entries(patch).flatMap(([name, value]): [string, unknown][] => {
    const path = above === '' ? name : `${above}.${name}`
    return isRecord(value) && path !== addressPath ? leavesOf(value, path) : [[path, value]]
  })
}

function changeText(path: string, asked: unknown, before: Delivery, after: Delivery): string {
  const [was, is] = [shownAt(before, path), shownAt(after, path)]
  const isRemoved = asked === null && was !== undefined
  if (is === undefined && !isRemoved)
    return `${asked === null ? 'removed' : fieldText(path, asked)} (the service does not show it)`
  const [then, now] = [fieldText(path, was), fieldText(path, is)]
  return then === now ? `${now} (unchanged)` : `${then} → ${now}`
}

/** The value that a delivery shows for a field of a request; `undefined` if it does not show it. */
function shownAt(delivery: Delivery | undefined, path: string): unknown {
  return valueAt(delivery, path === 'tipAmountCents' ? 'pricing.tipAmountCents' : path)
}

function fieldText(path: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  if (path === addressPath) return addressText(value)
  return /Cents$/.test(path) && typeof value === 'number' ? moneyText(value) : plainValue(value)
}

function totalOf({ pricing }: Delivery): { cents: number | undefined; currency: string | null | undefined } {
  return { cents: pricing?.totalPriceCents ?? undefined, currency: pricing?.currency }
}

type Amount = ReturnType<typeof totalOf>

function amountsText(before: Amount, after: Amount): string {
  if (before.cents === undefined || after.cents === undefined || before.cents === after.cents) return ''
  const difference = after.cents - before.cents
  const change = `${difference > 0 ? '+' : ''}${moneyText(difference, after.currency)}`
  return `${moneyText(before.cents, before.currency)} → ${moneyText(after.cents, after.currency)} (${change})`
}
