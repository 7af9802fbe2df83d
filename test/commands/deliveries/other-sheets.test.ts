import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCli } from '../../support/cli/program.js'

const header = 'Order,Name,Phone,Address,City,State,Zip'
const ana = 'A-1,Ana Cole,9105550101,200 Hay St,Fayetteville,NC,28301'
const door = '200 Hay St, Fayetteville, NC 28301'

/** What becomes of each row: parts of the order that is meant, or what its refusal says. */
type Meant = Record<string, unknown> | RegExp

type Sheet = [name: string, text: string | Buffer, meant: Meant[]]

const sheets: Sheet[] = [
  ['bars between columns', [header, ana].join('\n').replaceAll(',', '|'), [{ address: door }]],
  [
    'a table of Markdown',
    `| Order | Name | Phone | Address |\n| --- | --- | --- | --- |\n| A-1 | Ana Cole | 9105550101 | ${door} |\n`,
    [{ reference: 'A-1', address: door }],
  ],
  [
    'a table of Markdown whose cells have bars, quotation marks and line breaks, or are cut',
    `| Order | Name | Phone | Address |\n|:--|---|---|--:|\n| A\\|1 | "Big" Joe | 9105550101 | 200 Hay St\nFayetteville, NC 28301 |\n| A-2 | Ana Cole | 9105550101 | ${door}\n| A-3 | Ana Cole | 9105550101 |\n| A-4 | Ana Cole | 9105550101 | ${door} |\n`,
    [
      { reference: 'A|1', name: '"Big" Joe', address: '200 Hay St\nFayetteville, NC 28301' },
      /row 2 \(line 5\): the row does not end with a bar/,
      /row 3 \(line 6\): the row has 3 cells for 4 columns/,
      { reference: 'A-4', address: door },
    ],
  ],
  [
    'a row of totals that counts a column of texts',
    [header, ana, 'Total,,,1,,,'].join('\n'),
    [{ reference: 'A-1', address: door }],
  ],
  [
    'a table of a database, with its frame and its footer',
    ` Order | Name | Phone | Address \n-------+------+-------+----\n A-1 | Ana Cole | 9105550101 | ${door}\n(1 row)\n`,
    [{ reference: 'A-1', address: door }],
  ],
  [
    'references that say that there is none',
    [header, ...['n/a', 'None', 'nan', 'TBD', '--', 'N-1', '2E-10'].map((one) => ana.replace('A-1', one))].join('\n'),
    [
      ...Array.from({ length: 4 }, () => /stands for a reference that is missing/),
      { reference: '--' },
      { reference: 'N-1' },
      { reference: '2E-10' },
    ],
  ],
  [
    'ZIP codes with half a hyphen, and with a space',
    [header, ana.replace('28301', '28301-'), ana.replace('28301', '28301 1234').replace('A-1', 'A-2')].join('\n'),
    [{ address: door }, { address: `${door}-1234` }],
  ],
  [
    'German names',
    'Bestellnummer;Empfänger;Telefon;Straße;Ort;Bundesstaat;PLZ\nA-1;Ana Cole;(910) 555-0101;200 Hay St;Fayetteville;NC;28301\n',
    [{ reference: 'A-1', address: door, phone: '+19105550101' }],
  ],
  [
    'Spanish names',
    'Pedido,Nombre,Teléfono,Dirección,Ciudad,Estado,Código postal\nA-1,Ana Cole,910-555-0101,200 Hay St,Fayetteville,NC,28301\n',
    [{ name: 'Ana Cole', address: door }],
  ],
  [
    'names of a program',
    'orderNumber,customerName,phoneNumber,streetAddress,city,state,zipCode\nA-1,Ana Cole,9105550101,200 Hay St,Fayetteville,NC,28301\n',
    [{ name: 'Ana Cole', address: door, phone: '+19105550101' }],
  ],
  [
    'groups above the header',
    ',Customer,,Delivery address,,,\nOrder #,Name,Phone,Street,City,ST,ZIP Code\nA-1,Ana Cole,9105550101,200 Hay St,Fayetteville,NC,28301\n',
    [{ address: door }],
  ],
  [
    'the header again where files were joined',
    [header, ana, header, ana.replace('A-1', 'A-2')].join('\n'),
    [{ reference: 'A-1' }, { reference: 'A-2' }],
  ],
  [
    'one address in one cell',
    `Order,Name,Phone,Ship to\nA-1,Ana Cole,9105550101,"200 Hay St\nFayetteville, NC 28301"\n`,
    [{ address: '200 Hay St\nFayetteville, NC 28301' }],
  ],
  [
    'bare units in columns named for them',
    `Order,Name,Phone,Street,Apt #,Ste,Floor,City,State,Zip\n${['2,,', '#4B,,', ',300,2', 'Apt 5,,', 'rear,,'].map((units, at) => `A-${at},Ana,9105550101,200 Hay St,${units},Fayetteville,NC,28301`).join('\n')}\n`,
    ['Apt 2', '#4B', 'Ste 300, Floor 2', 'Apt 5', 'rear'].map((unit) => ({
      address: `200 Hay St, ${unit}, Fayetteville, NC 28301`,
    })),
  ],
  ...['Suburb', 'Ship Locality', 'Municipality', 'Town/City', 'Ort', 'Village'].map(
    (city): Sheet => [`a city in the column ${city}`, `${header.replace('City', city)}\n${ana}\n`, [{ address: door }]],
  ),
  ['a city beside its suburb', `${header},Suburb\n${ana},Haymount\n`, [{ address: door }]],
  [
    'a whole address beside its parts',
    `${header}\nA-1,Ana Cole,9105550101,"200 Hay St, Fayetteville, NC 28301",Fayetteville,NC,28301\n`,
    [{ address: door }],
  ],
  [
    'a city with the name of its state',
    `${header}\nA-1,Ana Cole,9105550101,1 Main St,New York,New York,10001\n`,
    [{ address: '1 Main St, New York, New York, 10001' }],
  ],
  [
    'ZIP codes that were numbers',
    `${header}\n${['28301.0', '283011234', '"28,301"', '21081234'].map((zip, at) => `A-${at},Ana,9105550101,200 Hay St,Fayetteville,NC,${zip}`).join('\n')}\n`,
    [{ address: door }, { address: `${door}-1234` }, { address: door }, /too few digits/],
  ],
  [
    'another country',
    `${header},Country\n${ana},United States\nA-2,Ben,9105550102,1 Queen St W,Toronto,ON,M5H 2N2,Canada\n`,
    [{ address: door }, /column Country: "Canada" is another country/],
  ],
  [
    'another currency',
    `${header},Order Total,Currency\n${ana},45,USD\n${ana.replace('A-1', 'A-2')},45,EUR\n`,
    [{ package: { valueCents: 4_500 } }, /column Currency: "EUR" is another currency/],
  ],
  [
    'words that stand for a value',
    `${header}\n${['N/A,200 Hay St', 'same as above,200 Hay St', 'Ana,TBD', 'Ana,?', 'Ana,see notes', '〃,200 Hay St', 'Ann Same,200 Hay St'].map((cells, at) => `A-${at},${cells.replace(',', ',9105550101,')},Fayetteville,NC,28301`).join('\n')}\n`,
    [...Array(6).fill(/stands for a value that is missing or in another row/), { address: door }],
  ],
  [
    'letters in ZIP codes',
    `${header}\n${ana.replace('28301', '283O1')}\n${ana.replace('A-1', 'A-2').replace('28301', '2830l')}\n`,
    [/the ZIP code "283O1" has a letter in the place of a digit: 28301\?/, /"2830l" has a letter.*: 28301\?/],
  ],
  [
    'days before months, and commas before cents',
    'Bestellnr;Name;Telefon;Adresse;Liefertermin;Betrag\nA-1;Ana;9105550101;200 Hay St, Fayetteville, NC 28301;07.12.2036 15:00 - 17:00 Uhr;45,50\nA-2;Ana;9105550101;200 Hay St, Fayetteville, NC 28301;30.11.2036 15.00 bis 17.00;1.234,50\n',
    [
      {
        window: { start: '2036-12-07T20:00:00.000Z', end: '2036-12-07T22:00:00.000Z' },
        package: { valueCents: 4_550 },
      },
      {
        window: { start: '2036-11-30T20:00:00.000Z', end: '2036-11-30T22:00:00.000Z' },
        package: { valueCents: 123_450 },
      },
    ],
  ],
  ['another country of who pays', `${header},Billing Country\n${ana},Canada\n`, [{ address: door }]],
  [
    'guarded texts and links',
    `${header}\n"=""A-1""",Ana Cole,"=""9105550101""",200 Hay St,Fayetteville,NC,"=""28301"""\n"=HYPERLINK(""https://example.com/2"",""A-2"")",Ana,9105550101,200 Hay St,Fayetteville,NC,28301\n`,
    [{ reference: 'A-1', address: door, phone: '+19105550101' }, { reference: 'A-2' }],
  ],
  [
    'formulas instead of values',
    `${header}\nA-1,=B7,9105550101,200 Hay St,Fayetteville,NC,28301\nA-2,Ana,9105550101,"=VLOOKUP(A2,Other!A:B,2)",Fayetteville,NC,28301\n`,
    [/column Name: "=B7" is a formula/, /is a formula/],
  ],
  [
    'phones of a sheet',
    `${header}\n${['9105550101.0', '001 910 555 0101', '9.105550101E+09', '9.10555E+09', '555-0107', '910-555-0108 / 910-555-0109'].map((phone, at) => `A-${at},Ana,${phone},200 Hay St,Fayetteville,NC,28301`).join('\n')}\n`,
    [
      { phone: '+19105550101' },
      { phone: '+19105550101' },
      { phone: '+19105550101' },
      /lost its digits/,
      /has no area code/,
      /holds several numbers/,
    ],
  ],
  [
    'amounts and weights',
    `${header},Order Total,Weight (lb),Qty\n${['-0.00,12 oz,x2', '"$1,234.50",1 lb 4 oz,2 pcs', 'free,2.5 kg,-', '1.234,1,1', '($5.00),1,1', '12,1,many'].map((cells, at) => `A-${at},Ana,9105550101,200 Hay St,Fayetteville,NC,28301,${cells}`).join('\n')}\n`,
    [
      { package: { valueCents: 0, weightGrams: 340, itemsCount: 2 } },
      { package: { valueCents: 123_450, weightGrams: 567, itemsCount: 2 } },
      { package: { valueCents: 0, weightGrams: 2_500 } },
      /"1\.234" is not an amount/,
      /is negative/,
      /column Qty: "many" is not a number of items/,
    ],
  ],
  [
    'a day and a window in two columns',
    `${header},Delivery date,Delivery time\n${['11/30/2036,3:00 PM - 5:00 PM', '"Nov 30, 2036",3-5 PM', '11/30/2036,11-1 PM', '11/30/2036,soon'].map((cells, at) => `A-${at},Ana,9105550101,200 Hay St,Fayetteville,NC,28301,${cells}`).join('\n')}\n`,
    [
      { window: { start: '2036-11-30T20:00:00.000Z', end: '2036-11-30T22:00:00.000Z' } },
      { window: { start: '2036-11-30T20:00:00.000Z', end: '2036-11-30T22:00:00.000Z' } },
      { window: { start: '2036-11-30T16:00:00.000Z', end: '2036-11-30T18:00:00.000Z' } },
      /"11\/30\/2036 soon" is not a time/,
    ],
  ],
  ...[
    'Date,Window',
    'Day,Time',
    'Checkout Form: Delivery date,Checkout Form: Delivery time',
    'Fecha,Hora',
    'Date,Time frame',
  ].map(
    (names): Sheet => [
      `a day and a window in the columns ${names}`,
      `${header},${names}\n${ana},11/30/2036,3-5 PM\n${ana.replace('A-1', 'A-2')},11/30/2036,\n`,
      [
        { window: { start: '2036-11-30T20:00:00.000Z', end: '2036-11-30T22:00:00.000Z' } },
        /"11\/30\/2036" is not a time/,
      ],
    ],
  ),
  ...['Promised Time', 'Needed by'].map(
    (name): Sheet => [
      `one time in the column ${name}`,
      `${header},Opened,${name}\n${ana},11/29/2036 9:02 AM,11/30/2036 5:00 PM\n`,
      [{ window: { end: '2036-11-30T22:00:00.000Z' } }],
    ],
  ),
  ...['Time Wanted', 'Scheduled for', 'When'].map(
    (name): Sheet => [
      `a window in the column ${name}`,
      `${header},Time Placed,${name}\n${ana},11/29/2036 9:02 AM,11/30/2036 3-5 PM\n`,
      [{ window: { start: '2036-11-30T20:00:00.000Z', end: '2036-11-30T22:00:00.000Z' } }],
    ],
  ),
  [
    'names in a column that could be a time, beside a day and a time',
    `Order,Deliver to,Phone,Address,Delivery date,Time\nA-1,Ana Cole,9105550101,"${door}",11/30/2036,3-5 PM\n`,
    [{ name: 'Ana Cole', window: { start: '2036-11-30T20:00:00.000Z', end: '2036-11-30T22:00:00.000Z' } }],
  ],
  [
    'counts and weights beside amounts',
    `${header},Total order quantity,Total weight,Total tax,Order Total\n${ana},2,3,1.20,45\n`,
    [{ package: { valueCents: 4_500, weightGrams: 3 } }],
  ],
  [
    'notes of the staff and with a gift, beside one of the customer',
    `${header},Staff Notes,Gift Message,Customer Message,Internal comments\n${ana},VIP,Love,Ring twice,pays late\n`,
    [{ instructions: 'Ring twice' }],
  ],
  ['notes of the staff alone', `${header},Private Notes,Seller note\n${ana},VIP,late\n`, [{ instructions: undefined }]],
  [
    'a note to the driver beside others',
    `${header},Notes,Checkout Form: Note to driver\n${ana},blue box,Ring twice\n`,
    [{ instructions: 'Ring twice' }],
  ],
  [
    'short names of a till',
    `Olo Ref,Cust,Contact Number,Address,Grat\nA-1,Ana Cole,9105550101,"${door}",4.00\n`,
    [{ reference: 'A-1', name: 'Ana Cole', phone: '+19105550101', tip: 400 }],
  ],
  [
    'a day beside start and end',
    `${header},Delivery date,From,To\n${ana},11/30/2036,3:00 PM,5:00 PM\n`,
    [{ window: { start: '2036-11-30T20:00:00.000Z', end: '2036-11-30T22:00:00.000Z' } }],
  ],
  [
    'times with named months and clocks',
    `${header},Start\n${['"Sunday, November 30, 2036 at 3:00 PM"', '30-Nov-2036 15:00', '11/30/2036 3:00 PM CST', '30/11/2036 15:00'].map((cells, at) => `A-${at},Ana,9105550101,200 Hay St,Fayetteville,NC,28301,${cells}`).join('\n')}\n`,
    [
      { window: { start: '2036-11-30T20:00:00.000Z' } },
      { window: { start: '2036-11-30T20:00:00.000Z' } },
      { window: { start: '2036-11-30T15:00:00-06:00' } },
      /"30\/11\/2036 15:00" begins with its day/,
    ],
  ],
  [
    'cancelled, refunded and picked-up orders',
    `${header},Order Status,Order type\n${ana},paid,Delivery\nA-2,Ben,9105550102,1 A St,Fayetteville,NC,28301,Canceled,Delivery\nA-3,Cy,9105550103,1 A St,Fayetteville,NC,28301,paid,Pickup\nA-4,Di,9105550104,1 A St,Fayetteville,NC,28301,REFUNDED,Delivery\n`,
    [{ reference: 'A-1' }],
  ],
  [
    'objects of JSON',
    '[{"Order":1001,"Name":"Ana Cole","Phone":"9105550101","Address":"200 Hay St","City":"Fayetteville","State":"NC","Zip":"28301"}]',
    [{ reference: '1001', address: door }],
  ],
  [
    'amounts of an API in cents',
    'external_delivery_id,dropoff_contact_given_name,dropoff_contact_family_name,dropoff_phone_number,dropoff_address,order_value,tip\nD-1,Ana,Cole,+19105550101,"200 Hay St, Fayetteville, NC 28301",4550,300\n',
    [{ name: 'Ana Cole', package: { valueCents: 4_550 }, tip: 300 }],
  ],
  [
    'items with a sum in the first row',
    `${header},Item,Quantity\n${ana},,3\nA-1,,,,,,,Mug,2\nA-1,,,,,,,Plate,1\n`,
    [{ package: { description: 'Mug, Plate', itemsCount: 3 } }],
  ],
]

interface Checked {
  outcome: string
  clientOrderReference: string | null
  body: {
    dropoff: Record<string, unknown>
    package?: unknown
    tipAmountCents?: number
    timeWindows?: { dropoff?: unknown }
  } | null
  error: { message: string } | null
}

function partsOf({ clientOrderReference, body }: Checked) {
  const { contactName, contactPhone, address, instructions } = body?.dropoff ?? {}
  return {
    reference: clientOrderReference,
    name: contactName,
    phone: contactPhone,
    address,
    instructions,
    package: body?.package,
    tip: body?.tipAmountCents,
    window: body?.timeWindows?.dropoff,
  }
}

describe('Sheets that nobody has mapped', () => {
  test.each(sheets)('%s: each order is the one that is meant, or is refused', async (_, text, meant) => {
    const cli = createCli()
    const [file, map] = [join(cli.home, 'sheet.csv'), join(cli.home, 'map.json')]
    writeFileSync(file, text)
    const mapped = await cli.run(['deliveries', 'map', file])
    expect([mapped.exitCode, mapped.stderr]).toMatchObject([0, expect.not.stringContaining('dropoff.address: --to')])
    writeFileSync(map, mapped.stdout)
    const words = ['--file', file, '--map-file', map, '--store', 'STORE-001', '--dry-run', '-o', 'json']
    const { stdout } = await cli.run(['deliveries', 'create', ...words])
    const rows = JSON.parse(stdout) as Checked[]
    const found = rows.map((row) => (row.outcome === 'ready' ? partsOf(row) : (row.error?.message ?? '')))
    expect(found).toEqual(
      meant.map((each) => (each instanceof RegExp ? expect.stringMatching(each) : expect.objectContaining(each))),
    )
  })

  test('files that hold no table say what they are and how to go on', async () => {
    const cli = createCli()
    const file = join(cli.home, 'sheet.csv')
    const rows = `${header}\n${ana}\n`
    const refused: [Buffer, string][] = [
      [Buffer.from(rows, 'utf16le'), '--encoding utf-16le'],
      [
        Buffer.concat([
          Buffer.from([0xff, 0xfe, 0, 0]),
          Buffer.from([...rows].map((one) => `${one}\0`).join(''), 'utf16le'),
        ]),
        'is UTF-32',
      ],
      [Buffer.from(rows.replace('Ana', 'Jos\xe9'), 'latin1'), '--encoding windows-1252, or macintosh'],
      [Buffer.from(rows.replaceAll(',', '^')), 'a first line sep=^ names another separator'],
      [Buffer.from('\n\n'), 'is empty'],
      [Buffer.from(`${ana}\n${ana}\n`), 'no line with the names of its columns'],
    ]
    for (const [bytes, said] of refused) {
      writeFileSync(file, bytes)
      expect(await cli.run(['deliveries', 'map', file])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(said),
      })
    }
  })

  test('columns of one name are told apart by their number, and what a sheet says of its times is not left out unsaid', async () => {
    const cli = createCli()
    const file = join(cli.home, 'sheet.csv')
    writeFileSync(file, `${header},Name,Delivery window\n${ana},Pay Er,11/30/2036 3-5 PM\n`)
    const { stderr } = await cli.run(['deliveries', 'map', file])
    expect(stderr).toContain('"Name (1)" (Ana Cole), "Name (2)" (Pay Er)')
    // A column of accounts is mapped as in create, and an order's number is no code.
    const byAccount = await cli.run(['deliveries', 'map', file, '--map', 'Delivery window=profile'])
    expect([byAccount.exitCode, byAccount.stdout]).toEqual([0, expect.stringContaining('"Delivery window": "profile"')])
    expect((await cli.run(['explain', '506'])).stderr).toContain('dlv explain ref:506')
    const create = (name: string) =>
      cli.run(
        [
          'deliveries',
          'create',
          '--file',
          file,
          '--us-phones',
          '--store',
          'STORE-001',
          '--dry-run',
          '-o',
          'json',
        ].concat(
          [
            `${name}=dropoff.contactName`,
            'Order=clientOrderReference',
            'Phone=dropoff.contactPhone',
            'Address+City+State+Zip=dropoff.address',
          ].flatMap((pair) => ['--map', pair]),
        ),
      )
    const second = await create('Name (2)')
    expect(JSON.parse(second.stdout)).toMatchObject([{ body: { dropoff: { contactName: 'Pay Er' } } }])
    expect(second.stderr).toContain('The column "Delivery window" is left out, so that these orders go out now')
    const both = await create('Name')
    expect(JSON.parse(both.stdout)).toMatchObject([
      {
        error: {
          message: expect.stringContaining('2 columns have this name'),
          hint: expect.stringContaining('--map "Name (2)=dropoff.contactName"'),
        },
      },
    ])
  })
})
