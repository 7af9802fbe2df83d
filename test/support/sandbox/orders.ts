import { DeliveryCreate } from '../../../src/contract/index.js'

let orders = 0

/** A plain order that every rule of the sandbox accepts, with changes merged into it to any depth. */
export function testOrder(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const order = {
    clientOrderReference: `order-${++orders}-${process.pid}`,
    pickup: { storeReference: 'STORE-001' },
    dropoff: {
      address: { line1: '500 Ramsey Street', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
      contactName: 'Avery Cole',
      contactPhone: '+12025550100',
    },
  }
  DeliveryCreate.parse(order)
  return merged(order, changes)
}

/** The order without what a quote does not take. */
export function createTestQuote(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return testOrder(changes)
}

function merged(base: Record<string, unknown>, changes: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base }
  for (const [name, change] of Object.entries(changes)) {
    const old = result[name]
    if (change === undefined) delete result[name]
    else result[name] = isPlain(old) && isPlain(change) ? merged(old, change) : change
  }
  return result
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
