import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../../support/cli/program.js'

/** Answers the questions of a person's `deliveries map`; its exit code, and the mapping that it prints. */
async function answered(
  person: ReturnType<Cli['startAsking']>,
  answers: readonly (readonly [asked: string, typed: string])[],
): Promise<[exitCode: number | null, map: unknown]> {
  let seen = 0
  for (const [asked, typed] of answers) {
    await person.shows(asked)
    await expect.poll(() => person.screen().indexOf(asked, seen)).toBeGreaterThan(-1)
    seen = person.screen().indexOf(asked, seen) + asked.length
    await expect.poll(() => person.screen().slice(seen)).toContain('): ')
    seen = person.screen().length
    person.type(`${typed}\r`)
  }
  const { exitCode } = await person.ended
  const printed = /\{\s*"columns".*\n\s*\}/s.exec(person.screen())?.[0] ?? ''
  return [exitCode, JSON.parse(printed)]
}

const door = ['200 Hay St, Apt 4, Fayetteville, NC 28301', '418 Ramsey St, Fayetteville, NC 28301']

/** Exports as these shops write them, with the reference of their first order, and what stands in a line that is added. */
const exports: [shop: string, file: string, first: string, second: string][] = [
  ['Shopify', 'shopify.csv', '#1001', '#1002'],
  ['WooCommerce', 'woocommerce.csv', '2001', '2002'],
  ['Etsy', 'etsy.csv', '3000000001', '3000000002'],
  ['eBay', 'ebay.csv', '04-00001-10001', '04-00002-10002'],
  ['Amazon', 'amazon.txt', '111-0000001-0000001', '111-0000002-0000002'],
  ['Square', 'square.csv', 'S-1001', 'S-1002'],
  ['Onfleet', 'onfleet.csv', 'T-1001', 'T-1002'],
]

interface Ready {
  clientOrderReference: string
  outcome: string
  body: { dropoff: Record<string, string>; package?: Record<string, unknown>; timeWindows?: unknown }
}

describe('dlv deliveries map', () => {
  test.each(exports)('maps an export of %s, and sends each of its orders once', async (shop, name, first, second) => {
    const cli = createCli()
    const given = readFileSync(join('examples', 'exports', name), 'utf8')
    const map = join(cli.home, 'map.json')
    const mapped = await cli.run(['deliveries', 'map', join('examples', 'exports', name)])
    expect([mapped.exitCode, mapped.stderr]).toEqual([0, expect.stringContaining(`Looks like an export of ${shop}.`)])
    writeFileSync(map, mapped.stdout)
    if (shop === 'Etsy') expect(mapped.stderr).toContain('No column for dropoff.contactPhone: --phone PHONE sets it.')
    let exported = 0
    const create = (text: string, ...more: string[]) => {
      const file = join(cli.home, `${++exported}-${name}`)
      writeFileSync(file, text)
      const words = ['--file', file, '--map-file', map, '--store', 'STORE-001', '-o', 'json']
      return cli.run([
        'deliveries',
        'create',
        ...words,
        ...(shop === 'Etsy' ? ['--phone', '+19105550100'] : []),
        ...more,
      ])
    }
    const dry = await create(given, '--dry-run')
    const rows = JSON.parse(dry.stdout) as Ready[]
    // The third order of each is cancelled, shipped or picked up.
    expect(rows.map(({ clientOrderReference, outcome }) => [clientOrderReference, outcome])).toEqual([
      [first, 'ready'],
      [second, 'ready'],
    ])
    const isCapital = /etsy|amazon/.test(name)
    expect(rows.map(({ body }) => [body.dropoff.contactName, body.dropoff.address])).toEqual([
      ['Ana Cole', isCapital ? door[0]?.replace('Fay', 'FAY').replace('etteville', 'ETTEVILLE') : door[0]],
      ['Ben Ode', isCapital ? door[1]?.replace('Fay', 'FAY').replace('etteville', 'ETTEVILLE') : door[1]],
    ])
    if (shop !== 'Onfleet') expect(rows[0]?.body.package?.itemsCount).toBe(3)
    const known = async (text: string) => {
      expect((await create(text)).exitCode).toBe(0)
      const list = await cli.json<unknown[]>(['deliveries', 'list', '--all', '--from', '1d'])
      return list.length
    }
    expect(await known(given)).toBe(2)
    expect(await known(given)).toBe(2)
    const lines = given.split('\n')
    const without = lines.filter((line) => !line.includes(second))
    const added = lines.flatMap((line) =>
      line.includes(second) ? [line, line.replaceAll(second, `${second}9`)] : [line],
    )
    expect(await known(without.join('\n'))).toBe(2)
    expect(await known(added.join('\n'))).toBe(3)
    expect(await known(given)).toBe(3)
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

  test('proposes to leave out what a status says is called off or done, in each language', async () => {
    const cli = createCli()
    const file = join(cli.home, 'states.csv')
    const cases: [column: string, values: string[], ended: string[]][] = [
      [
        'Status',
        ['completed', 'Ready', 'Canceled - customer', 'Picked up'],
        ['completed', 'Canceled - customer', 'Picked up'],
      ],
      ['Bestellstatus', ['Storniert', 'Abgeschlossen', 'In Bearbeitung'], ['Storniert', 'Abgeschlossen']],
      ['Estado del pedido', ['Cancelado', 'Entregada', 'Pendiente'], ['Cancelado', 'Entregada']],
      ['Statut de la commande', ['Annul\u00e9e', 'Livr\u00e9', 'En cours'], ['Annul\u00e9e', 'Livr\u00e9']],
      ["Stato dell'ordine", ['Annullato', 'Evaso', 'In lavorazione'], ['Annullato', 'Evaso']],
      ['Bestelstatus', ['Geannuleerd', 'Voltooid', 'In behandeling'], ['Geannuleerd', 'Voltooid']],
      ['Payment status', ['completed', 'Refunded', 'paid'], ['Refunded']],
      ['Storniert am', ['11/24/2026', ''], ['*']],
      ['Cancelled', ['yes', 'no', ''], ['yes']],
      ['Status', ['Ready', 'Processing', 'Cancellation requested'], []],
    ]
    for (const [column, values, ended] of cases) {
      const rows = values.map((value, at) => `A-${at};Ana;+19105550101;"200 Hay St, Fayetteville, NC 28301";${value}`)
      writeFileSync(file, `Order no;Name;Mobile;Address;${column}\n${rows.join('\n')}\n`)
      const { stdout } = await cli.run(['deliveries', 'map', file])
      const { leaveOut } = JSON.parse(stdout) as { leaveOut?: Record<string, string[]> }
      expect([column, leaveOut]).toEqual([column, ended.length === 0 ? undefined : { [column]: ended }])
    }
  })

  test('asks again for a column that does not exist, for one that is taken, and for what is no address; < goes back', async () => {
    const cli = createCli()
    const file = join(cli.home, 'wide.csv')
    const more = Array.from({ length: 55 }, (_, at) => `Field ${at + 1}`)
    const values = more.map((_, at) => `v${at}`).join(',')
    writeFileSync(
      file,
      `Tag,Client,Where to,Tel,${more.join(',')}\nJ-1,Ana Cole,"200 Hay St, Fayetteville, NC 28301",9105550101,${values}\n`,
    )
    const person = cli.startAsking(['deliveries', 'map', file])
    const answers: [asked: string, typed: string][] = [
      ['clientOrderReference:', '99'],
      ['There is no column 99: the numbers are 1 to 57.', 'Jobs'],
      ['"Jobs" is none of the columns', 'field 40'],
      ['pickup.storeReference:', '<'],
      ['clientOrderReference:', '1'],
      ['pickup.storeReference:', 'STORE-001'],
      ['dropoff.address:', '1'],
      ['The column "Tag" is clientOrderReference already', '0'],
      ['There is no column 0', '200 Hay St'],
      ['"200 Hay St" is none of the columns, and no address', 'Where to'],
    ]
    expect(await answered(person, answers)).toMatchObject([
      0,
      {
        columns: { Tag: 'clientOrderReference', 'Where to': 'dropoff.address', Client: 'dropoff.contactName' },
        values: { 'pickup.storeReference': 'STORE-001' },
      },
    ])
  })

  test('names the column that may be the city of addresses without one, whatever it is called', async () => {
    const cli = createCli()
    const file = join(cli.home, 'area.csv')
    const row = (at: number, area: string, zip: string) =>
      `J-${at},STORE-001,Ana Cole,9105550101,${at} Hay St,Apt ${at},NC,${zip},${area},blue,Ann`
    writeFileSync(
      file,
      [
        'Order,Store,Name,Phone,Street,Apt,State,ZIP,Area,Colour,Taken by',
        row(1, 'Fayetteville', '28301'),
        row(2, 'Spring Lake', '28390'),
        row(3, 'Fayetteville', '28301'),
      ].join('\n'),
    )
    const { stderr } = await cli.run(['deliveries', 'map', file])
    expect(stderr).toContain(
      '3 of 3 rows have no city between their street and state or ZIP code; "Area" (Fayetteville) may be it: --map "Street+Apt+Area+State+ZIP=dropoff.address".',
    )
    const told = await cli.run(['deliveries', 'map', file, '--map', 'Street+Apt+Area+State+ZIP=dropoff.address'])
    expect(told.stderr).not.toContain('no city')
  })

  test('asks for the time of orders, whatever its column is called, and says in a pipe that they go out now', async () => {
    const cli = createCli()
    const file = join(cli.home, 'timed.csv')
    writeFileSync(
      file,
      'Order,Store,Name,Phone,Address,Paid on,Drop\nJ-1,STORE-001,Ana Cole,9105550101,"200 Hay St, Fayetteville, NC 28301",11/28/2036,11/30/2036 3-5 PM\n',
    )
    const piped = await cli.run(['deliveries', 'map', file])
    expect(piped.stderr).toContain(
      '"Drop" (11/30/2036 3-5 PM) may say when orders are wanted; without a window they go out now.',
    )
    expect(piped.stderr).not.toContain('"Paid on" (')
    const person = cli.startAsking(['deliveries', 'map', file])
    await person.shows('timeWindows.dropoff: a column by its number or name, two as 8+9 (Enter leaves it open')
    person.type('at 5\r')
    await person.shows('"at 5" is none of the columns that are not mapped, which say when')
    person.type('drop\r')
    await person.ended
    expect(person.screen()).toMatch(/"Drop": "timeWindows.dropoff"[^}]*\}[^}]*"usTimes": "store"/)
  })

  test('joins columns that are answered as 8+9 or Name+Name, takes no numbers for a value, and says the values', async () => {
    const cli = createCli()
    const file = join(cli.home, 'parts.csv')
    writeFileSync(
      file,
      'Tag,Given,Family,Road,Town,Tel,C+D\nJ-1,Ana,Cole,200 Hay St,"Fayetteville, NC 28301",9105550101,x\n',
    )
    const person = cli.startAsking(['deliveries', 'map', file, '--map', 'Tel=dropoff.contactPhone'])
    const answers: [asked: string, typed: string][] = [
      ['clientOrderReference:', '1'],
      ['pickup.storeReference:', '104 52'],
      ['"104 52" is none of the columns, and no value for all orders', '10452'],
      ['dropoff.contactName:', '2+9'],
      ['There is no column 9', '2+'],
      ['"2+" joins nothing', '2+2'],
      ['joins the column "Given" to itself', '2+C+D'],
      ['"C" of "2+C+D" is not a column', '1+2'],
      ['The column "Tag" is clientOrderReference already', '2 + 3'],
      ['dropoff.address:', 'Road+3'],
      ['The column "Family" is dropoff.contactName already', 'road+Town'],
    ]
    expect(await answered(person, answers)).toMatchObject([
      0,
      {
        columns: { Tag: 'clientOrderReference', 'Given+Family': 'dropoff.contactName', 'Road+Town': 'dropoff.address' },
        values: { 'pickup.storeReference': '10452' },
      },
    ])
    expect(person.screen()).toContain('pickup.storeReference is 10452 in all orders that lack it.')
  })
})
