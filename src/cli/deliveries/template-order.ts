import { isRecord } from '../../shared/json.js'

/** An order that the service takes as it is: the fields that most orders have, to be written over. */
export const templateOrder = {
  clientOrderReference: 'ORDER-1001',
  pickup: { storeReference: 'STORE-001' },
  dropoff: {
    address: { line1: '418 Ramsey Street', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
    contactName: 'Dana Whitfield',
    contactPhone: '+19105550147',
    instructions: 'Side door. Please ring twice.',
  },
  package: { description: 'Two bags of groceries', itemsCount: 14, valueCents: 6480, weightGrams: 7200 },
  verification: { dropoff: { photo: { level: 'preferred' } } },
  tipAmountCents: 400,
}

/** The fields of an order by their dotted paths, as the columns of a CSV file have them. */
export function flatFields(order: object, above = ''): [path: string, value: unknown][] {
  return Object.entries(order).flatMap(([name, value]): [string, unknown][] => {
    const path = above === '' ? name : `${above}.${name}`
    return isRecord(value) ? flatFields(value, path) : [[path, value]]
  })
}
