import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { limits } from '../../../contract/index.js'
import { accountName } from '../../../profiles/index.js'
import { plainText } from '../../../render/plain-text.js'
import { addressText, moneyText } from '../../../render/words.js'
import { isRecord } from '../../../shared/json.js'
import { mayRaisePrice } from '../../command/production-guard.js'
import { wrongType } from '../arguments.js'
import { list, object, type Tool, type ToolAnswer, type ToolContext, text, tool } from '../tool.js'
import { answered, asList, asRecord, Body, confirmForeignReceiver, Name, quoted, Url } from './shared.js'

const confirm = z.string().max(200).describe('Token of the preview').optional()
const write = { group: 'write' as const, holdsText: true }
const delivery = { deliveryId: text, status: text, pricing: { type: ['object', 'null'] }, confirmation: object }
const hints = { readOnly: false, destructive: true, idempotent: true, openWorld: true }

function place({ account }: ToolContext): string {
  return `${account.environment} (${accountName(account)})`
}

/** The cost of an order with its tip: exact on the embedded sandbox, which decides without keeping it; else by its best quote. */
async function costOf(
  order: Record<string, unknown>,
  { run, rehearse }: ToolContext,
): Promise<{ totalCents: number | null; text: string } | Extract<ToolAnswer, { error: unknown }>> {
  const stdin = JSON.stringify(order)
  if (rehearse !== undefined) {
    const header = `--header=Idempotency-Key: rehearsal-${randomUUID()}`
    const { value, error } = await rehearse({ words: ['api', 'POST', '/deliveries', '--input=-', header], stdin })
    const { totalPriceCents } = asRecord(asRecord(value).pricing)
    if (typeof totalPriceCents === 'number') return { totalCents: totalPriceCents, text: moneyText(totalPriceCents) }
    if (error?.code === 'DUPLICATE_ORDER') return { totalCents: 0, text: '$0.00, because the order exists already' }
    if (error !== undefined) return { error: { ...error } }
  }
  const { value, error } = await run({ words: ['quotes', 'create', '--file=-'], stdin })
  // What is wrong in the order is said before a person is asked to confirm it.
  if (error?.code === 'VALIDATION_ERROR') return { error: { ...error } }
  const { quotes, noQuoteReason } = asRecord(value)
  const prices = asList(quotes).map(({ totalPriceCents }) => Number(totalPriceCents))
  const { tipAmountCents } = order
  const tip = typeof tipAmountCents === 'number' ? tipAmountCents : 0
  if (prices.length === 0) {
    const tipText = tip > 0 ? ` and a tip of ${moneyText(tip)}` : ''
    return {
      totalCents: null,
      text: `a price that is not quoted (${noQuoteReason ?? error?.message ?? 'no answer'})${tipText}`,
    }
  }
  const best = Math.min(...prices)
  const parts = tip > 0 ? ` (best quote ${moneyText(best)}, tip ${moneyText(tip)})` : ''
  return { totalCents: best + tip, text: `about ${moneyText(best + tip)}${parts}` }
}

/** Whether an update can change the price: its tip, package, windows, or where it goes. */
function mayChangePrice(changes: Record<string, unknown>): boolean {
  const dropoff = asRecord(changes.dropoff)
  return mayRaisePrice(changes) || 'timeWindows' in changes || 'address' in dropoff || 'installation' in dropoff
}

/** Every value of a body, by its path. */
function leaves(value: unknown, path = ''): [path: string, value: unknown][] {
  if (!isRecord(value)) return [[path, value]]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`))
}

function valueText(path: string, value: unknown): string {
  return path.endsWith('Cents') && typeof value === 'number' ? moneyText(value) : quoted(value)
}

export const writeTools: readonly Tool[] = [
  tool({
    ...write,
    name: 'delivery_create',
    description:
      'Creates and dispatches a delivery, which costs money. Asks for confirmation. The same order is dispatched once.',
    input: z.strictObject({
      order: Body.describe('Body of POST /deliveries: clientOrderReference, pickup, dropoff, package, …'),
      confirm,
    }),
    output: delivery,
    hints: { ...hints, destructive: false },
    async confirm({ order }, context) {
      const { clientOrderReference: reference } = order
      if (typeof reference !== 'string')
        return {
          error: {
            code: 'USAGE',
            message:
              wrongType('order.clientOrderReference', reference, 'string') ?? 'The order needs a clientOrderReference.',
          },
        }
      const stdin = JSON.stringify(order)
      const checked = await context.run({ words: ['deliveries', 'create', '--file=-', '--dry-run'], stdin })
      if (checked.error !== undefined) return { error: { ...checked.error } }
      const cost = await costOf(order, context)
      if ('error' in cost) return cost
      const destination = addressText(asRecord(order.dropoff).address)
      return {
        question: `Create a delivery for ${quoted(reference)}${destination === '' ? '' : ` to ${destination}`} on ${place(context)}, for ${cost.text}?`,
        preview: { environment: context.account.environment, totalCents: cost.totalCents, order },
      }
    },
    call: ({ order }, context) =>
      answered(
        context,
        { words: ['deliveries', 'create', '--file=-', '--yes'], stdin: JSON.stringify(order) },
        asRecord,
      ),
  }),
  tool({
    ...write,
    name: 'delivery_update',
    description: 'Changes a delivery; objects are merged, arrays replaced. Asks for confirmation if it can cost money.',
    input: z.strictObject({ deliveryId: Name, changes: Body.describe('Body of PATCH /deliveries/{id}'), confirm }),
    output: delivery,
    hints,
    async confirm({ deliveryId, changes }, context) {
      if (!mayChangePrice(changes) && context.account.environment !== 'production') return undefined
      const values = leaves(changes).map(([path, value]) => `${plainText(path)} to ${valueText(path, value)}`)
      return {
        question: `Change of ${quoted(deliveryId)} on ${place(context)}: ${values.join(', ')}?${mayChangePrice(changes) ? ' The price can change.' : ''}`,
        preview: { environment: context.account.environment, deliveryId, changes },
      }
    },
    call: ({ deliveryId, changes }, context) =>
      answered(
        context,
        { words: ['deliveries', 'update', '--file=-', '--yes'], args: [deliveryId], stdin: JSON.stringify(changes) },
        asRecord,
      ),
  }),
  tool({
    ...write,
    name: 'delivery_cancel',
    description: 'Cancels a delivery; a fee may apply. Asks for confirmation.',
    input: z.strictObject({
      deliveryId: Name,
      reason: z.string().max(limits.cancelReasonMaxLength).optional(),
      reasonNotes: z.string().max(limits.cancelReasonNotesMaxLength).optional(),
      confirm,
    }),
    output: delivery,
    hints,
    async confirm({ deliveryId, reason, reasonNotes }, context) {
      const words = ['deliveries', 'cancel', '--dry-run', ...reasonFlags(reason, reasonNotes)]
      const { value, error } = await context.run({ words, args: [deliveryId] })
      if (error !== undefined) return { error: { ...error } }
      const { cancellationFeeCents = null } = asRecord(value)
      const fee = typeof cancellationFeeCents === 'number' ? moneyText(cancellationFeeCents) : 'unknown'
      return {
        question: `Cancel ${quoted(deliveryId)} on ${place(context)}? The cancellation fee is ${fee}.`,
        preview: { environment: context.account.environment, deliveryId, cancellationFeeCents },
      }
    },
    call: ({ deliveryId, reason, reasonNotes }, context) =>
      answered(
        context,
        { words: ['deliveries', 'cancel', '--yes', ...reasonFlags(reason, reasonNotes)], args: [deliveryId] },
        asRecord,
      ),
  }),
  tool({
    ...write,
    name: 'event_replay',
    description: 'Posts past events again to a receiver, with new signatures. Another machine needs confirmation.',
    input: z.strictObject({ eventIds: z.array(z.string().min(2).max(80)).min(1).max(50), to: Url, confirm }),
    output: { results: list, confirmation: object },
    hints: { ...hints, destructive: false },
    confirm: ({ to }) => confirmForeignReceiver(to, 'Post past events, with personal data, to'),
    call: ({ eventIds, to }, context) =>
      answered(context, { words: ['events', 'replay', `--to=${to}`, '--yes'], args: eventIds }, (value) => ({
        results: asList(value),
      })),
  }),
]

function reasonFlags(reason: string | undefined, notes: string | undefined): string[] {
  return [...(reason === undefined ? [] : [`--reason=${reason}`]), ...(notes === undefined ? [] : [`--notes=${notes}`])]
}
