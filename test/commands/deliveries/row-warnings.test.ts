import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { jsonLines } from '../../support/json-lines.js'
import { testOrder } from '../../support/orders.js'

const cli = createCli(afterAll)
let files = 0

const run = (...words: string[]) => cli.run(words)

function fileOf(content: string): string {
  const path = join(cli.home, `rows-${++files}`)
  writeFileSync(path, content)
  return path
}

const lines = (rows: readonly unknown[]) => fileOf(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
const warned = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('warning:'))

const onPost = { address: '1 Main St, Fort Bragg, NC 28310', contactName: 'Sam', contactPhone: '+19105550123' }
const zip =
  'dropoff.installation.code: ZIP 28310 holds FTBRAGG: a stop on the installation needs its code, or any driver is sent.'
const misspelt = 'tipAmountCent: is not a field of an order; did you mean "tipAmountCents"?'

test('A dry run says which references were sent from here before', async () => {
  const file = lines(['S-1', 'S-2'].map((reference) => testOrder(reference)))
  expect((await run('deliveries', 'create', '--file', file)).exitCode).toBe(0)
  const again = lines(['S-2', 'S-1', 'S-3'].map((reference) => testOrder(reference)))
  const { stderr } = await run('deliveries', 'create', '--file', again, '--dry-run')
  expect(stderr).toContain(
    '2 references, such as S-2, were sent from here before, and the same order is not sent twice',
  )
  const others = await run('deliveries', 'create', '--file', again, '--dry-run', '--new-key')
  expect(others.stderr).not.toContain('sent from here before')
})

describe('Rows that look wrong', () => {
  test('of addresses without a ZIP code, or with one of another state, are warned of', async () => {
    const dropoff = (address: string) => ({ ...onPost, address })
    const addresses = [
      '200 Hay St',
      '200 Hay St, Newport, RI 28301',
      '200 Hay St, Fayetteville, NC 28301',
      '1 Way, Nowhere, RI 99957',
      '99 Maxwell St Apt 4, Fayetteville 28301',
      '7 Elm St, Providence, 02903-1234',
      '412 Person St, Apt. 6-C, North Carolina, 28301',
      'Lot 17, 5600 Camden Rd, NC 28301',
      '412 Broadway NC 28301',
      '5 Oak Ave Unit 3, 28301',
      '5 Oak Ave Unit 3 Orchard Park NC 28301',
      '5 Oak Ave, Bldg 2, Kennett Square, NC 28301',
      '1 Main St, New York, 10001',
      '12 Main St Kennett Square PA 19348',
    ]
    const file = lines(addresses.map((address, at) => testOrder(`Z-${at}`, { dropoff: dropoff(address) })))
    const { stderr } = await run('deliveries', 'create', '--file', file, '--dry-run')
    expect(warned(stderr).slice(1)).toEqual([
      'warning: Line 1: dropoff.address: "200 Hay St" does not end with a state and a ZIP code, such as NC 28301; it may not be found.',
      'warning: Line 2: dropoff.address: the ZIP code 28301 is in NC, not in RI.',
      expect.stringMatching(
        /^warning: Lines 7-10: dropoff.address: "412 Person St, Apt. 6-C, North Carolina, 28301" has no city behind its street.*Also "Lot 17/,
      ),
    ])
    // The ZIP code of an address with a town tells its state.
    expect(stderr).toContain(
      '1 address gets the state of its ZIP code, NC, 1 address gets the state of its ZIP code, RI',
    )
    const stated = async (...words: string[]) => {
      const set = ['--set', 'dropoff.address.state=NC']
      const { stdout } = await run('deliveries', 'create', ...words, '--dry-run', '-o', 'json', ...set)
      return JSON.stringify(JSON.parse(stdout)).match(/"address":(".*?"|\{.*?\})/)?.[1]
    }
    const one = (address: string) => lines([testOrder('Z-20', { dropoff: dropoff(address) }), testOrder('Z-21')])
    expect(await stated('--file', one('77 Cool Spring St, FAYETTEVILLE 28305'))).toBe(
      '"77 Cool Spring St, FAYETTEVILLE, NC 28305"',
    )
    expect(await stated('--file', one('200 Hay St, 28301'))).toBe('"200 Hay St, NC 28301"')
    expect(await stated('--file', one('200 Hay St, Dillon, SC 28301'))).toBe(
      '{"line1":"200 Hay St","city":"Dillon","state":"NC","postalCode":"28301"}',
    )
  })

  test('of texts that a person would look at twice are warned of', async () => {
    const at = (street: string) => `${street}, Fayetteville, NC 28301`
    const parts = [
      { contactName: 'Ana Ruiz Apt 4B' },
      { contactName: 'Jos\u00c3\u00a9' },
      { contactName: 'Jos? Nu?ez' },
      { contactName: 'O&#39;Brien' },
      { contactPhone: '+19999999999' },
      { address: at('Hay St') },
      { address: at('35.0527 -78.8784') },
      { address: at('Hay St & Ramsey St') },
      { address: at('One Main Plaza'), contactName: 'Aptos Ruiz', instructions: 'Is it open? <3' },
    ]
    const file = lines(
      parts.map((part, row) => testOrder(`D-${row}`, { dropoff: { ...onPost, address: at('200 Hay St'), ...part } })),
    )
    const { stderr } = await run('deliveries', 'create', '--file', file, '--dry-run')
    const utf8 = 'has lost letters; save the sheet as UTF-8, or name its --encoding.'
    expect(warned(stderr).slice(1)).toEqual([
      'warning: Line 1: dropoff.contactName: "Ana Ruiz Apt 4B" ends with a unit, which belongs to the address.',
      `warning: Lines 2-3: dropoff.contactName: "Jos\u00c3\u00a9" ${utf8} Also "Jos? Nu?ez".`,
      'warning: Line 4: dropoff.contactName: "O&#39;Brien" holds marks of HTML, which a driver reads as they are.',
      'warning: Line 5: dropoff.contactPhone: "+19999999999" is hardly a phone; a driver cannot call it.',
      'warning: Line 6: dropoff.address: "Hay St" has no house number; it may not be found.',
      'warning: Line 7: dropoff.address: "35.0527 -78.8784" is a place in degrees, not a street; it may not be found.',
    ])
  })

  test('of notes that say when an order is wanted, without a window, are warned of', async () => {
    const now = 'and without a window the order goes out now'
    const notes = [
      'Please deliver after 5pm, thanks',
      'Leave at the side door, ring 2x. Delivered by Tom at 12 Oak',
      'Drop off Saturday',
      'Delivery Date: 2036/12/01\nDelivery Time: 3-5 PM',
      'Delivery 2nd floor, deliver by the gate at 5 Main',
    ]
    const dropoff = { ...onPost, address: '200 Hay St, Fayetteville, NC 28301' }
    const rows = notes.map((instructions, at) => testOrder(`N-${at}`, { dropoff: { ...dropoff, instructions } }))
    const timed = { deliveryMode: 'scheduled', dropoff: { start: '2036-12-01T20:00:00Z', end: '2036-12-01T22:00:00Z' } }
    const others = [{ deliveryMode: 'asap' }, timed].map((timeWindows, at) =>
      testOrder(`O-${at}`, { dropoff: { ...dropoff, instructions: notes[0] }, timeWindows }),
    )
    const json = await run('deliveries', 'create', '--file', lines([...rows, ...others]), '--dry-run')
    expect(warned(json.stderr).slice(1)).toEqual([
      `warning: Lines 1, 3-4: dropoff.instructions: says "deliver after 5pm", ${now}. Also "Drop off Saturday", "Delivery Date: 2036/12/01".`,
    ])
    const sheet = fileOf(
      `Order,To,Note Attributes,Window\n${['A', 'B'].map((name, at) => `${name}-1,"1 Main St, Cary, NC 27511","${notes[3]}",${at === 0 ? '' : '2036-12-01T20:00Z/2036-12-01T22:00Z'}`).join('\n')}\n`,
    )
    const map = 'Order=clientOrderReference,To=dropoff.address,Window=timeWindows.dropoff'
    const fixed = ['--store', 'STORE-001', '--name', 'Ann', '--phone', '+19105550123']
    const { stderr } = await run('deliveries', 'create', '--file', sheet, '--map', map, ...fixed, '--dry-run')
    expect(warned(stderr)).toContain(
      `warning: Line 2: the column "Note Attributes" says "Delivery Date: 2036/12/01", ${now}: give its times a column of their own.`,
    )
    expect((await run('deliveries', 'map', sheet)).stderr).not.toContain('tells when orders are wanted')
    const unmapped = fileOf(
      'Order,To,Notes,Note Attributes\nA-1,"1 Main St, Cary, NC 27511",x,Delivery Date: 2036/12/01\n',
    )
    expect((await run('deliveries', 'map', unmapped)).stderr).toContain('tells when orders are wanted ("Delivery Date')
  })

  test('of lines above rows that say a day, or that they are ended, are warned of, each below its own', async () => {
    const row = (name: string, window = '') => `${name},"1 Main St, Cary, NC 27511",${window}`
    const window = '2036-12-01T20:00Z/2036-12-01T22:00Z'
    const lines = [
      ...['Order,To,Window', row('L-1'), '"Tuesday, December 1, 2036",,', row('L-2'), row('L-3', window)],
      ...['Pickups:,,', row('L-4', window), 'Route 2,,', row('L-5'), 'CANCELLED,,', row('L-6')],
    ]
    const map = 'Order=clientOrderReference,To=dropoff.address,Window=timeWindows.dropoff'
    const fixed = ['--store', 'STORE-001', '--name', 'Ann', '--phone', '+19105550123', '--dry-run']
    const said = async (...more: string[]) => {
      const words = ['deliveries', 'create', '--file', fileOf(`${lines.join('\n')}\n`), '--map', map]
      return warned((await run(...words, ...fixed, ...more)).stderr).filter((line) => line.includes('stands below'))
    }
    const ended = [
      'warning: Line 7: stands below the line "Pickups:", which is no part of it, and the row is sent all the same: say it in a column.',
      'warning: Line 11: stands below the line "CANCELLED", which is no part of it, and the row is sent all the same: say it in a column.',
    ]
    expect(await said()).toEqual([
      'warning: Line 4: stands below the line "Tuesday, December 1, 2036", which is no part of it, and without a window the order goes out now: say it in a column.',
      ...ended,
    ])
    expect(await said('--window', window)).toEqual(ended)
  })

  test('of names of stores are warned of, and a map file gives them references, and single times a window', async () => {
    const rows = [
      testOrder('NS-1', { pickup: { storeReference: 'Hay Street' } }),
      testOrder('NS-2', { timeWindows: { deliveryMode: 'scheduled', dropoff: { start: '2036-11-25T20:00:00Z' } } }),
      testOrder('NS-3', { timeWindows: { deliveryMode: 'scheduled', dropoff: { end: '2036-11-25T20:00:00Z' } } }),
    ]
    const words = ['deliveries', 'create', '--file', lines(rows), '--dry-run', '-o', 'ndjson']
    const plain = await run(...words)
    expect(plain.stderr).toContain(
      'Line 1: pickup.storeReference: "Hay Street" looks like a store\'s name, not its reference; "stores": {"Hay Street": "STORE-001"} in --map-file',
    )
    const map = lines([{ stores: { 'hay street': 'STORE-007' }, windowLength: '90m' }])
    const { stdout, stderr } = await run(...words, '--map-file', map)
    expect(stderr).not.toContain('To check')
    const bodies = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).body)
    expect(bodies.map(({ pickup, timeWindows }) => [pickup.storeReference, timeWindows?.dropoff])).toEqual([
      ['STORE-007', undefined],
      ['STORE-001', { start: '2036-11-25T20:00:00Z', end: '2036-11-25T21:30:00.000Z' }],
      ['STORE-001', { start: '2036-11-25T18:30:00.000Z', end: '2036-11-25T20:00:00Z' }],
    ])
  })

  test('of windows that have only a start or an end are warned of', async () => {
    const [start, end] = ['2036-11-25T20:00:00Z', '2036-11-25T22:00:00Z']
    const windows = [{ dropoff: { start } }, { dropoff: { start, end } }, { pickup: { end } }, { dropoff: { start } }]
    const file = lines(
      windows.map((window, at) => testOrder(`W-${at}`, { timeWindows: { deliveryMode: 'scheduled', ...window } })),
    )
    const { stderr } = await run('deliveries', 'create', '--file', file, '--dry-run')
    expect(warned(stderr).slice(1)).toEqual([
      'warning: Lines 1, 4: timeWindows.dropoff.end: the window has only a start and may be refused; map a column to this end, or say how long windows are: "windowLength": "1h" in --map-file.',
      'warning: Line 3: timeWindows.pickup.start: the window has only an end and may be refused; map a column to this start, or say how long windows are: "windowLength": "1h" in --map-file.',
    ])
  })

  test.each([
    ['NDJSON', lines, 'Line 2', 'Line'],
    ['an array', (rows: readonly unknown[]) => fileOf(JSON.stringify(rows, null, 1)), 'Line', 'Line'],
  ])('of %s are warned of once a kind by a run and its quotes, and summed up by a dry run', async (name, written, second, first) => {
    const rows = Array.from({ length: 30 }, (_, at) =>
      testOrder(`${name.slice(0, 2)}-${at}`, {
        ...(at > 0 && { tipAmountCent: 500 }),
        ...(at < 2 && { dropoff: onPost }),
      }),
    )
    const file = written(rows)
    const dry = await run('deliveries', 'create', '--file', file, '--dry-run')
    expect(warned(dry.stderr)).toEqual([
      'warning: To check before the run, in 30 rows:',
      expect.stringMatching(new RegExp(`^warning: ${first}s \\d+(?:-|, )\\d+: ${zip}$`)),
      expect.stringMatching(new RegExp(`^warning: ${first.split(' ')[0]}s .*: ${misspelt.replace('?', '\\?')}$`)),
    ])
    expect(dry.stderr.trim().split('\n').slice(-3)).toEqual(warned(dry.stderr))
    const made = await run('deliveries', 'create', '--file', file)
    expect([made.exitCode, warned(made.stderr)]).toEqual([
      0,
      [
        expect.stringMatching(new RegExp(`^warning: ${first}.*: ${zip}$`)),
        expect.stringContaining(`warning: ${second}`),
        'warning: Rows to check: 29 tipAmountCent, 2 dropoff.installation.code.',
      ],
    ])
    expect(warned(made.stderr)[1]).toContain(misspelt)
    const quoted = await run('quotes', 'create', '--file', file)
    // The tip is no part of a quote, but its wrong name is none of what is left out either.
    expect(warned(quoted.stderr).map((line) => line.replace(/(?:Line|Row) \d+/, ''))).toEqual(
      warned(made.stderr).map((line) => line.replace(/(?:Line|Row) \d+/, '')),
    )
  })

  test('of a sheet are warned of by its own columns, and not where flags repair them', async () => {
    const sheet = fileOf('Order,To,Code\nS-1,"1 Main St, Fort Bragg, NC 28310",\n')
    const map = 'Order=clientOrderReference,To=dropoff.address,Code=dropoff.installation.code'
    const words = ['deliveries', 'create', '--file', sheet, '--map', map, '--store', 'STORE-001', '--name', 'Sam']
    const all = [...words, '--phone', '+19105550123']
    const repaired = await run(...all, '--installation', 'FTBRAGG', '--dry-run')
    expect([repaired.exitCode, warned(repaired.stderr)]).toEqual([0, []])
    const { stderr } = await run(...all)
    expect(warned(stderr)).toEqual([`warning: Line 2: ${zip.replace(': ', ' (column "Code"): ')}`])
  })

  test('of a cancellation are warned of too', async () => {
    await run('deliveries', 'create', '--file', lines([testOrder('K-1')]))
    const { exitCode, stderr } = await run(
      ...['deliveries', 'cancel', '--file', fileOf(JSON.stringify([{ clientOrderReference: 'K-1', reasn: 'late' }]))],
    )
    expect([exitCode, warned(stderr)]).toEqual([
      0,
      ['warning: Line 1: reasn: is not a field of a cancellation; did you mean "reason"?'],
    ])
  })
})

describe('An update of which no field is known', () => {
  beforeAll(async () => {
    await run('deliveries', 'create', '--file', lines([testOrder('U-1'), testOrder('U-2'), testOrder('U-3')]))
  })

  test('fails its row, and the others are sent', async () => {
    const file = lines([
      { clientOrderReference: 'U-1', tipAmount: 300 },
      { clientOrderReference: 'U-2', 'dropoff.instructions': 'Ring' },
      { clientOrderReference: 'U-3', tipAmountCents: 300, tip: 300 },
      { clientOrderReference: 'U-1', dropoff: { instruction: 'Ring' } },
    ])
    const { exitCode, stdout, stderr } = await run('deliveries', 'update', '--file', file, '-o', 'ndjson')
    const results = jsonLines<{ row: number; outcome: string; error: { message: string } | null }>(stdout)
    expect(exitCode).toBe(9)
    const byRow = results.sort((one, other) => one.row - other.row)
    expect(byRow.map(({ outcome, error }) => [outcome, error?.message])).toEqual([
      ['failed', 'tipAmount: is not a field of an order; did you mean "tipAmountCents"?'],
      ['failed', 'dropoff.instructions: is not a field of an order; did you mean an object in an object?'],
      ['updated', undefined],
      ['failed', 'dropoff.instruction: is not a field of an order; did you mean "dropoff.instructions"?'],
    ])
    expect(warned(stderr)).toContainEqual(expect.stringContaining('Line 3: tip: is not a field of an order'))
  })

  test('is refused for one delivery too', async () => {
    const { exitCode, stderr } = await run('deliveries', 'update', 'U-1', '--file', fileOf('{"tipAmount": 300}'))
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did you mean "tipAmountCents"?\n')])
  })
})

test('A conflict names the columns of the parts of an address that differ, and is no failure', async () => {
  const parts = ['line1', 'city', 'state', 'postalCode']
  const map = ['Nr=clientOrderReference', ...parts.map((part) => `${part[0]}=dropoff.address.${part}`)].join(',')
  const create = (street: string, ...more: string[]) => {
    const sheet = fileOf(`Nr,l,c,s,p\nC-1,${street},Fayetteville,NC,28301\n${more.join('\n')}`)
    const flags = ['--store', 'STORE-001', '--name', 'Sam', '--phone', '+19105550123', '-o', 'ndjson']
    return run('deliveries', 'create', '--file', sheet, '--map', map, ...flags)
  }
  expect((await create('200 Hay St')).exitCode).toBe(0)
  const { stdout, stderr } = await create(
    '900 Hay St',
    'C-2,"PO Box 1",Killeen,TX,76541',
    'C-3,"PO Box 2",Killeen,TX,76541',
  )
  expect(stderr).toContain('1 conflict, 2 failed.\nFailed: 2 INVALID_ROW dropoff.address.\n')
  const conflict = jsonLines<{ row: number }>(stdout).find(({ row }) => row === 1)
  expect(conflict).toMatchObject({
    outcome: 'conflict',
    error: {
      message: expect.stringMatching(/^column "l": C-1 is taken/),
      fieldErrors: [{ field: 'dropoff.address.line1', message: '"900 Hay St" here, "200 Hay St" there' }],
    },
  })
})

test('A cancellation says if its reason is not a known one, and if the delivery is cancelled already', async () => {
  await run('deliveries', 'create', '--file', lines([testOrder('X-1'), testOrder('X-2')]))
  const known = await run('deliveries', 'cancel', 'X-1', '--reason', 'customer_cancelled')
  expect([known.exitCode, known.stderr]).toEqual([0, expect.not.stringContaining('--reason')])
  const near = await run('deliveries', 'cancel', 'X-2', '--reason', 'customer_canceled')
  expect([near.exitCode, near.stderr]).toEqual([
    0,
    expect.stringContaining('--reason: "customer_canceled" is not a reason that this version knows'),
  ])
  const again = await run('deliveries', 'cancel', 'X-2', '--reason', 'other')
  expect([again.exitCode, again.stderr]).toEqual([5, expect.stringContaining('hint: It is cancelled already')])
})

test('A check of an address on an installation says what its code would be answered', async () => {
  const check = (...words: string[]) => run('installations', 'check', '--to', ...words, '-q')
  await run('sandbox', 'policy', 'FTBRAGG', '--set', 'fpconLevel=charlie')
  const closed = await check(onPost.address)
  expect([closed.exitCode, closed.stdout, warned(closed.stderr)]).toEqual([
    0,
    'true\n',
    [`warning: ${zip.split(': ').slice(1).join(': ')} With it, the stop cannot be served: fpcon_elevated.`],
  ])
  await run('sandbox', 'policy', 'FTBRAGG', '--set', 'fpconLevel=normal')
  expect((await check(onPost.address)).stderr).toContain('With it, the stop can be served.')
  expect(warned((await check('200 Hay St, Fayetteville, NC 28301')).stderr)).toEqual([])
  // A ZIP code alone is not found, with the code or without.
  expect(warned((await check('28310')).stderr)).toEqual([`warning: ${zip.split(': ').slice(1).join(': ')}`])
  // Which of the two it is, only the sender knows.
  expect(warned((await check('1 Route 3, Dededo, GU 96929')).stderr)).toEqual([
    'warning: ZIP 96929 holds MCBBLAZ or ANDERSENAFB, and civilian addresses: a stop on the installation needs its code, or any driver is sent.',
  ])
})

test('A dry run sums up at its end what it doubts of a sheet, each with its lines', async () => {
  const rows = [
    'Order,Who,Phone,To,Room,Apt',
    'R-1,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",4-Mar,1',
    'R-2,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",12,',
    'R-3,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",5-Mar,',
    'R-4,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",6-Apr,',
    'R-2,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",12,',
    'Total: 5,,,,,',
    'Exported by Ann,,,,,',
  ]
  const map =
    'Order=clientOrderReference,Who=dropoff.contactName,Phone=dropoff.contactPhone,To=dropoff.address,Room=dropoff.unit.room'
  const words = ['deliveries', 'create', '--file', fileOf(rows.join('\n')), '--map', map, '--store', 'STORE-001']
  const { stderr } = await run(...words, '--dry-run')
  const end = stderr.slice(stderr.indexOf('warning: To check'))
  expect(end.split('\n')).toEqual([
    'warning: To check before the run, in 6 rows:',
    expect.stringMatching(/^warning: The column "Apt" is left out, and a driver may need it: --map "To\+Apt=/),
    'warning: Lines 2, 4-5: dropoff.unit.room (column "Room"): "4-Mar" may be a date that a spreadsheet has made of it; format the column as text. Also "5-Mar", "6-Apr".',
    'warning: Line 6: the same as line 3, and sent once.',
    'warning: Lines 7-8: left out, because it looks like a total or a footer: "Total: 5". Also "Exported by Ann".',
    '',
  ])
})

test('Names, notes and addresses that say that there is nothing to deliver are doubted, and pick-ups in any column for it', async () => {
  const cells = [
    '**CANCELLED** RICE,1 Main St,,,',
    'Rice (VOID),1 Main St,,,',
    'Sam,1 Main St,void,,',
    'Sam,1 Main St,DO NOT SEND,,',
    'Sam,1 Main St,Pickup,,',
    'Sam,PICKUP,,,',
    'Sam,1 WALK-IN,,,',
    'Sam,1 Main St,,Takeout,',
    'Sam,1 Main St,,CounterPickup,',
    'Sam,1 Main St,,,Carry-out',
    'Sam,1 Main St,,,Click & Collect',
    'Sam Void,1 Main St,Do not send a receipt,Dispatch,Delivery',
    'Sam,1 Main St,Pick up the parcel at door 2,,Collect on delivery',
    'Pickup,1 Pickup Ln,do not deliver before 5,,',
  ]
  const rows = cells.map((each, at) => `P-${at},+19105550101,${each}`)
  const file = fileOf(
    ['Order,Phone,Who,To,Notes,Handoff Mode,Kind', ...rows]
      .join('\n')
      .replace(/(,\d? ?[A-Z][^,]*)(?=,[^,]*,[^,]*,[^,]*$)/gm, (street) =>
        street === ',To' ? street : `,"${street.slice(1)}, Fayetteville, NC 28301"`,
      ),
  )
  const map =
    'Order=clientOrderReference,Who=dropoff.contactName,Phone=dropoff.contactPhone,To=dropoff.address,Notes=dropoff.instructions'
  const dry = await run('deliveries', 'create', '--file', file, '--map', map, '--store', 'STORE-001', '--dry-run')
  const lines = warned(dry.stderr).flatMap((line) => /^warning: Lines? ([\d, -]+): /.exec(line)?.[1] ?? [])
  expect([dry.exitCode, lines, dry.stderr]).toEqual([
    0,
    ['2-3', '4-5', '6', '7-8', '7', '9', '10', '11', '12', '15'],
    expect.stringContaining('--leave-out "Handoff Mode=Takeout"'),
  ])
})

test('Times and notes in columns that are not read are doubted, whatever the columns are called, and not those of the order', async () => {
  const rows = [
    'Order,Who,Phone,To,Window,Drop,Created at,Opened,Age,Staff Notes,Gate code,Gift Message',
    'T-1,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",,Mon 5-7pm,11/28/2036 9:00 AM,9:00 AM,4,VIP,,',
    'T-2,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",,30-Nov 17:00-19:00,11/28/2036 9:00 AM,9:00 AM,4,VIP,#9911,',
    'T-3,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",11/30/2036 3-5 PM,tomorrow noon,11/28/2036 9:00 AM,9:00 AM,4,VIP,#22,no',
    'T-4,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",,call at 5 pm,11/28/2036 9:00 AM,9:00 AM,4,VIP,#22,Love',
    'T-5,Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",,,11/28/2036 9:00 AM,9:00 AM,4,VIP,#22,',
  ]
  const map =
    'Order=clientOrderReference,Who=dropoff.contactName,Phone=dropoff.contactPhone,To=dropoff.address,Window=timeWindows.dropoff'
  const words = ['deliveries', 'create', '--file', fileOf(rows.join('\n')), '--map', map, '--us-times', 'store']
  const dry = await run(...words, '--store', 'STORE-001', '--dry-run')
  const now =
    'and without a window the order goes out now: --map "Drop+Window=timeWindows.dropoff" with --us-times reads it.'
  const need = 'is left out, and a driver may need it: --map'
  expect(warned(dry.stderr).slice(1)).toEqual([
    `warning: The column "Gate code" ("#9911") ${need} "Gate code=dropoff.instructions".`,
    `warning: The column "Gift Message" ("Love") ${need} "Gift Message=dropoff.instructions".`,
    `warning: Lines 2-3: the column "Drop" says "Mon 5-7pm", ${now} Also "30-Nov 17:00-19:00".`,
    'warning: Lines 5-6: the column "Window" is empty, and the order goes out now.',
  ])
  const made = await run(...words, '--store', 'STORE-001')
  expect(warned(made.stderr).join('\n')).toContain(`Line 2: the column "Drop" says "Mon 5-7pm", ${now}`)
  const timed = await run(...words, '--store', 'STORE-001', '--window', '2036-11-30 15:00/17:00', '--dry-run')
  expect(timed.stderr).not.toContain('goes out now')
})

test.each([
  'Ship Suburb',
  'delivery_locality',
  'Gemeente',
  'Post Town',
  'dropoffCity',
])('A city that is left out is named with the place that it has, and the order without it is doubted: %s', async (city) => {
  const sheet = fileOf(
    `Order,Who,Phone,To,Apt,${city},State,ZIP,Billing Suburb,Weight unit\nC-1,Sam,+19105550101,200 Hay St,2,Fayetteville,NC,28301,Cary,lb`,
  )
  const map =
    'Order=clientOrderReference,Who=dropoff.contactName,Phone=dropoff.contactPhone,To+Apt+State+ZIP=dropoff.address'
  const dry = await run('deliveries', 'create', '--file', sheet, '--map', map, '--store', 'STORE-001', '--dry-run')
  expect(warned(dry.stderr).slice(1)).toEqual([
    `warning: The column "${city}" is left out, and a driver may need it: --map "To+Apt+${city}+State+ZIP=dropoff.address".`,
    'warning: Line 2: dropoff.address (column "To+Apt+State+ZIP"): "200 Hay St, Apt 2, NC 28301" has no city behind its street; a driver may be sent to another one, or it may not be found.',
  ])
})

test('Orders that a sheet says are called off are doubted, by a column that is not read and by their notes', async () => {
  const row = (at: number, status: string, note = '') =>
    `E-${at},Sam,+19105550101,"1 Main St, Fayetteville, NC 28301",${note},${status},paid`
  const rows = [
    'Order,Who,Phone,To,Notes,Estado del pedido,Payment status',
    row(1, 'Cancelado', 'CANCELLED'),
    row(2, 'Confirmado', 'CANCELED by phone'),
    row(3, 'cancelado', 'Cancel the doorbell: baby sleeps'),
    row(4, 'En curso', 'Storniert!'),
    row(5, '', 'Cancellation card is at the desk'),
    row(6, '', '** Please cancel **'),
  ]
  const map =
    'Order=clientOrderReference,Who=dropoff.contactName,Phone=dropoff.contactPhone,To=dropoff.address,Notes=dropoff.instructions'
  const words = ['deliveries', 'create', '--file', fileOf(rows.join('\n')), '--map', map, '--store', 'STORE-001']
  const dry = await run(...words, '--dry-run')
  const sent = 'and the row is sent all the same: --leave-out'
  const off = 'says that the order was called off; a driver is sent all the same.'
  expect([dry.exitCode, warned(dry.stderr)]).toEqual([
    0,
    [
      'warning: To check before the run, in 5 rows:',
      `warning: Line 2: the column "Estado del pedido" says "Cancelado", ${sent} "Estado del pedido=Cancelado" leaves it out.`,
      `warning: Lines 2-3, 5, 7: dropoff.instructions (column "Notes"): "CANCELLED" ${off} Also "CANCELED by phone", "Storniert!", "** Please cancel **".`,
      `warning: Line 4: the column "Estado del pedido" says "cancelado", ${sent} "Estado del pedido=cancelado" leaves it out.`,
    ],
  ])
  const left = await run(...words, '--leave-out', 'Estado del pedido=cancelado', '--dry-run')
  expect(left.stderr).not.toContain('sent all the same: --leave-out')
})
