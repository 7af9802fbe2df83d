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
import { refusalsOf } from './rows/refusals.js'
import { unknownFieldWarnings } from './rows/unknown-fields.js'

/** What looks wrong with an order before it is sent. Only what the service would certainly reject is an error here. */
export interface OrderChecks {
  refusals: FieldError[]
  warnings: FieldError[]
}

/** Checks an order against the rules that need no service. `nowMs` is the time to compare windows with. */
export function checkOrder(order: unknown, nowMs: number): OrderChecks {
  return { refusals: refusalsOf(order), warnings: warningsOf(order, nowMs) }
}

function warningsOf(order: unknown, nowMs: number): FieldError[] {
  return [
    ...phoneWarning(order),
    ...referenceWarning(order),
    ...addressWarnings(order),
    ...windowWarnings(order, nowMs),
    ...fallbackWarning(order),
    ...unknownFieldWarnings(order),
  ]
}

function phoneWarning(order: unknown): FieldError[] {
  const phone = valueAt(order, 'dropoff.contactPhone')
  if (typeof phone !== 'string' || isE164(phone)) return []
  return [
    { field: 'dropoff.contactPhone', code: 'INVALID_FORMAT', message: `"${phone}" is not E.164, such as +12025550123` },
  ]
}

function referenceWarning(order: unknown): FieldError[] {
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

function addressWarnings(order: unknown): FieldError[] {
  const field = 'dropoff.address'
  const address = addressOf(valueAt(order, field))
  if (address === undefined) return []
  const undeliverable = undeliverableDestination(address)
  if (undeliverable !== undefined)
    return [{ field, code: 'UNSUPPORTED_DESTINATION', message: destinations[undeliverable] }]
  const text = typeof address === 'string' ? address : address.postalCode
  const zip = /\b(\d{5})(?:-?\d{4})?\b\D*$/.exec(text)?.[1]
  const code = zip === undefined ? undefined : installationsByZip[zip]
  if (code === undefined || valueAt(order, 'dropoff.installation.code') !== undefined) return []
  const message = `ZIP ${zip} holds ${code}: a stop on the installation needs its code, or any driver is sent`
  return [{ field: 'dropoff.installation.code', code: 'MISSING', message }]
}

function addressOf(address: unknown): string | StructuredAddress | undefined {
  if (typeof address === 'string') return address
  const parts = address as Partial<StructuredAddress> | null | undefined
  const isWhole = [parts?.line1, parts?.city, parts?.state, parts?.postalCode].every((part) => typeof part === 'string')
  return isWhole ? (parts as StructuredAddress) : undefined
}

function windowWarnings(order: unknown, nowMs: number): FieldError[] {
  const mode = valueAt(order, 'timeWindows.deliveryMode')
  const stops = ['pickup', 'dropoff'] as const
  const warnings = stops.flatMap((stop): FieldError[] => {
    const field = `timeWindows.${stop}`
    const startMs = Date.parse(String(valueAt(order, `${field}.start`) ?? ''))
    const endMs = Date.parse(String(valueAt(order, `${field}.end`) ?? ''))
    if (endMs <= startMs) return [{ field, code: 'INVALID_TIME_CONSTRAINT', message: 'ends before it starts' }]
    return endMs < nowMs ? [{ field, code: 'INVALID_TIME_CONSTRAINT', message: 'is in the past' }] : []
  })
  const hasWindow = stops.some((stop) => valueAt(order, `timeWindows.${stop}`) !== undefined)
  if (mode === 'scheduled' && !hasWindow)
    warnings.push({ field: 'timeWindows', code: 'INVALID_TIME_CONSTRAINT', message: 'is scheduled without a window' })
  return warnings
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
