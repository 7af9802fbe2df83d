/** A realistic order; `overrides` replace its top-level properties. */
export function testOrder(reference: string, overrides: Record<string, unknown> = {}) {
  return {
    clientOrderReference: reference,
    pickup: { storeReference: 'STORE-001' },
    dropoff: {
      address: '300 Hay St, Fayetteville, NC 28301',
      contactName: 'Maya Reyes',
      contactPhone: '+12025550100',
    },
    ...overrides,
  }
}
