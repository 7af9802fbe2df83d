import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCli } from '../../support/cli/program.js'

/** Exports with two orders, the first of which has two items, as these shops name their columns. */
const exports: [shop: string, header: string, rows: string[]][] = [
  [
    'Shopify',
    'Name,Email,Financial Status,Paid at,Subtotal,Total,Lineitem quantity,Lineitem name,Billing Name,Billing Zip,Shipping Name,Shipping Address1,Shipping Address2,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Notes',
    [
      "#1001,a@example.com,paid,2026-11-27 09:14:33 -0500,45.50,49.00,2,Mug,Ana Cole,'28301,Ana Cole,200 Hay St,Apt 4,Fayetteville,'28301,NC,US,(910) 555-0101,Ring twice",
      '#1001,a@example.com,,,,,1,Plate,,,,,,,,,,,',
      "#1002,b@example.com,paid,2026-11-27 10:14:33 -0500,12.00,15.00,1,Bowl,Ben Ode,'28301,Ben Ode,418 Ramsey St,,Fayetteville,'28301,NC,US,910-555-0102,",
    ],
  ],
  [
    'WooCommerce',
    'Order Number,Order Status,Customer Note,First Name (Shipping),Last Name (Shipping),Address 1&2 (Shipping),City (Shipping),State Code (Shipping),Postcode (Shipping),Phone (Billing),Item Name,Quantity (- Refund),Order Subtotal Amount',
    [
      '2001,Processing,Ring twice,Ana,Cole,"200 Hay St, Apt 4",Fayetteville,NC,28301,9105550101,Mug,2,45.50',
      '2001,Processing,Ring twice,Ana,Cole,"200 Hay St, Apt 4",Fayetteville,NC,28301,9105550101,Plate,1,45.50',
      '2002,Processing,,Ben,Ode,418 Ramsey St,Fayetteville,NC,28301,9105550102,Bowl,1,12.00',
    ],
  ],
  [
    'Etsy',
    'Sale Date,Order ID,Full Name,Number of Items,Street 1,Street 2,Ship City,Ship State,Ship Zipcode,Ship Country,Order Value',
    [
      '11/27/26,3001,Ana Cole,3,200 Hay St,Apt 4,Fayetteville,NC,28301,United States,45.50',
      '11/27/26,3002,Ben Ode,1,418 Ramsey St,,Fayetteville,NC,28301,United States,12.00',
    ],
  ],
  [
    'eBay',
    'Sales Record Number,Order Number,Buyer Note,Ship To Name,Ship To Phone,Ship To Address 1,Ship To Address 2,Ship To City,Ship To State,Ship To Zip,Item Title,Quantity,Sold For',
    [
      '1,04-1,Ring twice,Ana Cole,+1 910-555-0101,200 Hay St,Apt 4,Fayetteville,NC,28301,Mug,2,$45.50',
      '2,04-2,,Ben Ode,+1 910-555-0102,418 Ramsey St,,Fayetteville,NC,28301,Bowl,1,$12.00',
      '2,record(s) downloaded,,,,,,,,,,,',
    ],
  ],
  [
    'Amazon',
    'order-id\torder-item-id\tbuyer-phone-number\tproduct-name\tquantity-purchased\titem-price\trecipient-name\tship-address-1\tship-address-2\tship-address-3\tship-city\tship-state\tship-postal-code\tship-phone-number',
    [
      '111-1\t1\t\t12" pan\t2\t45.50\tAna Cole\t200 Hay St\tApt 4\t\tFayetteville\tNC\t28301\t(910) 555-0101',
      '111-2\t2\t\tBowl\t1\t12.00\tBen Ode\t418 Ramsey St\t\t\tFayetteville\tNC\t28301\t(910) 555-0102',
    ],
  ],
  [
    'Square',
    'Order,Order Date,Order Subtotal,Recipient Name,Recipient Phone,Recipient Address,Recipient Address 2,Recipient Postal Code,Recipient City,Recipient Region,Item Quantity,Item Name',
    [
      'S-1,2026/11/27,45.50,Ana Cole,19105550101,200 Hay St,Apt 4,28301,Fayetteville,NC,2,Mug',
      'S-2,2026/11/27,12.00,Ben Ode,19105550102,418 Ramsey St,,28301,Fayetteville,NC,1,Bowl',
    ],
  ],
  [
    'Onfleet',
    'Order_Number,Recipient_Name,Recipient_Phone,Address_Line1,Address_Line2,City/Town,State/Province,Postal_Code,Country,Task_Details,Quantity',
    [
      'T-1,Ana Cole,910-555-0101,200 Hay St,Apt 4,Fayetteville,NC,28301,USA,Ring twice,3',
      'T-2,Ben Ode,910-555-0102,418 Ramsey St,,Fayetteville,NC,28301,USA,,1',
    ],
  ],
]

describe('dlv deliveries map', () => {
  test.each(
    exports,
  )('maps an export of %s, whose orders are sent once however often it is exported', async (shop, header, rows) => {
    const cli = createCli()
    const file = join(cli.home, 'export.csv')
    const map = join(cli.home, 'map.json')
    writeFileSync(file, `${[header, ...rows].join('\n')}\n`)
    const mapped = await cli.run(['deliveries', 'map', file])
    expect([mapped.exitCode, mapped.stderr]).toEqual([0, expect.stringContaining(`Looks like an export of ${shop}.`)])
    writeFileSync(map, mapped.stdout)
    const hasPhone = /phone/i.test(header)
    if (!hasPhone) expect(mapped.stderr).toContain('No column for dropoff.contactPhone: --phone PHONE sets it.')
    const create = (source: string, ...more: string[]) =>
      cli.run([
        ...['deliveries', 'create', '--file', source, '--map-file', map, '--store', 'STORE-001', ...more],
        ...(hasPhone ? [] : ['--phone', '+19105550100']),
      ])
    const dry = await create(file, '--dry-run', '-o', 'json')
    expect([dry.exitCode, JSON.parse(dry.stdout)]).toMatchObject([
      0,
      [
        {
          outcome: 'ready',
          body: {
            dropoff: { contactName: 'Ana Cole', address: '200 Hay St, Apt 4, Fayetteville, NC 28301' },
            package: { valueCents: shop === 'Onfleet' ? undefined : 4550 },
          },
        },
        {
          outcome: 'ready',
          body: { dropoff: { contactName: 'Ben Ode', address: '418 Ramsey St, Fayetteville, NC 28301' } },
        },
      ].map((row) =>
        shop === 'Onfleet' && 'package' in row.body ? { ...row, body: { dropoff: row.body.dropoff } } : row,
      ),
    ])
    expect(await create(file)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 created') })
    const next = join(cli.home, 'next.csv')
    const last = rows.findLast((row) => row.includes('Ben Ode')) ?? ''
    const added = last
      .replaceAll(/-?2(?=[,\t])/g, (id) => id.replace('2', '9'))
      .replace('#1002', '#1009')
      .replace('2002', '2009')
      .replace('3002', '3009')
      .replace('Ben Ode', 'Cy Roe')
      .replace('Ben,Ode', 'Cy,Roe')
    const kept = rows.filter((row) => row !== last && !row.includes('record(s)'))
    writeFileSync(next, `${[header, ...kept, last, ...(added === last ? [] : [added])].join('\n')}\n`)
    const again = await create(next)
    expect(again.stderr).toMatch(
      /(?:1 created.*2 existing|2 existing.*1 created|2 existing|2 replayed.*1 created|1 created.*2 replayed)/,
    )
  })

  test('maps other sheets by their names and values, and says what it doubts and misses', async () => {
    const cli = createCli()
    const file = join(cli.home, 'sheet.csv')
    writeFileSync(
      file,
      'Orders of today\n\nOrder no;First name;Last name;Mobile;Street;Apt;City;State;ZIP;Deliver by;Qty;Weight (lb);Colour\nA-1;Ana;Cole;(910) 555-0101;200 Hay St;4;Fayetteville;NC;28301;11/30/2026 3:00 PM;two;3;red\nA-2;Ben;Ode;;418 Ramsey St;;Fayetteville;NC;28301;11/30/2026 4:00 PM;many;4;blue\n',
    )
    const { stdout, stderr } = await cli.run(['deliveries', 'map', file])
    expect(JSON.parse(stdout)).toEqual({
      columns: {
        'Order no': 'clientOrderReference',
        'First name+Last name': 'dropoff.contactName',
        Mobile: 'dropoff.contactPhone',
        'Street+Apt+City+State+ZIP': 'dropoff.address',
        'Weight (lb)': 'package.weightGrams:pounds',
        'Deliver by': 'timeWindows.dropoff.end',
      },
      usPhones: true,
      usTimes: 'store',
    })
    expect(stderr).toContain('"Qty" is not mapped to package.itemsCount: "two" is none.')
    expect(stderr).toContain('1 of 2 orders have no dropoff.contactPhone.')
    expect(stderr).toContain('No column for pickup.storeReference: --store STORE sets it.')
    expect(stderr).toContain('Not mapped: Qty, Colour.')
    writeFileSync(file, 'a,b\n1,2\n')
    expect(await cli.run(['deliveries', 'map', file])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('no column that looks like'),
    })
  })
})
