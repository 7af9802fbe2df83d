import { isRecord } from '../../shared/json.js'

/** An order that the service accepts, with the fields that most orders have, to be edited. */
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

/** The order for an account: only a sandbox of this user certainly has that store. */
export function templateFor({ isOwnSandbox }: { isOwnSandbox: boolean }): typeof templateOrder {
  return isOwnSandbox ? templateOrder : { ...templateOrder, pickup: { storeReference: 'YOUR-STORE' } }
}

/** The fields of an order by dotted path, as in the columns of a CSV file. */
export function flatFields(order: object, above = ''): [path: string, value: unknown][] {
  return Object.entries(order).flatMap(([name, value]): [string, unknown][] => {
    const path = above === '' ? name : `${above}.${name}`
    return isRecord(value) ? flatFields(value, path) : [[path, value]]
  })
}
