import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { jsonLines } from '../../support/json-lines.js'
import { testOrder } from '../../support/orders.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()
const cli = createCli(afterAll)
const run = (words: string[], stdin = '') => cli.run(words, { env: sandbox.env(), stdin })
let files = 0

function fileOf(content: string, name = 'rows.csv'): string {
  const path = join(cli.home, `${++files}-${name}`)
  writeFileSync(path, content)
  return path
}

const columns = 'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone'
const address = '"418 Ramsey St, Fayetteville, NC 28301"'
const cells = (reference: string, name = 'Ann') => `"${reference}",STORE-001,${address},${name},+19105550101`
const sheet = (more: string, cell: string, reference = 'R-1') =>
  fileOf(`${columns},${more}\n${cells(reference)},"${cell.replaceAll('"', '""')}"\n`)

/** The rows of a dry run. */
async function dryRun(file: string, ...flags: string[]) {
  const { stdout, stderr } = await run(['deliveries', 'create', '--file', file, '--dry-run', '-o', 'ndjson', ...flags])
  expect(stdout, stderr).not.toBe('')
  return jsonLines(stdout) as {
    body: Record<string, Record<string, unknown>>
    error: { message: string; hint: string }
  }[]
}

const countOf = async (reference: string) => {
  const { stdout } = await run(['deliveries', 'list', '--search', reference, '-q'])
  return stdout.split('\n').filter(Boolean).length
}

/** White space of every kind that sheets and copied text leave around a value. */
const around = [' ', '\u00a0', '\t', '\n', '\r\n', '\u200b', '\u200e', '\u202a', '\u2066', '\ufeff', '\u2007', '\u2060']

describe('White space around a value', () => {
  it('is no part of it: a reference with and without it is one order, whichever way it comes', async () => {
    const order = testOrder('W-1')
    const padded = (blank: string) => ({ ...order, clientOrderReference: `${blank}W-1${blank}` })
    const ways: [string, string[]][] = [
      ['JSON', ['--file', fileOf(JSON.stringify(order), 'order.json')]],
      ...around.map((blank): [string, string[]] => [
        `JSON ${JSON.stringify(blank)}`,
        ['--file', fileOf(JSON.stringify(padded(blank)), 'order.json')],
      ]),
      ['NDJSON', ['--file', fileOf(around.map((blank) => JSON.stringify(padded(blank))).join('\n'), 'rows.ndjson')]],
      ['--ref', ['--file', fileOf(JSON.stringify(order), 'order.json'), '--ref', ' W-1\u00a0']],
      ['--set', ['--file', fileOf(JSON.stringify(order), 'order.json'), '--set', 'clientOrderReference= W-1\t']],
    ]
    for (const [way, words] of ways) {
      const made = await run(['deliveries', 'create', ...words])
      expect(made.exitCode, `${way}: ${made.stderr}`).toBe(0)
    }
    // Another day, on a machine that remembers nothing: the key is the same.
    const elsewhere = createCli()
    const again = await elsewhere.run(['deliveries', 'create', ...(ways[1]?.[1] ?? [])], { env: sandbox.env() })
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('nothing was dispatched')])
    expect(await countOf('W-1')).toBe(1)
  })

  it('is no part of any cell, and a name with it leads to the same delivery', async () => {
    const blank = '\u00a0 \u200b'
    const all = ['W-2', 'STORE-001', '418 Ramsey St, Fayetteville, NC 28301', 'Ann', '+19105550101', 'FTBRAGG', '12']
    const header = `${columns},dropoff.installation.code,package.itemsCount`
    const plain = await dryRun(fileOf(`${header}\n${all.map((cell) => `"${cell}"`).join(',')}\n`))
    const padded = await dryRun(fileOf(`${header}\n${all.map((cell) => `"${blank}${cell}${blank}"`).join(',')}\n`))
    expect(padded).toEqual(plain)
    await run(['deliveries', 'create', '--file', fileOf(`${columns}\n${cells('W-2')}\n`)])
    for (const words of [
      ['get', 'W-2\u00a0'],
      ['get', '-'],
      ['update', ' W-2', '--tip-cents', '300', '--dry-run'],
      ['cancel', '-', '--dry-run'],
      ['cancel', '--file', fileOf('clientOrderReference\n"W-2 "\n'), '--dry-run'],
      ['update', '--file', fileOf('clientOrderReference,tipAmountCents\n"\u00a0W-2\n",300\n'), '--dry-run'],
      [
        'update',
        '--file',
        fileOf(
          '{"clientOrderReference":" W-2","tipAmountCents":300}\n{"deliveryId":"del_1 ","tipAmountCents":1}',
          'x.ndjson',
        ),
        '--dry-run',
      ],
    ]) {
      const { stdout, stderr } = await run(['deliveries', ...words], '\u00a0W-2\u200b\n')
      expect(stdout + stderr, words.join(' ')).toContain('del_')
      expect(stderr, words.join(' ')).not.toMatch(/no delivery|No delivery has/i)
    }
  })
})

describe('Cargo', () => {
  it.each([
    ['Alcohol', ['alcohol']],
    ['alcohol, perishable_cold_chain', ['alcohol', 'perishable_cold_chain']],
    ['ALCOHOL|Perishable cold chain', ['alcohol', 'perishable_cold_chain']],
    ['alcohol;\nperishable-cold-chain;', ['alcohol', 'perishable_cold_chain']],
    ['["Alcohol"]', ['alcohol']],
    ['new:fireworks, alcohol', ['fireworks', 'alcohol']],
  ])('%j is %j in a sheet, JSON, flags and --set', async (cell, contains) => {
    const order = testOrder('R-1')
    const withCargo = JSON.stringify({ ...order, package: { contains: cell } })
    const rows = [
      ...(await dryRun(sheet('package.contains', cell))),
      ...(await dryRun(fileOf(`${withCargo}\n{}`, 'r.ndjson'))).slice(0, 1),
      ...(await dryRun(fileOf(withCargo, 'o.json'))),
      ...(await dryRun(fileOf(JSON.stringify(order), 'o.json'), '--set', `package.contains=${cell}`)),
      ...(cell.startsWith('[') ? [] : await dryRun(fileOf(JSON.stringify(order), 'o.json'), '--contains', cell)),
    ]
    for (const { body } of rows) expect(body?.package?.contains).toEqual(contains)
  })

  it('that the contract does not have is refused alike wherever it stands, with the way out', async () => {
    const order = testOrder('R-1')
    const file = fileOf(JSON.stringify(order), 'o.json')
    const bad = (word: string) => fileOf(JSON.stringify({ ...order, package: { contains: [word] } }), 'o.json')
    for (const [word, hint] of [
      ['beer', 'Expected alcohol, perishable_cold_chain, controlled_cargo. '],
      ['alcohl', 'Did you mean "alcohol"? '],
      ['Controlled cargos', 'Did you mean "controlled_cargo"? '],
    ] as const) {
      const said = `"${word}" is not a cargo attribute of the contract`
      const rows = [
        sheet('package.contains', word),
        fileOf(`{}\n${JSON.stringify({ ...order, package: { contains: word } })}`, 'r.ndjson'),
      ]
      for (const rowsFile of rows) {
        const refused = (await dryRun(rowsFile)).at(-1)
        expect(refused?.error.message).toContain(said)
        expect(refused?.error.hint).toBe(`${hint}For one that the contract does not name yet, write "new:${word}".`)
      }
      for (const words of [
        ['deliveries', 'create', '--file', bad(word)],
        ['deliveries', 'create', '--file', file, '--contains', word],
        ['deliveries', 'create', '--file', file, '--set', `package.contains=["alcohol", "${word}"]`],
        ['deliveries', 'update', 'R-1', '--set', `package.contains=${word}`],
        ['deliveries', 'update', 'R-1', '--file', bad(word)],
        ['quotes', 'create', '--file', bad(word)],
        ['installations', 'check', 'FTBRAGG', '--contains', word],
        ['installations', 'check', 'FTBRAGG', '--set', `package.contains=${word}`],
      ]) {
        const { exitCode, stderr } = await run(words)
        expect([exitCode, stderr], words.join(' ')).toEqual([2, expect.stringContaining(said)])
        expect(stderr.replace(/\s+/g, ' ')).toContain(`new:${word}`)
      }
    }
    expect(await countOf('R-1')).toBe(0)
  })
})

describe('Every field that a row can set', () => {
  /** What cells, texts of JSON and `--set` are read as; each is written as a dispatcher's sheet might have it. */
  const fields: readonly [field: string, text: string, value: unknown][] = [
    ['quoteId', ' q-1\u00a0', 'q-1'],
    ['dropoff.address.postalCode', "'28301", '28301'],
    ['dropoff.address.state', ' NC ', 'NC'],
    ['dropoff.contactName', '\u200eAnn\u00a0', 'Ann'],
    ['dropoff.instructions', ' Ring twice\n', 'Ring twice'],
    ['dropoff.installation.code', ' FTBRAGG\t', 'FTBRAGG'],
    ['dropoff.installation.gate', 'All American ', 'All American'],
    ['dropoff.unit.buildingNumber', '4-1450 ', '4-1450'],
    ['dropoff.unit.room', '214 ', '214'],
    ['dropoff.unit.unitDesignation', ' B Co', 'B Co'],
    ['dropoff.unit.deliveryPoint', 'CQ Desk', 'cq_desk'],
    ['timeWindows.deliveryMode', 'ASAP', 'asap'],
    ['package.description', ' Books', 'Books'],
    ['package.itemsCount', '3.0', 3],
    ['package.itemsCount', '1,200', 1200],
    ['package.valueCents', ' 4500 ', 4500],
    ['package.weightGrams', '1,250', 1250],
    ['package.contains', 'Alcohol; perishable cold chain', ['alcohol', 'perishable_cold_chain']],
    ['dispatch.mode', 'Team queue', 'team_queue'],
    ['dispatch.teamReference', ' TEAM-1', 'TEAM-1'],
    ['verification.dropoff.photo.level', 'Required', 'required'],
    ['verification.dropoff.photo.substituteWhenProhibited', 'PIN code', 'pinCode'],
    ['verification.dropoff.signature.level', 'yes', 'required'],
    ['verification.dropoff.signature.collectSignerName', 'TRUE', true],
    ['verification.dropoff.signature.collectSignerName', 'no', false],
    ['verification.dropoff.identity.level', 'PREFERRED', 'preferred'],
    ['verification.dropoff.identity.level', 'FALSE', 'none'],
    ['verification.dropoff.identity.minimumAge', '21.0', 21],
    ['verification.dropoff.pinCode.level', '1', 'required'],
    ['verification.dropoff.pinCode.source', ' client', 'client'],
    ['verification.dropoff.barcode.level', 'none', 'none'],
    ['verification.dropoff.barcode.values', 'A1, A2|A3\nA4', ['A1', 'A2', 'A3', 'A4']],
    ['handling.handoff', 'Hand to recipient', 'hand_to_recipient'],
    ['handling.handoff', 'leave_at_door', 'leave_at_door'],
    ['handling.undeliverableAction', 'Return-to-pickup', 'return_to_pickup'],
    ['handling.fallbackHandoff', 'CQ_DESK', 'cq_desk'],
    ['tipAmountCents', '500.00', 500],
  ]
  const at = (body: unknown, path: string) =>
    path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body)
  const nested = (path: string, value: unknown) =>
    path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>

  it('is read alike from a cell, a text of JSON and --set', async () => {
    const base = JSON.stringify(testOrder('R-1'))
    for (const [field, text, value] of fields) {
      const isAddress = field.startsWith('dropoff.address.')
      const isName = field === 'dropoff.contactName'
      const names = isName ? columns.replace(',dropoff.contactName', '') : columns
      const columnsHere = isAddress ? columns.replace('dropoff.address', 'dropoff.address.line1') : names
      const ann = isName ? cells('R-1').replace(',Ann', '') : cells('R-1')
      const rowHere = isAddress ? cells('R-1').replace(address, '418 Ramsey St') : ann
      const quoted = `"${text.replaceAll('"', '""')}"`
      const [row] = await dryRun(fileOf(`${columnsHere},${field}\n${rowHere},${quoted}\n`))
      expect(at(row?.body, field), `${field} in a cell`).toEqual(value)
      const order = { ...testOrder('R-1'), ...nested(field, text) }
      const [json] = await dryRun(fileOf(`${JSON.stringify(order)}\n{}`, 'r.ndjson'))
      if (!field.startsWith('dropoff.')) expect(at(json?.body, field), `${field} in JSON`).toEqual(value)
      if (isAddress || /^\s*\d+\s*$/.test(text)) continue
      const [set] = await dryRun(fileOf(base, 'o.json'), '--set', `${field}=${text}`)
      expect(at(set?.body, field), `${field} by --set`).toEqual(value)
    }
  })

  it('takes a reference, a room and a ZIP code that are numbers in JSON', async () => {
    const order = testOrder('R-1')
    const dropoff = {
      ...order.dropoff,
      unit: { room: 214 },
      address: { line1: '1 Main St', city: 'Killeen', state: 'TX', postalCode: 76541 },
    }
    const [row] = await dryRun(
      fileOf(`${JSON.stringify({ ...order, clientOrderReference: 1001, dropoff })}\n{}`, 'r.ndjson'),
    )
    expect(row?.body).toMatchObject({
      clientOrderReference: '1001',
      dropoff: { unit: { room: '214' }, address: { postalCode: '76541' } },
    })
  })
})

describe('Money and weights of a sheet', () => {
  const mapped = (header: string, ...values: string[]) =>
    fileOf(`${columns},${header}\n${values.map((value, index) => `${cells(`M-${index}`)},"${value}"`).join('\n')}\n`)

  it('are read in the unit that the mapping says', async () => {
    const money = mapped(
      'Total',
      '45',
      '45.5',
      '$45.00',
      ' $     5.00 ',
      ' $-   ',
      '1,234.50',
      '45 USD',
      '45,50',
      '1.234,50 $',
      '3,5',
    )
    const rows = await dryRun(money, '--map', 'Total=package.valueCents:dollars')
    expect(rows.map(({ body }) => body.package?.valueCents)).toEqual([
      4500, 4550, 4500, 500, 0, 123_450, 4500, 4550, 123_450, 350,
    ])
    for (const [unit, grams] of [
      ['pounds', [5443, 680, 2500, 250]],
      ['kg', [12_000, 1500, 2500, 250]],
      ['ounces', [340, 43, 2500, 250]],
    ] as const) {
      const weights = await dryRun(
        mapped('Weight (lb)', '12', '1.5', '2,5 kg', '0,250 kg'),
        '--map',
        `Weight (lb)=package.weightGrams:${unit}`,
      )
      expect(weights.map(({ body }) => body.package?.weightGrams)).toEqual(grams)
    }
    const updates = fileOf('clientOrderReference,Total\nM-1,45\n')
    const words = ['deliveries', 'update', '--file', updates, '--map', 'Total=package.valueCents', '--dry-run']
    expect((await run([...words, '-o', 'ndjson'])).stdout).toContain('would be 45 cents')
  })

  it('are refused where the column says another unit, and where they are none', async () => {
    for (const [header, field, value, message, hint] of [
      ['Total', 'package.valueCents', '45', '"45" would be 45 cents', 'Total=package.valueCents:dollars'],
      ['Weight (lb)', 'package.weightGrams', '12', '"12" would be 12 grams', 'Weight (lb)=package.weightGrams:pounds'],
      ['Tip', 'tipAmountCents', '5', '"5" would be 5 cents', '--us-tips reads dollars'],
      ['Total', 'package.valueCents:dollars', '(5.00)', 'is negative', 'brackets'],
      ['Total', 'package.valueCents:dollars', '€45,50', 'is not an amount in dollars', ''],
      ['Total', 'package.valueCents:dollars', '1.230', 'is not an amount in dollars', 'Write 1.23 or 1230, whichever'],
      ['Weight', 'package.weightGrams:kg', '1,250', 'is not a number of kg', 'Write 1.250 or 1250, whichever'],
      ['Weight', 'package.weightGrams:kg', '1,250 lb', 'is not a number of kg', 'Write 1.250 or 1250, whichever'],
      ['Total', 'package.valueCents:dollars', '45.505', 'is not an amount in dollars', ''],
    ] as const) {
      const [row] = await dryRun(mapped(header, value), '--map', `${header}=${field}`)
      expect(row?.error?.message, value).toContain(message)
      expect(row?.error?.hint ?? '').toContain(hint)
    }
    const [cents] = await dryRun(mapped('Total', '45'), '--map', 'Total=package.valueCents:cents')
    expect(cents?.body.package?.valueCents).toBe(45)
    const wrong = await run([
      'deliveries',
      'create',
      '--file',
      mapped('Total', '1'),
      '--map',
      'Total=package.valueCents:euros',
    ])
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('"euros" is not a unit of package.valueCents'),
    ])
  })
})

describe('Phones, ZIP codes and times as sheets write them', () => {
  it('are read, or refused with the value that is meant', async () => {
    const phones = [
      '910\u2011555\u20110101',
      '\u202a(910) 555-0101\u202c',
      '910\u2013555\u20130101 (cell)',
      'Mobile: 910.555.0101',
      '+1\u00a0910\u00a0555\u00a00101',
    ]
    const rows = phones.map((phone, index) => cells(`P-${index}`).replace('+19105550101', `"${phone}"`))
    const read = await dryRun(fileOf(`${columns}\n${rows.join('\n')}\n`), '--us-phones')
    expect(read.map(({ body }) => body.dropoff?.contactPhone)).toEqual(phones.map(() => '+19105550101'))
    const dialled = [
      '910-555-0101, 12',
      '9105550101,,12',
      '910-555-0101;12',
      '(910) 555-0101 ~ 12',
      '910-555-0101 int. 12',
    ]
    for (const extended of ['910-555-0101 x12', '(910) 555-0101 ext. 12', '910.555.0101 #12', ...dialled]) {
      const [row] = await dryRun(
        fileOf(`${columns}\n${cells('P-9').replace('+19105550101', `"${extended}"`)}\n`),
        '--us-phones',
      )
      expect(row?.error.message).toContain(
        'has an extension: give +19105550101 here, and "ext. 12" in dropoff.instructions',
      )
    }
    const zips: [string, string][] = [
      [
        '"10 Main St, Newport, RI 2840"',
        '"2840" has too few digits; a spreadsheet has dropped the zero: 02840? 02840 is in RI.',
      ],
      ['"10 Main St, San Juan, PR 901"', 'dropped the zero: 00901? 00901 is in PR.'],
      ['"10 Main St, Killeen, TX 2840"', '"2840" has too few digits; a spreadsheet has dropped the zero'],
    ]
    for (const [to, message] of zips) {
      const [row] = await dryRun(fileOf(`${columns}\n${cells('Z-1').replace(address, to)}\n`))
      expect(row?.error.message).toContain(message)
    }
  })

  it('are moments with --us-times, and those with an offset without it', async () => {
    const header = `${columns},timeWindows.deliveryMode,timeWindows.dropoff.start,timeWindows.dropoff.end`
    const window = (start: string, end: string) => fileOf(`${header}\n${cells('T-1')},scheduled,"${start}","${end}"\n`)
    const zone = ['--us-times', 'America/New_York']
    for (const [start, end, starts, ends, flags] of [
      ['2099-11-30 15:00', '2099-11-30T17:00', '2099-11-30T20:00:00.000Z', '2099-11-30T22:00:00.000Z', zone],
      ['2099/11/28 3:00 PM', '2099/11/28 5:00 p.m.', '2099-11-28T20:00:00.000Z', '2099-11-28T22:00:00.000Z', zone],
      ['11/28/2099 22:00', '11/28/2099 24:00', '2099-11-29T03:00:00.000Z', '2099-11-29T05:00:00.000Z', zone],
      ['2099-11-27 09:14:33 -0500', '2099-11-27 11:00 UTC', '2099-11-27T09:14:33-05:00', '2099-11-27T11:00:00Z', []],
    ] as const) {
      const [row] = await dryRun(window(start, end), ...flags)
      expect((row?.body.timeWindows as { dropoff?: unknown } | undefined)?.dropoff, start).toEqual({
        start: starts,
        end: ends,
      })
    }
    const lost = window('2099/11/30 20:00:00', '2099/11/30 21:00:00')
    const { stderr } = await run(['deliveries', 'create', '--file', lost, '--dry-run', ...zone])
    expect(stderr).toContain('as Gnumeric writes times in UTC without their Z: check their zone')
  })

  it('are read as the whole sheet shows, before its first row is sent', async () => {
    const header = `${columns},timeWindows.deliveryMode,timeWindows.dropoff.start,timeWindows.dropoff.end,note`
    const zone = ['--us-times', 'America/New_York']
    const hourAtEnd = /\d{1,2}(?=(?:[:.h]\d{2}(?: PM| Uhr)?| PM)"?$)/
    const twoHoursAfter = (time: string) => time.replace(hourAtEnd, (hour) => String(Number(hour) + 2))
    const sheetOf = (times: readonly string[], note = '') =>
      `${header.replace(',note', note && ',metadata.note')}\n${times
        .map((time, at) => `${cells(`DAY-${at}`)},scheduled,${time},${twoHoursAfter(time)}${note && `,${note}`}`)
        .join('\n')}\n`
    const either = 'may be 2099-01-07 or 2099-07-01'
    const noHalf = 'lacks AM or PM, which other times of this file have, such as "11/29/2099 3:00 PM" on line 3'
    const cases: [times: string[], flags: string[], read: string[], note?: string][] = [
      [['07/01/2099 15:00', '30/11/2099 15:00'], [], [either, 'begins with its day, and times are read month first']],
      [['07/01/2099 15:00', '11/29/2099 15:00'], [], ['2099-07-01T19:00', '2099-11-29T20:00']],
      [['07/01/2099 15:00', '30/11/2099 15:00'], ['--day-first'], ['2099-01-07T20:00', '2099-11-30T20:00']],
      [
        ['07/01/2099 15:00', '11/29/2099 15:00'],
        ['--day-first'],
        [either, 'begins with its month, and dates are read day'],
      ],
      [['07/01/2099 15:00'], [], [`${either}: "30/11/2098" on line 2 of this file begins with its day`], '30/11/2098'],
      [['07/01/2099 15:00'], ['--no-day-first'], ['2099-07-01T19:00'], '30/11/2098'],
      [['07/01/2099 15:00'], [], ['2099-07-01T19:00'], '"call before 30/11/2098 at 3 PM"'],
      [['07.01.2099 15:00', '30.11.2099 15.00'], [], ['2099-01-07 or 2099-07-01', '2099-11-30T20:00']],
      [['07.01.2099 15:00', '30-11-2099 15:00 Uhr'], ['--day-first'], ['2099-01-07T20:00', '2099-11-30T20:00']],
      [['11/30/2099 9:00', '11/29/2099 3:00 PM'], [], [noHalf, '2099-11-29T20:00']],
      [['11/30/2099 09:00', '11/29/2099 3:00 PM'], [], ['2099-11-30T14:00', '2099-11-29T20:00']],
      [['11/30/2099 5', '11/29/2099 5:30'], [], ['may be in the morning', 'may be in the morning']],
      [['11/30/2099 05:00', '11/29/2099 11'], [], ['2099-11-30T10:00', 'may be in the morning']],
      [['11/30/2099 9:00', '11/29/2099 15:00'], [], ['2099-11-30T14:00', '2099-11-29T20:00']],
      [['Monday 11/30/2099 15:00', 'Tuesday 11/30/2099 15:00'], [], ['2099-11-30T20:00', 'is not a Tuesday']],
      [['30. November 2099 15:00', '3 marraskuu 2099 15:00'], [], ['2099-11-30T20:00', 'is not a time such as']],
      [['"Mar 30, 2099 3 PM"', '30 de noviembre de 2099 15h00'], [], ['2099-03-30T19:00', '2099-11-30T20:00']],
    ]
    const readOf = (rows: Awaited<ReturnType<typeof dryRun>>) =>
      rows.map(
        ({ body, error }) => error?.message ?? (body.timeWindows as { dropoff: { start: string } }).dropoff.start,
      )
    for (const [times, flags, read, note] of cases) {
      const expected = read.map((part) => expect.stringContaining(part))
      expect(readOf(await dryRun(fileOf(sheetOf(times, note)), ...zone, ...flags)), times.join()).toEqual(expected)
      const piped = ['deliveries', 'create', '--file', '-', '--dry-run', '-o', 'ndjson', ...zone, ...flags]
      expect(readOf(jsonLines((await run(piped, sheetOf(times, note))).stdout) as never)).toEqual(expected)
    }
    const { exitCode, stderr } = await run(
      ['deliveries', 'create', '--file', '-', ...zone],
      sheetOf(['07/01/2099 15:00', '30/11/2099 15:00']),
    )
    expect({ exitCode, stderr }).toEqual({ exitCode: 9, stderr: expect.stringContaining('2 failed') })
    const alone = await run(['deliveries', 'create', '--file', '-', '--day-first'], sheetOf(['07/01/2099 15:00']))
    expect(alone.stderr).toContain('--day-first is for dates of times without a zone.')
    vi.stubEnv('TMPDIR', join(cli.home, 'gone'))
    const kept = await run(
      ['deliveries', 'create', '--file', '-', '--us-times', 'store'],
      sheetOf(['07/01/2099 15:00']),
    )
    vi.unstubAllEnvs()
    expect([kept.exitCode, kept.stderr]).toEqual([2, expect.stringMatching(/cannot be kept in .*gone: no such file/)])
  })
})

it('A row with a wrong time is said to have wrong amounts if it has', async () => {
  const rows = `${cells('R-1')},49871.5,$45.50\n${cells('R-2')},49871.5,soon\n${cells('R-3')},12/07/2099 5-7,soon\n`
  const file = fileOf(`${columns},timeWindows.dropoff,Total\n${rows}`)
  const [right, wrong, both] = await dryRun(file, '--us-times', 'store', '--map', 'Total=package.valueCents:dollars')
  expect(right?.error.message).toContain('is the number of a day')
  expect(right?.error.message).not.toMatch(/must be a number|Total/)
  expect(both?.error.message).toMatch(/"soon" is not an amount in dollars.*may be in the morning/)
  expect(wrong?.error.message).toMatch(/is the number of a day.*Total.*"soon" is not an amount in dollars/)
})

describe('What is taken away', () => {
  const order = (reference: string) => ({
    ...testOrder(reference),
    dropoff: {
      address: '1 Main St, Fort Bragg, NC 28310',
      contactName: 'Sam',
      contactPhone: '+19105550123',
      instructions: 'Call from the gate',
      installation: { code: 'FTBRAGG', gate: 'Longstreet Road ACP' },
      unit: { buildingNumber: '4-1450', room: '214', deliveryPoint: 'cq_desk' },
    },
    handling: { handoff: 'cq_desk' },
  })
  const made = async (reference: string) => {
    const created = await run(['deliveries', 'create', '--file', fileOf(JSON.stringify(order(reference)), 'o.json')])
    expect(created.exitCode, created.stderr).toBe(0)
  }
  const away = '200 Hay St, Fayetteville, NC 28301'

  it('by --no-installation and --clear is nothing that a row names itself', async () => {
    for (const reference of ['N-1', 'N-2', 'N-3']) await made(reference)
    const rows = fileOf(
      `clientOrderReference,dropoff.address,dropoff.installation.code,dropoff.unit.unitDesignation,dropoff.instructions\nN-1,"${away}",,Apt 4,\nN-2,"2 Main St, Fort Hood, TX 76544",FTHOOD,,Ring\nN-3,"${away}",,,\n`,
    )
    const words = ['deliveries', 'update', '--file', rows, '--no-installation', '--clear', 'dropoff.instructions']
    const { stdout, stderr } = await run([...words, '--dry-run', '-o', 'ndjson'])
    const [first, second, third] = (jsonLines(stdout) as { body: { dropoff: unknown } }[]).map(
      ({ body }) => body.dropoff,
    )
    const none = { code: null, gate: null }
    const noUnit = { buildingNumber: null, room: null, deliveryPoint: null }
    expect(first).toEqual({
      address: away,
      instructions: null,
      installation: none,
      unit: { ...noUnit, unitDesignation: 'Apt 4' },
    })
    expect(second).toMatchObject({ instructions: 'Ring', installation: { code: 'FTHOOD' } })
    expect(third).toEqual({
      address: away,
      instructions: null,
      installation: none,
      unit: { ...noUnit, unitDesignation: null },
    })
    expect(stderr).toContain('1 row keeps its own dropoff.installation.code (--no-installation does not remove it)')
    expect(stderr).toContain(
      '1 row keeps its own dropoff.instructions (--clear dropoff.instructions does not remove it)',
    )
    const [single] = await run([
      'deliveries',
      'update',
      'N-1',
      '--to',
      away,
      '--no-installation',
      '--room',
      '9',
      '--dry-run',
      '--json',
    ]).then(({ stdout }) => [JSON.parse(stdout).body.dropoff])
    expect(single).toEqual({
      address: away,
      installation: none,
      unit: { buildingNumber: null, room: '9', unitDesignation: null, deliveryPoint: null },
    })
  })

  it('by --from with --to off the base is the base, the gate, the unit and its desk, which is said', async () => {
    await made('F-1')
    const { stdout, stderr } = await run(['deliveries', 'create', '--from', 'F-1', '--to', away, '--dry-run', '--json'])
    const { dropoff, handling } = JSON.parse(stdout).body
    expect(dropoff).toEqual({
      address: away,
      contactName: 'Sam',
      contactPhone: '+19105550123',
      instructions: 'Call from the gate',
    })
    expect(handling).toBeUndefined()
    expect(stderr).toContain(
      'these are not copied: dropoff.installation.code, dropoff.installation.gate, dropoff.unit.',
    )
    expect(stderr).toContain('handling.handoff')
    expect(stderr).toContain('Its instructions are copied to the new address')
    const same = await run([
      'deliveries',
      'create',
      '--from',
      'F-1',
      '--to',
      '1 MAIN ST, Fort Bragg NC 28310',
      '--dry-run',
      '--json',
    ])
    expect(JSON.parse(same.stdout).body.dropoff.unit.room).toBe('214')
    const other = await run([
      'deliveries',
      'create',
      '--from',
      'F-1',
      '--to',
      '9 Reilly Rd, Fort Bragg, NC 28310',
      '--installation',
      'FTBRAGG',
      '--building',
      '7',
      '--dry-run',
      '--json',
    ])
    expect(JSON.parse(other.stdout).body.dropoff).toMatchObject({
      installation: { code: 'FTBRAGG' },
      unit: { buildingNumber: '7' },
    })
    expect(JSON.parse(other.stdout).body.dropoff.unit.room).toBeUndefined()
  })

  it('from an age check by an update is said', async () => {
    await made('A-1')
    for (const [field, words] of [
      ['package.contains', ['--contains', 'perishable_cold_chain']],
      ['package.contains', ['--clear', 'package.contains']],
      ['verification.dropoff.identity.level', ['--verify', 'identity=none']],
      ['verification.dropoff.identity.minimumAge', ['--min-age', '18']],
    ] as const) {
      const { stderr } = await run(['deliveries', 'update', 'A-1', ...words, '--dry-run'])
      expect(stderr, words.join(' ')).toContain(`warning: ${field}`)
    }
    const file = fileOf('clientOrderReference,package.contains\nA-1,perishable_cold_chain\n')
    const { stderr } = await run(['deliveries', 'update', '--file', file, '--dry-run'])
    expect(stderr).toContain(
      'warning: Line 2: package.contains: the whole list is replaced; if alcohol was in it, its age check goes too.',
    )
    for (const words of [
      ['--contains', 'Alcohol'],
      ['--verify', 'identity=required'],
      ['--min-age', '21'],
    ]) {
      const kept = await run(['deliveries', 'update', 'A-1', ...words, '--dry-run'])
      expect(kept.stderr, words.join(' ')).not.toContain('warning')
    }
  })
})

it('createOnce of the library refuses a reference with white space around it, before anything is sent', async () => {
  const { createClient, createOnce } = await import('../../../src/client/index.js')
  const { baseUrl, apiKey } = sandbox.running
  const client = createClient({ baseUrl, apiKey })
  const order = { ...testOrder('L-1'), clientOrderReference: 'L-1\u00a0' } as Parameters<typeof createOnce>[1]['order']
  const ledger = { record: () => [{ wasSent: false }] }
  await expect(createOnce(client, { order, idempotencyKey: 'k', bodyHash: 'h' }, ledger)).rejects.toThrow(
    /white space around it/,
  )
  expect(await countOf('L-1')).toBe(0)
})
