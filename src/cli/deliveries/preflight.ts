import {
  codePointLength,
  type FieldError,
  isE164,
  limits,
  type StructuredAddress,
  undeliverableDestination,
} from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { installationsByZip } from './installation-zips.generated.js'
import { type OrderRules, refusalsOf } from './rows/refusals.js'
import { unknownFieldWarnings } from './rows/unknown-fields.js'
import { e164Of } from './rows/us-forms.js'

/** The faults of an order before it is sent: those that would be refused, and those that the service accepts. */
export interface OrderChecks {
  refusals: FieldError[]
  warnings: FieldError[]
}

/** Rules that compare windows with the time; without it the service decides which are over. */
export type PreflightRules = OrderRules & { nowMs: number | undefined }

/** Checks an order, or the changes of an update, against the rules that need no service. */
export function checkOrder(order: unknown, rules: PreflightRules): OrderChecks {
  const destination = destinationRefusal(order)
  return {
    refusals: [
      ...refusalsOf(order, rules),
      ...phoneRefusal(order),
      ...referenceRefusal(order),
      ...destination,
      ...windowRefusals(order, rules.nowMs),
    ],
    warnings: [
      ...(destination.length > 0 ? [] : installationWarning(order)),
      ...fallbackWarning(order),
      ...unknownFieldWarnings(order),
    ],
  }
}

function phoneRefusal(order: unknown): FieldError[] {
  const phone = valueAt(order, 'dropoff.contactPhone')
  if (typeof phone !== 'string' || isE164(phone)) return []
  const flag = e164Of(phone) === undefined ? '' : '; --us-phones reads it'
  const message = `"${phone}" is not E.164, such as +12025550123${flag}`
  return [{ field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message }]
}

function referenceRefusal(order: unknown): FieldError[] {
  const reference = valueAt(order, 'clientOrderReference')
  if (typeof reference !== 'string' || codePointLength(reference) <= limits.clientOrderReferenceMaxLength) return []
  const message = `has more than ${limits.clientOrderReferenceMaxLength} characters: it cannot be looked up`
  return [{ field: 'clientOrderReference', code: 'TOO_LONG', message }]
}

const destinations = {
  military: 'is military mail (APO, FPO, DPO), which no driver delivers to',
  po_box: 'is a post office box, which no driver delivers to',
  diplomatic_pouch: 'is the diplomatic pouch, which no driver delivers to',
  general_delivery: 'is general delivery, which no driver delivers to',
} as const

function destinationRefusal(order: unknown): FieldError[] {
  const field = 'dropoff.address'
  const address = addressOf(valueAt(order, field))
  const undeliverable = address === undefined ? undefined : undeliverableDestination(address)
  if (undeliverable === undefined) return []
  return [{ field, code: 'UNSUPPORTED_DESTINATION', message: destinations[undeliverable] }]
}

function installationWarning(order: unknown): FieldError[] {
  const address = addressOf(valueAt(order, 'dropoff.address'))
  if (address === undefined || valueAt(order, 'dropoff.installation.code') !== undefined) return []
  const text = typeof address === 'string' ? address : address.postalCode
  const zip = /\b(\d{5})(?:-?\d{4})?\b\D*$/.exec(text)?.[1]
  const code = zip === undefined ? undefined : installationsByZip[zip]
  if (code === undefined) return []
  const message = `ZIP ${zip} holds ${code}: a stop on the installation needs its code, or any driver is sent`
  return [{ field: 'dropoff.installation.code', code: 'MISSING', message }]
}

function addressOf(address: unknown): string | StructuredAddress | undefined {
  if (typeof address === 'string') return address
  const parts = address as Partial<StructuredAddress> | null | undefined
  const isWhole = [parts?.line1, parts?.city, parts?.state, parts?.postalCode].every((part) => typeof part === 'string')
  return isWhole ? (parts as StructuredAddress) : undefined
}

function windowRefusals(order: unknown, nowMs = Number.NEGATIVE_INFINITY): FieldError[] {
  const mode = valueAt(order, 'timeWindows.deliveryMode')
  const stops = ['pickup', 'dropoff'] as const
  const refusals = stops.flatMap((stop): FieldError[] => {
    const field = `timeWindows.${stop}`
    const startMs = Date.parse(String(valueAt(order, `${field}.start`) ?? ''))
    const endMs = Date.parse(String(valueAt(order, `${field}.end`) ?? ''))
    if (endMs <= startMs) return [{ field, code: 'INVALID_TIME_CONSTRAINT', message: 'ends before it starts' }]
    return endMs < nowMs ? [{ field, code: 'INVALID_TIME_CONSTRAINT', message: 'is in the past' }] : []
  })
  const hasWindow = stops.some((stop) => valueAt(order, `timeWindows.${stop}`) !== undefined)
  if (mode === 'scheduled' && !hasWindow)
    refusals.push({ field: 'timeWindows', code: 'INVALID_TIME_CONSTRAINT', message: 'is scheduled without a window' })
  return refusals
}

function fallbackWarning(order: unknown): FieldError[] {
  if (valueAt(order, 'handling.undeliverableAction') !== 'fallback_handoff') return []
  if (valueAt(order, 'handling.fallbackHandoff') !== undefined) return []
  return [
    {
      field: 'handling.fallbackHandoff',
      code: 'MISSING',
      message: 'is recommended with fallback_handoff, such as visitor_center',
    },
  ]
}
