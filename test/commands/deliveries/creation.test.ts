import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { sentOf } from '../../support/cli/sent-ledger.js'
import { jsonLines } from '../../support/json-lines.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

/** A morning at the stores: orders have quotes. */
const morningMs = Date.parse('2026-03-02T15:00:00Z') - performance.now()
let aheadMs = 0
const sandbox = serveSandbox({ clock: { now: () => morningMs + aheadMs + performance.now() } })
const cli = createCli(afterAll)
const run = (words: string[], env: NodeJS.ProcessEnv = {}) => cli.run(words, { env: { ...sandbox.env(), ...env } })
const get = async (reference: string) => JSON.parse((await run(['deliveries', 'get', reference, '--json'])).stdout)
let files = 0

function file(content: string | Buffer, ending = 'csv'): string {
  const path = join(cli.home, `input-${++files}.${ending}`)
  writeFileSync(path, content)
  return path
}

const create = (...flags: string[]) => run(['deliveries', 'create', ...flags])

describe("A spreadsheet's CSV", () => {
  const header = 'Bestellnummer;Kunde;Telefon;Straße, Nr.;Ort;Land;PLZ;Anzahl;Bemerkung;'
  const sheet = (...rows: string[]) => file(`\uFEFF${[header, ...rows].join('\r\n')}\r\n`)
  const map = [
    ...[
      '--map',
      'Bestellnummer=clientOrderReference',
      '--map',
      'kunde=dropoff.contactName,Telefon=dropoff.contactPhone',
    ],
    ...[
      '--map',
      'Straße, Nr.=dropoff.address.line1',
      '--map',
      'Ort=dropoff.address.city',
      '--map',
      'Land=dropoff.address.state',
    ],
    ...['--map', 'PLZ=dropoff.address.postalCode', '--map', 'package.itemsCount=Anzahl', '--store', 'STORE-001'],
  ]

  it('with headers of its own, semicolons and a byte order mark creates deliveries', async () => {
    const name = sheet(
      'SHEET-1;Zoë Müller;+19105550147;418 Ramsey Street;Fayetteville;NC;28301;3;"Bitte; klingeln";',
      'SHEET-2;"Max ""M"" Muster";+19105550148;200 Hay St;Fayetteville;NC;28301;;;',
    )
    const { exitCode, stderr } = await create('--file', name, ...map)
    expect(stderr).toContain('Columns left out: Bemerkung.')
    expect(stderr).toMatch(/2 created for \$\d+\.\d\d\./)
    expect(exitCode).toBe(0)
    expect((await get('SHEET-1')).dropoff).toEqual({
      address: { line1: '418 Ramsey Street', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
      contactName: 'Zoë Müller',
      contactPhone: '+19105550147',
    })
    expect((await get('SHEET-2')).dropoff.contactName).toBe('Max "M" Muster')
    const again = await create('--file', name, ...map)
    expect(again.stderr).toContain('2 created (2 of them in an earlier run)')
  })

  it('is quoted with the same columns, and updated by reference', async () => {
    const name = sheet('SHEET-3;Ann;+19105550147;418 Ramsey Street;Fayetteville;NC;28301;3;;')
    const { stdout, exitCode } = await run(['quotes', 'create', '--file', name, ...map, '-o', 'ndjson'])
    expect(JSON.parse(stdout)).toMatchObject({ row: 1, clientOrderReference: 'SHEET-3', outcome: 'quoted' })
    expect(exitCode).toBe(0)
    await create('--file', name, ...map)
    const changes = file('\uFEFFNr;Hinweis\r\nSHEET-3;Ring twice\r\n')
    const words = [
      'deliveries',
      'update',
      '--file',
      changes,
      '--map',
      'Nr=clientOrderReference',
      '--map',
      'Hinweis=dropoff.instructions',
    ]
    expect((await run(words)).exitCode).toBe(0)
    expect((await get('SHEET-3')).dropoff.instructions).toBe('Ring twice')
  })

  it.each([
    ['a column that is not there', ['Order=clientOrderReference'], 'The header has no column "Order"'],
    ['no pair', ['Kunde'], '--map expects THEIRS=PATH'],
    ['no field', ['Kunde=dropoff.fullName'], '--map: "dropoff.fullName" is not a field of an order.'],
    [
      'a column twice',
      ['Kunde=dropoff.contactName', 'Kunde=package.description'],
      'the column "Kunde" is mapped twice',
    ],
    [
      'two columns of one field',
      ['Kunde=dropoff.contactName', 'Ort=dropoff.contactName'],
      'The column "dropoff.contactName" appears twice',
    ],
    ['a forbidden name', ['Kunde=metadata.__proto__'], 'is not a field of the request'],
  ])('is refused with a map of %s', async (_name, pairs, message) => {
    const { exitCode, stderr } = await create('--file', sheet('1;2'), ...pairs.flatMap((pair) => ['--map', pair]))
    expect(stderr).toContain(message)
    expect(exitCode).toBe(2)
  })

  it('is what --map is for: not an order without these columns, and not one of flags', async () => {
    expect((await create('--file', 'examples/order.json', '--map', 'a=clientOrderReference')).stderr).toContain(
      'The header has no column "a"',
    )
    expect((await create('--store', 'STORE-001', '--map', 'a=clientOrderReference')).stderr).toContain(
      'add --file FILE',
    )
  })

  it('without a map names the way out', async () => {
    expect((await create('--file', sheet('1;2'))).stderr).toContain('dlv deliveries map FILE > map.json proposes')
  })
})

describe('deliveries create --from', () => {
  it('makes a delivery like an earlier one, and the same one again for the same command', async () => {
    const more = ['--room', '214', '--instructions', 'Ring twice']
    await create('--file', 'examples/order.json', '--ref', 'FROM-1', ...more)
    const { exitCode, stderr } = await create('--from', 'FROM-1')
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('Like FROM-1, with the reference FROM-1-r2.')
    expect(stderr).not.toContain('not copied')
    const [first, second] = [await get('FROM-1'), await get('FROM-1-r2')]
    expect(second.dropoff).toEqual(first.dropoff)
    expect(second.pickup).toEqual(first.pickup)
    expect(second.pricing.tipAmountCents).toBe(first.pricing.tipAmountCents)
    expect((await create('--from', 'FROM-1')).stderr).toContain('nothing was dispatched')
    expect((await create('--from', second.deliveryId)).stderr).toContain('FROM-1-r3')
  })

  it('carries window, package and checks of an order that was sent from here', async () => {
    const [from, to] = ['2026-03-02T20:00:00Z', '2026-03-02T21:00:00Z']
    await create(
      '--file',
      'examples/order.json',
      '--ref',
      'FROM-5',
      '--window',
      `${from}/${to}`,
      '--verify',
      'signature',
    )
    const likeIt = async (env: NodeJS.ProcessEnv = {}) => {
      const words = ['deliveries', 'create', '--from', 'FROM-5', '--dry-run', '--json']
      const { stdout, stderr } = await cli.run(words, { env: { ...sandbox.env(), ...env } })
      return { body: JSON.parse(stdout).body, stderr }
    }
    const here = await likeIt()
    expect(here.body).toMatchObject({
      clientOrderReference: 'FROM-5-r2',
      timeWindows: { deliveryMode: 'scheduled', dropoff: { start: '2026-03-02T20:00:00.000Z' } },
      verification: { dropoff: { photo: { level: 'preferred' }, signature: { level: 'required' } } },
      handling: { handoff: 'hand_to_recipient' },
    })
    expect(here.body.package).toEqual({
      itemsCount: 14,
      valueCents: 6480,
      weightGrams: 7200,
      contains: ['perishable_cold_chain'],
      description: 'Two bags of groceries',
    })
    aheadMs = Date.parse(to) - Date.parse('2026-03-02T15:00:00Z')
    const later = await likeIt()
    aheadMs = 0
    expect(later.body).not.toHaveProperty('timeWindows')
    expect(later.stderr).toContain(
      'Its window is over and not copied: without --window the new order is dispatched at once.',
    )
    const elsewhere = await likeIt({ DLV_DATA_DIR: join(cli.home, 'elsewhere') })
    expect(elsewhere.body).not.toHaveProperty('package')
    expect(elsewhere.stderr).toContain(
      'they are not copied: timeWindows, package, dispatch, verification, handling, metadata.',
    )
  })

  it('takes another reference and other fields from flags', async () => {
    await create('--from', 'FROM-1', '--ref', 'FROM-9', '--name', 'Someone Else', '--tip-cents', '0')
    expect(await get('FROM-9')).toMatchObject({
      dropoff: { contactName: 'Someone Else' },
      pricing: { tipAmountCents: 0 },
    })
  })

  it('ends with 4 for an unknown delivery, and refuses a file beside it', async () => {
    expect((await create('--from', 'NO-SUCH')).exitCode).toBe(4)
    expect((await create('--from', 'FROM-1', '--file', 'examples/order.json')).exitCode).toBe(2)
  })
})

describe('The price before the order', () => {
  const order = ['--file', 'examples/order.json']

  it('--cheapest orders the cheapest quote', async () => {
    const { quotes } = await cli.json<{ quotes: { totalPriceCents: number }[] }>(['quotes', 'create', ...order], {
      env: sandbox.env(),
    })
    const least = Math.min(...quotes.map((quote) => quote.totalPriceCents))
    const { stdout, stderr } = await create(
      ...order,
      '--ref',
      'PRICE-1',
      '--cheapest',
      '--jq',
      '.pricing.deliveryFeeCents',
    )
    expect(Number(stdout)).toBe(least)
    expect(stderr).toContain(`Cheapest quote: $${(least / 100).toFixed(2)} by `)
    // Another quote of the same order is no other order.
    const again = await create(...order, '--ref', 'PRICE-1', '--cheapest')
    expect(again.stderr).toContain('This order already exists; nothing was dispatched.')
    const elsewhere = createCli()
    const words = ['deliveries', 'create', ...order, '--ref', 'PRICE-1', '--cheapest']
    const { stderr: others } = await elsewhere.run(words, { env: sandbox.env() })
    expect(others).toContain('This order already exists; nothing was dispatched.')
  })

  it('--max-price dispatches nothing that costs more', async () => {
    const { exitCode, stderr } = await create(...order, '--ref', 'PRICE-2', '--max-price', '5', '--json')
    expect(exitCode).toBe(9)
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'PRICE_ABOVE_MAXIMUM', exitCode: 9 })
    expect((await run(['deliveries', 'get', 'PRICE-2'])).exitCode).toBe(4)
    expect((await create(...order, '--ref', 'PRICE-2', '--max-price', '99.50')).exitCode).toBe(0)
  })

  it('says if there is no quote (6), or the account has none (3)', async () => {
    const none = await create(...order, '--ref', 'PRICE-3', '--cheapest', '--store', 'STORE-NOQUOTE-CAPACITY')
    expect(none.exitCode).toBe(6)
    expect(none.stderr).toContain('(NO_QUOTE)')
    const without = await run(
      ['deliveries', 'create', ...order, '--ref', 'PRICE-3', '--cheapest'],
      sandbox.env('dlvk_sbx_noquotes'),
    )
    expect(without.exitCode).toBe(3)
  })

  it.each(['abc', '-1', '9,75', '1.234', ''])('refuses %j as an amount', async (amount) => {
    const { exitCode, stderr } = await create(...order, `--max-price=${amount}`)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--max-price')
  })

  it('counts no order that has a quote of its own, and gives no two orders one quote', async () => {
    const row = (reference: string) => ({
      clientOrderReference: reference,
      pickup: { storeReference: 'STORE-001' },
      dropoff: { address: '200 Hay St, Fayetteville, NC 28301', contactName: 'Ann', contactPhone: '+19105550147' },
    })
    const one = file(JSON.stringify({ ...row('QUOTED-1'), quoteId: 'quo_MINE' }), 'json')
    const single = await create('--file', one, '--max-total', '99')
    expect(single).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('"quo_MINE"') })
    const rows = [{ ...row('QUOTED-2'), quoteId: 'quo_MINE' }, row('QUOTED-3')]
    const several = file(rows.map((value) => JSON.stringify(value)).join('\n'), 'ndjson')
    const many = await create('--file', several, '--max-total', '99', '--yes', '-o', 'ndjson')
    expect(many.exitCode).toBe(9)
    expect(jsonLines(many.stdout)).toMatchObject([
      { outcome: 'failed', error: { message: expect.stringContaining('"quo_MINE"') } },
      { outcome: 'created', clientOrderReference: 'QUOTED-3' },
    ])
    const shared = file(['QUOTED-4', 'QUOTED-5'].map((name) => JSON.stringify(row(name))).join('\n'), 'ndjson')
    expect(await create('--file', shared, '--quote', 'quo_MINE')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--quote is for one order'),
    })
    for (const name of ['QUOTED-1', 'QUOTED-2', 'QUOTED-4', 'QUOTED-5'])
      expect((await run(['deliveries', 'get', name])).exitCode).toBe(4)
  })

  it('holds for each row of a file, which is created once over two runs', async () => {
    const rows = ['PRICE-4', 'PRICE-5'].map((reference) => ({
      clientOrderReference: reference,
      pickup: { storeReference: reference === 'PRICE-4' ? 'STORE-001' : 'STORE-NOQUOTE-CAPACITY' },
      dropoff: { address: '200 Hay St, Fayetteville, NC 28301', contactName: 'Ann', contactPhone: '+19105550147' },
    }))
    const name = file(rows.map((row) => JSON.stringify(row)).join('\n'), 'ndjson')
    const first = await create('--file', name, '--cheapest', '-o', 'ndjson')
    const outcomes = jsonLines(first.stdout)
    expect(outcomes.sort((one, other) => one.row - other.row)).toMatchObject([
      { outcome: 'created', clientOrderReference: 'PRICE-4' },
      { outcome: 'failed', error: { code: 'NO_QUOTE' } },
    ])
    expect(first.exitCode).toBe(9)
    const other = await create(
      '--file',
      name,
      '--cheapest',
      '--results',
      join(cli.home, 'other.ndjson'),
      '-o',
      'ndjson',
    )
    expect(other.stdout).toContain('"outcome":"existing"')
  })
})

describe('What a quote promised', () => {
  it('is kept for the report, for one order and for the rows of a file', () => {
    const { orders, changes, quotes } = sentOf(cli)
    for (const reference of ['PRICE-1', 'PRICE-4']) {
      expect(orders.some((order) => order.reference === reference)).toBe(true)
      const change = changes.find((one) => one.reference === reference)
      const { quoteId } = JSON.parse(String(change?.line))
      expect(quoteId).toMatch(/^qot_/)
      expect(quotes.some(({ quote_id, dropoff_eta }) => quote_id === quoteId && dropoff_eta !== '')).toBe(true)
    }
  })
})

describe('deliveries create by hand', () => {
  it('without a terminal names what is missing and sends nothing', async () => {
    for (const flags of [[], ['--json'], ['--dry-run']]) {
      const { exitCode, stdout, stderr } = await create(...flags)
      expect(exitCode).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain('No order given. It needs --store, --to, --name, --phone and --ref.')
    }
  })

  it('asks on a terminal until each answer can be sent, shows the price, and dispatches after a yes', async () => {
    const words = ['deliveries', 'create', '--name', 'Maya', '--us-phones']
    const person = cli.startAsking(words, { env: sandbox.env(), columns: 120 })
    await person.shows('Store (pickup.storeReference)')
    person.type('STORE-001\r')
    await person.shows('Address (street, city, ST 12345):')
    person.type('nowhere\r')
    await person.shows('Expected street, city, ST 12345.')
    person.type('PO Box 12, Fayetteville, NC 28301\r')
    await person.shows('is a post office box, which no driver delivers to.')
    person.type('200 Hay St, Fayetteville, NC 28301\r')
    await person.shows("Recipient's phone")
    person.type('910\r')
    await person.shows('"910" is not E.164')
    person.type('(910) 555-0147\r')
    await person.shows('Order reference [ORDER-')
    person.type('n/a\r')
    await person.shows('"n/a" stands for a reference that is missing')
    person.type('\r')
    await person.shows('[y/N]')
    person.type('y\r')
    const { exitCode, stdout } = await person.ended
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /Dispatch ORDER-\S+ \(200 Hay St, Fayetteville, NC 28301; best quote \$\d+\.\d\d by [^)]*\)\?/,
    )
    expect(stdout).toMatch(/Contact .*Maya, \+19105550147/)
    expect(stdout).not.toContain("Recipient's name")
  })

  it('ends with 130 at Ctrl-C, and sends nothing after a no or without input', async () => {
    const given = [
      '--store',
      'STORE-001',
      '--to',
      '200 Hay St, Fayetteville, NC 28301',
      '--phone',
      '+19105550147',
      '--ref',
      'HAND-1',
    ]
    const start = () => cli.startAsking(['deliveries', 'create', ...given], { env: sandbox.env() })
    const interrupted = start()
    await interrupted.shows("Recipient's name")
    interrupted.type('\u0003')
    expect((await interrupted.ended).exitCode).toBe(130)
    const refused = start()
    await refused.shows("Recipient's name")
    refused.type('Ann\r')
    await refused.shows('[y/N]')
    refused.type('n\r')
    expect((await refused.ended).stdout).toContain('Nothing was sent.')
    const silent = cli.startAsking(['deliveries', 'create', '--no-input'], { env: sandbox.env() })
    expect(await silent.ended).toMatchObject({ exitCode: 2 })
    expect((await run(['deliveries', 'get', 'HAND-1'])).exitCode).toBe(4)
  })

  it.each([
    ['on an account without quotes', 'STORE-001', 'dlvk_sbx_noquotes', 'this account has no quotes'],
    ['for an order that nobody quotes', 'STORE-NOQUOTE-CAPACITY', 'dlvk_sbx_marketplace', 'NO_CAPACITY'],
  ])('asks without a price %s, and goes the way of --file', async (_, store, apiKey, why) => {
    const given = [
      '--store',
      store,
      '--to',
      '200 Hay St, Fayetteville, NC 28301',
      '--phone',
      '+19105550147',
      '--ref',
      `HAND-${apiKey}`,
    ]
    const person = cli.startAsking(['deliveries', 'create', ...given], { env: sandbox.env(apiKey), columns: 200 })
    await person.shows("Recipient's name")
    person.type('Ann\r')
    await person.shows('[y/N]')
    person.type('y\r')
    const { exitCode, stdout } = await person.ended
    expect(stdout).toContain(`not quoted (${why})`)
    expect(exitCode).toBe(0)
  })
})

describe('quotes create with several orders', () => {
  it('quotes each, the cheapest first, and ends with 9 if some failed', async () => {
    const order = (reference: string, store: string) =>
      JSON.stringify({
        clientOrderReference: reference,
        pickup: { storeReference: store },
        dropoff: { address: '200 Hay St, Fayetteville, NC 28301' },
        tipAmountCents: 100,
      })
    const name = file(
      [
        order('Q-1', 'STORE-001'),
        order('Q-2', 'STORE-UNKNOWN'),
        'nonsense',
        order('Q-4', 'STORE-NOQUOTE-CAPACITY'),
      ].join('\n'),
      'ndjson',
    )
    const { exitCode, stdout, stderr } = await run(['quotes', 'create', '--file', name, '-o', 'ndjson'])
    const rows = jsonLines(stdout)
    expect(rows).toMatchObject([
      { row: 1, clientOrderReference: 'Q-1', outcome: 'quoted', error: null },
      {
        row: 2,
        clientOrderReference: 'Q-2',
        outcome: 'failed',
        quotes: [],
        error: { code: 'INVALID_STORE_REFERENCE' },
      },
      { row: 3, clientOrderReference: null, outcome: 'failed', error: { code: 'INVALID_ROW' } },
      { row: 4, clientOrderReference: 'Q-4', outcome: 'none', noQuoteReason: 'NO_CAPACITY' },
    ])
    const prices = rows[0].quotes.map((quote: { totalPriceCents: number }) => quote.totalPriceCents)
    expect(prices).toEqual([...prices].sort((one, other) => one - other))
    expect(stderr).toContain(
      `1 quoted for $${(prices[0] / 100).toFixed(2)} at the cheapest, 1 without a quote, 2 failed.`,
    )
    expect(stderr).toContain('Not part of a quote, left out: tipAmountCents.')
    expect(exitCode).toBe(9)
    const ids = (await run(['quotes', 'create', '--file', name, '-q'])).stdout.split('\n')
    expect(ids[0]).toMatch(/^qot_/)
    const screen = await cli.run(['quotes', 'create', '--file', name, '--no-color'], {
      env: sandbox.env(),
      columns: 80,
    })
    expect(Math.max(...screen.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(screen.stdout).toContain('NO_CAPACITY')
  })
})
