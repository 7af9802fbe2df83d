import { DeliveryCreate, DeliveryUpdate, type InputOf, readRequest, withoutMarks } from '../../../contract/index.js'
import { isRecord } from '../../../shared/json.js'
import { parseNumbers } from '../../../shared/json-number.js'
import { amountText } from '../../../shared/texts.js'
import {
  type GuardedField,
  installationLeft,
  movesWithoutInstallation,
  tipAboveMaximum,
  windowWithoutMode,
} from '../../../trade/updates.js'
import { withWindowEnds } from '../../../trade/zoned-time.js'
import { maskNamesAndPhones } from '../../../webhooks/internal.js'
import type { Done, FormField } from '../../wire/deliveries.js'
import { insideOf, orderOf, readDelivery, readProof } from '../deliveries/detail.js'
import {
  cancelSelected,
  readBoard,
  readCancellation,
  readList,
  readTrails,
  replaySelected,
} from '../deliveries/list.js'
import { readLists } from '../deliveries/merged-list.js'
import { unmaskedBody } from '../events/masked-body.js'
import { formOf } from '../forms.js'
import { bodyText, parameter, Refused, type Route, type RouteCall } from '../route.js'

export const deliveryRoutes: readonly Route[] = [
  { method: 'GET', path: '/deliveries', handle: readBoard },
  { method: 'GET', path: '/deliveries/:deliveryId', handle: readDelivery },
  { method: 'GET', path: '/trails', handle: readTrails },
  { method: 'GET', path: '/list', handle: readList, handleAll: readLists },
  { method: 'GET', path: '/list/cancellation', handle: readCancellation },
  { method: 'POST', path: '/list/cancel', handle: cancelSelected },
  { method: 'POST', path: '/list/replay', handle: replaySelected },
  { method: 'GET', path: '/deliveries/:deliveryId/proofs/:index', handle: readProof },
  {
    method: 'GET',
    path: '/forms/order',
    handle: orderForm,
  },
  { method: 'POST', path: '/deliveries', handle: create },
  { method: 'POST', path: '/deliveries/:deliveryId/simulate', handle: simulate },
  { method: 'POST', path: '/deliveries/:deliveryId/update', handle: update },
  { method: 'POST', path: '/deliveries/:deliveryId/cancel', handle: cancel },
]

/** A form with an example filled in, or with an order like that of the delivery `from`, its names and phones masked. */
async function orderForm(call: RouteCall): Promise<{ fields: FormField[] }> {
  const { backend, query } = call
  const from = query.get('from')
  if (from !== null) return { fields: formOf(DeliveryCreate, maskNamesAndPhones(await orderLike(call, from))) }
  const clientOrderReference = `ORDER-${backend.nowMs().toString(36).slice(-6).toUpperCase()}`
  return { fields: formOf(DeliveryCreate, { ...backend.exampleOrder, clientOrderReference }) }
}

async function orderLike(call: RouteCall, deliveryId: string): Promise<Record<string, unknown>> {
  const { client, orderLike } = call.backend
  const [delivery, inside] = await Promise.all([client.getDelivery({ deliveryId }), insideOf(call, deliveryId)])
  return orderLike(delivery, orderOf(inside))
}

async function create(call: RouteCall): Promise<Done> {
  if (!isRecord(call.body.order)) throw new Refused(400, 'VALIDATION_ERROR', 'order must be an object.')
  const { order: typed, from } = call.body
  const given = typeof from === 'string' ? unmasked(typed, await orderLike(call, from)) : typed
  const order = withoutMarks(readRequest(DeliveryCreate, withWindowEnds(given)))
  refuseIf(tipAboveMaximum(order) ?? windowWithoutMode(order))
  call.backend.keepOrdered(order)
  // The client derives the key from the order: it is created once however often it is sent, and a changed one is another.
  const { value, replayed, wasLost } = await call.backend.client.call('createDelivery', {
    body: order as unknown as InputOf<'createDelivery'>['body'],
  })
  const { deliveryId, status, clientOrderReference } = value
  const name = clientOrderReference ?? deliveryId
  return {
    message:
      replayed && !wasLost ? `${name} was created before; nothing was dispatched.` : `Created ${name}: ${status}.`,
    deliveryId,
  }
}

/** What was left masked in a form is as it was in the order that it began with. */
function unmasked(order: Record<string, unknown>, original: object): Record<string, unknown> {
  return parseNumbers(unmaskedBody(JSON.stringify(order), JSON.stringify(original)), 'input') as Record<string, unknown>
}

/** Refuses a value that the service would accept although it is probably a mistake. */
function refuseIf(guarded: GuardedField | undefined): void {
  if (guarded !== undefined) throw new Refused(400, guarded.code, `${guarded.field}: ${guarded.message}.`)
}

async function simulate(call: RouteCall): Promise<Done> {
  const { statusReasonCode } = call.body
  const body = {
    advanceTo: bodyText(call, 'advanceTo'),
    statusReasonCode: statusReasonCode || undefined,
  }
  const deliveryId = parameter(call, 'deliveryId')
  const input = { deliveryId, body } as unknown as InputOf<'simulateDelivery'>
  const { status, emittedEvents } = await call.backend.client.simulateDelivery(input)
  const count = emittedEvents.length
  return { message: `Advanced to ${status}: ${count} ${count === 1 ? 'event' : 'events'}.`, deliveryId }
}

async function update(call: RouteCall): Promise<Done> {
  if (!isRecord(call.body.changes) || Object.keys(call.body.changes).length === 0)
    throw new Refused(400, 'VALIDATION_ERROR', 'No field was changed.')
  const changes = withoutMarks(readRequest(DeliveryUpdate, withWindowEnds(call.body.changes)))
  const deliveryId = parameter(call, 'deliveryId')
  const { client } = call.backend
  refuseIf(tipAboveMaximum(changes))
  if (movesWithoutInstallation(changes)) {
    const code = installationLeft(changes, await client.getDelivery({ deliveryId }))
    const message = `must be changed or emptied too: the delivery is on ${code}, and the new address may not be`
    refuseIf(code === undefined ? undefined : { field: 'dropoff.installation.code', code: 'MISSING', message })
  }
  const delivery = await client.updateDelivery({ deliveryId, body: changes as DeliveryUpdate })
  call.backend.keepMoved(delivery, changes)
  return { message: `Saved. The delivery is ${delivery.status}.`, deliveryId }
}

async function cancel(call: RouteCall): Promise<Done> {
  const { reason, reasonNotes } = call.body
  const deliveryId = parameter(call, 'deliveryId')
  const body = { reason: reason || undefined, reasonNotes: reasonNotes || undefined } as { reason?: string }
  const { status, pricing } = await call.backend.client.cancelDelivery({ deliveryId, body })
  const fee = pricing?.cancellationFeeCents
  const cost = fee == null ? '' : fee === 0 ? ' No fee.' : ` Fee $${amountText(fee)}.`
  return { message: `The delivery is ${status}.${cost}`, deliveryId }
}
