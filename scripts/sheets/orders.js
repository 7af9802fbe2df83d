// Forty orders as a dispatcher keeps them in a sheet, and the orders that are meant by them. People and phones are invented.

/** The columns of the sheet with their mapping, as --map-file has it. */
export const map = {
  columns: {
    'Order no': 'clientOrderReference',
    Store: 'pickup.storeReference',
    Customer: 'dropoff.contactName',
    Mobile: 'dropoff.contactPhone',
    'Street+Apt+City+State+ZIP': 'dropoff.address',
    'Deliver from': 'timeWindows.dropoff.start',
    'Deliver by': 'timeWindows.dropoff.end',
    Total: 'package.valueCents:dollars',
    Tip: 'tipAmountCents',
    Qty: 'package.itemsCount',
    'Weight (lb)': 'package.weightGrams:pounds',
    Cargo: 'package.contains',
    'Sign for it': 'verification.dropoff.signature.collectSignerName',
    Notes: 'dropoff.instructions',
  },
  usPhones: true,
  usTips: true,
  usTimes: 'store',
}

/** How the cells of a column are shown; those without a format are as they are. */
export const formats = {
  ZIP: '00000',
  'Deliver from': 'mm/dd/yyyy hh:mm',
  'Deliver by': 'yyyy-mm-dd hh:mm',
  Total: '$0.00',
}

export const columns = [
  ...['Order no', 'Store', 'Customer', 'Mobile', 'Street', 'Apt', 'City', 'State', 'ZIP', 'Deliver from', 'Deliver by'],
  ...['Total', 'Tip', 'Qty', 'Weight (lb)', 'Cargo', 'Sign for it', 'Notes'],
]

/** Where orders go: a store near, a city with its state and ZIP code, and the zone's offset in July and December. */
const places = [
  ['STORE-001', 'Fayetteville', 'NC', '28301', '-04:00', '-05:00'],
  ['STORE-024', 'Newport', 'RI', '02840', '-04:00', '-05:00'],
  ['STORE-041', 'Cape May', 'NJ', '08204', '-04:00', '-05:00'],
  ['STORE-002', 'Killeen', 'TX', '76541', '-05:00', '-06:00'],
  ['STORE-003', 'Colorado Springs', 'CO', '80909', '-06:00', '-07:00'],
  ['STORE-004', 'Sierra Vista', 'AZ', '85635', '-07:00', '-07:00'],
  ['STORE-005', 'Oceanside', 'CA', '92054', '-07:00', '-08:00'],
  ['STORE-007', 'Honolulu', 'HI', '96818', '-10:00', '-10:00'],
]

/** References, names, phones, second lines and notes that programs are known to change. Numbers are cells of numbers. */
const references = [
  ...['000123', '1E5', 6012345678901, '#1001', 'A-1/2', '2E-10', '12-05', 'MAR-4', '4/5', 'TRUE', '1,001', '00-17'],
  ...['WEB;77', 'Ü-9', '+15', 40017, '0x1F', 'NaN-1', 'O"Neil-3', 'T-1|2'],
]
const names = [
  ...[
    'Ana Ñandú',
    "O'Brien & <Sons>",
    'Zoë Ålund',
    'Null',
    '山田 太郎',
    'Marie-Ève Côté 🚚',
    '"Big" Joe',
    'Éva D’Août',
  ],
  ...['Ann, Bo & Co', 'No', '1st Floor Desk', 'Ångström Ek', 'Tab\tby Smith', 'José 👩‍👩‍👧'],
]
const phones = [
  ...['(910) 555-0101', 9105550102, '910.555.0103', '+1 910 555 0104', '1-910-555-0105', '910‑555‑0106', 9105550107],
]
const seconds = [null, 'Apt 4', '#12', 4, null, 'Bldg 7; Rm 2', 'Suite "B"']
const notes = [
  null,
  'Ring twice',
  'Side door.\nPast the "green" gate,\nthen left; mind the dog',
  '=call first',
  '+1 helper needed',
  '-leave at desk',
  '@reception',
  "'round the back",
  'C:\\temp is no gate',
  '50% off | 2 for 1',
  'Ünïcödé – “quotes” … 🚪🔔',
  '<b>fragile</b> & cold',
  'ends with a quote "',
  '100',
  '007',
  '# not a comment',
  'a;b,c\td',
  '2036-12-02',
  'yes',
]
const cargo = [null, 'perishable_cold_chain', null, null, 'Perishable Cold Chain']

const at = (list, index) => list[index % list.length]

/** The cells of an order, each a text, a number, a boolean, nothing, `{ time }` in wall time or `{ money }` in dollars. */
function cellsOf(index) {
  const [store, city, state, zip] = at(places, index)
  const day = index % 2 === 0 ? '2036-07-15' : '2036-12-02'
  const hour = 8 + (index % 9)
  const reference = references[index] ?? `ORD-${String(index).padStart(4, '0')}`
  return {
    'Order no': reference,
    Store: store,
    Customer: at(names, index),
    Mobile: at(phones, index),
    Street: `${200 + index} Hay St`,
    Apt: at(seconds, index),
    City: city,
    State: state,
    ZIP: Number(zip),
    'Deliver from': { time: `${day} ${String(hour).padStart(2, '0')}:${index % 3 === 0 ? '30' : '00'}` },
    'Deliver by': { time: `${day} ${hour + 3}:15` },
    Total: { money: (1_999 + index * 111) / 100 },
    Tip: index % 4 === 0 ? null : { money: (index % 7) + 0.5 },
    Qty: 1 + (index % 12),
    'Weight (lb)': index % 5 === 0 ? null : 1.5 + index,
    Cargo: at(cargo, index),
    'Sign for it': index % 3 === 0 ? true : index % 3 === 1 ? false : null,
    Notes: at(notes, index),
  }
}

const momentOf = (wall, offset) => new Date(`${wall.replace(' ', 'T')}:00${offset}`).toISOString()

function meantBy(cells, index) {
  const [, , , zip, summer, winter] = at(places, index)
  const offset = cells['Deliver from'].time.startsWith('2036-07') ? summer : winter
  const phone = `+1${String(cells.Mobile).replace(/\D/g, '').slice(-10)}`
  // A bare number gets the word of its column.
  const unit = typeof cells.Apt === 'number' ? `Apt ${cells.Apt}` : cells.Apt
  const address = [cells.Street, unit, cells.City, `${cells.State} ${zip}`].filter((part) => part !== null)
  const instructions = cells.Notes === null ? {} : { instructions: cells.Notes }
  const pounds = cells['Weight (lb)']
  return {
    clientOrderReference: String(cells['Order no']),
    pickup: { storeReference: cells.Store },
    dropoff: { contactName: cells.Customer, contactPhone: phone, address: address.join(', '), ...instructions },
    timeWindows: {
      deliveryMode: 'scheduled',
      dropoff: { start: momentOf(cells['Deliver from'].time, offset), end: momentOf(cells['Deliver by'].time, offset) },
    },
    package: {
      valueCents: Math.round(cells.Total.money * 100),
      itemsCount: cells.Qty,
      ...(pounds === null ? {} : { weightGrams: Math.round(pounds * 453.59237) }),
      ...(cells.Cargo === null ? {} : { contains: ['perishable_cold_chain'] }),
    },
    ...(cells.Tip === null ? {} : { tipAmountCents: Math.round(cells.Tip.money * 100) }),
    ...(cells['Sign for it'] === null
      ? {}
      : { verification: { dropoff: { signature: { collectSignerName: cells['Sign for it'] } } } }),
  }
}

/** Each order as the cells of its row and as the body that the service has to get. */
export const orders = Array.from({ length: 40 }, (_, index) => {
  const cells = cellsOf(index)
  return { cells, meant: meantBy(cells, index) }
})
