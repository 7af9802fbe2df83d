import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { jsonLines } from '../../support/json-lines.js'
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

interface Row {
  line: number
  body: Record<string, unknown> | null
  error: { message: string; hint?: string } | null
}

async function dryRun(words: string[]): Promise<{ rows: Row[]; stderr: string }> {
  const { stdout, stderr } = await run([...words, '--dry-run', '-o', 'ndjson'])
  return { rows: jsonLines(stdout) as unknown as Row[], stderr }
}

const columns = 'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone'
const order = (reference: string, name = 'Ann', more = '') =>
  `${reference},STORE-001,"418 Ramsey St, Fayetteville, NC 28301",${name},+19105550101${more}`

describe('The export of a shop', () => {
  const sheet = [
    'Orders of Monday,,,,,,,,,,',
    '',
    'Name,First\u00a0name,Last name,Address 1,Apt,City,State,Zip,Qty,Item,Phone,Phone,',
    "T-1,Ann,Reyes,418 Ramsey St,,Fayetteville,NC,'28301,2,Bowl,,+19105550101,",
    'T-1,,,,,,,,1,Cup,,,',
    ',,,,,,,,,,,,',
    'T-2,Ben,Lee,200 Hay St,4B,Fayetteville,NC,28301,1,"Pan ""12""",+19105550102,,,',
    'T-3,Cleo,#REF!,200 Hay St,,Fayetteville,NC,28301,1,Pan,+19105550102,,',
    'Total,,,,,,,,5,,,,',
    '3 record(s) downloaded,,,,,,,,,,,,',
  ]
  const map = [
    'Name=clientOrderReference',
    'First name+Last name=dropoff.contactName',
    'Address 1+City+State+Zip=dropoff.address',
    'Qty=package.itemsCount,Item=package.description',
    'Phone=dropoff.contactPhone',
  ].flatMap((pair) => ['--map', pair])
  const words = (file: string) => ['deliveries', 'create', '--file', file, '--store', 'STORE-001', ...map]

  it.each([
    ['with LF', '\n'],
    ['with CR', '\r'],
  ])('%s is read as it is: titles, items, empty columns, totals', async (_, end) => {
    const { rows, stderr } = await dryRun(words(fileOf(sheet.join(end))))
    expect(rows.map(({ line, body, error }) => [line, body ?? error?.message])).toEqual([
      [
        4,
        {
          clientOrderReference: 'T-1',
          pickup: { storeReference: 'STORE-001' },
          dropoff: {
            contactName: 'Ann Reyes',
            address: '418 Ramsey St, Fayetteville, NC 28301',
            contactPhone: '+19105550101',
          },
          package: { itemsCount: 3, description: 'Bowl, Cup' },
        },
      ],
      [7, expect.objectContaining({ clientOrderReference: 'T-2' })],
      [8, expect.stringContaining('"#REF!" is an error of the sheet\'s formula')],
    ])
    expect(stderr).toContain('--map "Address 1+Apt+City+State+Zip=dropoff.address"')
    expect(stderr).toContain('Lines 9-10: left out, because it looks like a total or a footer: "Total 5". Also')
    expect(stderr).toContain('1 order has several rows')
  })

  it('writes its rejected rows with all rows of an order, to be sent again', async () => {
    const rejects = join(cli.home, 'rejected.csv')
    const broken = [
      ...sheet.slice(0, 7),
      'T-4,#N/A,Lee,1 Main St,,Fayetteville,NC,28301,1,A,+19105550102,,',
      'T-4,,,,,,,,2,B,,,',
    ]
    await run([...words(fileOf(broken.join('\n'))), '--rejects', rejects])
    const text = readFileSync(rejects, 'utf8')
    expect(text.split('\n').map((line) => line.split(',')[0])).toEqual(['Name', 'T-4', 'T-4', ''])
    const { rows } = await dryRun(words(fileOf(text.replace('#N/A', 'Dana'))))
    expect(rows).toMatchObject([{ body: { dropoff: { contactName: 'Dana Lee' }, package: { itemsCount: 3 } } }])
  })

  it('sends an order whole or not at all, whatever its rows leave blank or say differently', async () => {
    const line = (reference: string, street: string, [qty, note, gift]: [string, string, string]) =>
      `${reference},Ann,+19105550142,"${street}, Fayetteville, NC 28301",${qty},${note},${gift}`
    const one = '1 Hay St'
    const text = [
      'Ref,Name,Phone,Address,Qty,Note,Gift',
      ...[line('G-1', one, ['1', 'Ring bell', '']), line('G-1', one, ['2', 'Ring bell', 'To Mia'])],
      ...[line('G-2', one, ['1', 'Ring bell', 'To Mia']), line('G-2', one, ['1', '', ''])],
      ...[
        line('G-3', one, ['1', 'Ring bell', '']),
        line('G-3', one, ['1', 'ring bell', 'To Mia']),
        line('G-3', one, ['1', '', 'To Bo']),
      ],
      // The same rows twice are items as soon as a third one is.
      ...[line('G-4', one, ['1', '', '']), line('G-4', one, ['1', '', '']), line('G-4', one, ['2', '', ''])],
      ...[line('D-1', one, ['1', '', '']), line('D-1', '2 Hay St', ['1', '', '']), line('D-1', one, ['3', '', ''])],
      ...[line('D-2', one, ['1', '', '']), line('D-2', one, ['#REF!', '', '']), line('D-2', one, ['1', '', ''])],
      ...[line('S-1', one, ['1', '', '']), line('S-1', one, ['1', '', ''])],
    ].join('\n')
    const pairs = 'Ref=clientOrderReference,Name=dropoff.contactName,Phone=dropoff.contactPhone,Address=dropoff.address'
    const map = ['--map', pairs, '--map', 'Qty=package.itemsCount', '--map', 'Note+Gift=dropoff.instructions']
    const file = fileOf(text)
    const own = ['deliveries', 'create', '--file', file, '--store', 'STORE-001', ...map]
    const { rows } = await dryRun(own)
    expect(rows.map(({ line, body, error }) => [line, body?.package ?? error?.message, body?.dropoff])).toMatchObject([
      [2, { itemsCount: 3 }, { instructions: 'Ring bell To Mia' }],
      [4, { itemsCount: 2 }, { instructions: 'Ring bell To Mia' }],
      [6, { itemsCount: 3 }, { instructions: 'Ring bell To Mia To Bo' }],
      [9, { itemsCount: 4 }, {}],
      [
        12,
        expect.stringMatching(/line 13\), column Address: "2 Hay St.*" is not the "1 Hay St.*" of line 12/),
        undefined,
      ],
      [15, expect.stringMatching(/line 16\), column Qty: "#REF!"/), undefined],
      [18, { itemsCount: 1 }, {}],
      [19, { itemsCount: 1 }, {}],
    ])
    const rejects = join(cli.home, 'refused.csv')
    await run([...own, '--rejects', rejects])
    expect(readFileSync(rejects, 'utf8').match(/^[DGS]-\d/gm)).toEqual(['D-1', 'D-1', 'D-1', 'D-2', 'D-2', 'D-2'])
    expect((await run(['deliveries', 'results', '--file', file])).stdout).not.toContain('conflict')
  })

  it('is told apart from what was sent of it: an update says which rows change something', async () => {
    const window = '2036-11-25T20:00:00Z,2036-11-25T22:00:00Z,scheduled'
    const lines = (street: string, start: string) => [
      'Ref,Store,Name,Phone,Address,Note,Qty,timeWindows.dropoff.start,timeWindows.dropoff.end,timeWindows.deliveryMode',
      ...['U-1', 'U-2', 'U-3'].map(
        (reference) =>
          `${reference},STORE-001,Ann,+19105550142,"${reference === 'U-2' ? street : '1 Hay St'}, Fayetteville, NC 28301",Ring,2,${reference === 'U-3' ? window.replace('T20', start) : window}`,
      ),
    ]
    const file = fileOf(lines('1 Hay St', 'T20').join('\n'))
    const pairs = 'Ref=clientOrderReference,Name=dropoff.contactName,Phone=dropoff.contactPhone,Address=dropoff.address'
    const map = ['--map', pairs, '--map', 'Note=dropoff.instructions,Qty=package.itemsCount']
    const created = await run(['deliveries', 'create', '--file', file, ...map, '--map', 'Store=pickup.storeReference'])
    expect(created.exitCode, created.stdout + created.stderr).toBe(0)
    const updated = async () => {
      const words = ['deliveries', 'update', '--file', file, ...map, '--dry-run', '-o', 'ndjson']
      const { stdout, stderr } = await run(words)
      return [...jsonLines<{ outcome: string }>(stdout).map(({ outcome }) => outcome), /unchanged/.test(stderr)]
    }
    expect(await updated()).toEqual(['unchanged', 'unchanged', 'unchanged', true])
    writeFileSync(file, lines('2 Hay St', 'T19').join('\n'))
    expect(await updated()).toEqual(['unchanged', 'ready', 'ready', true])
  })

  it('names a wrong column and a wrong pair alone', async () => {
    const file = fileOf(sheet.join('\n'))
    const told = async (pair: string) => (await run(['deliveries', 'create', '--file', file, '--map', pair])).stderr
    expect(await told('First name+Surname=dropoff.contactName')).toContain('The header has no column "Surname"')
    expect(await told('Name=clientOrderRef,Phone=dropoff.contactPhone')).toMatch(/"clientOrderRef" is not a field/)
  })
})

describe('A value that a sheet or a program failed to write', () => {
  const faults = [
    ...'#N/A,#REF!,#NAME?,#VALUE!,#DIV/0!,#NUM!,#NULL!,#SPILL!,#CALC!,#GETTING_DATA,Err:502,Err:508,########,###'.split(
      ',',
    ),
    ...'[object Object],undefined,NaN,#BEZUG!,#NV,#¡REF!,#¿NOMBRE?,#WAARDE!,undefined undefined,Invalid Date'.split(
      ',',
    ),
    ...'Loading...,{{customer.name}},<no value>,#ERROR!'.split(','),
  ]

  it('is refused in rows of CSV and JSON and in flags, with the remedy', async () => {
    const csv = await dryRun([
      'deliveries',
      'create',
      '--file',
      fileOf(`${columns}\n${faults.map((fault, at) => order(`F-${at}`, fault)).join('\n')}`),
    ])
    const json = await dryRun([
      'deliveries',
      'create',
      '--file',
      fileOf(
        faults
          .map((contactName, at) =>
            JSON.stringify({
              clientOrderReference: `F-${at}`,
              pickup: { storeReference: 'STORE-001' },
              dropoff: { address: '1 Main St, Fayetteville, NC 28301', contactName, contactPhone: '+19105550101' },
            }),
          )
          .join('\n'),
      ),
    ])
    for (const [at, fault] of faults.entries()) {
      expect([fault, csv.rows[at]?.error?.message]).toEqual([
        fault,
        expect.stringContaining(`column dropoff.contactName: "${fault}" is`),
      ])
      expect(csv.rows[at]?.error?.hint).toMatch(/\w/)
      expect([fault, json.rows[at]?.error?.message]).toEqual([fault, expect.stringContaining(`"${fault}" is`)])
    }
    const { stderr, exitCode } = await run([
      'deliveries',
      'create',
      '--store',
      'STORE-001',
      '--name',
      '#REF!',
      '--ref',
      'F-1',
    ])
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('dropoff.contactName (--name): "#REF!" is an error'),
    ])
  })

  it('is told from what people write: names, gates, instructions, inches', async () => {
    const names = ['Nan', 'Null', 'None', '#12', '# 4', '#B', 'N/A Smith', 'Undefined Ltd', '12#', 'C#', 'E-5', '7E5']
    const { rows } = await dryRun([
      'deliveries',
      'create',
      '--file',
      fileOf(`${columns}\n${names.map((name, at) => order(`N-${at}`, name)).join('\n')}`),
    ])
    expect(rows.map(({ error }) => error)).toEqual(names.map(() => null))
  })

  it('is no reference in scientific form, and warns as a date that was a room', async () => {
    for (const [reference, isRounded] of [
      ['6.01E+12', true],
      ['"6,01E+12"', true],
      ['1.00E+02', true],
      ['1E5', false],
      ['E+12', false],
    ] as const) {
      const { rows } = await dryRun(['deliveries', 'create', '--file', fileOf(`${columns}\n${order(reference)}`)])
      expect([reference, rows[0]?.error !== null]).toEqual([reference, isRounded])
    }
    for (const room of ['4-Mar', 'Mar-04', '36954', '2026-03-04']) {
      const { rows, stderr } = await dryRun([
        'deliveries',
        'create',
        '--file',
        fileOf(`${columns},dropoff.unit.room\n${order('R-1', 'Ann', `,${room}`)}`),
      ])
      expect(rows[0]?.error).toBeNull()
      expect(stderr).toContain(`"${room}" may be a date`)
    }
    const ids = await dryRun(['deliveries', 'cancel', '--file', fileOf('6.01E+12\n#REF!\n', 'ids.txt')])
    expect(ids.rows.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('rounded'),
      expect.stringContaining('formula'),
    ])
    const named = ['6.01E+12', '6,01E+12', '1E5'].map((clientOrderReference) => ({ clientOrderReference }))
    const lines = named.map((row) => JSON.stringify(row)).join('\n')
    for (const [name, text] of Object.entries({ 'rows.ndjson': lines, 'rows.json': JSON.stringify(named) }))
      for (const words of [['cancel'], ['update', '--tip-cents', '300']]) {
        const { rows } = await dryRun(['deliveries', ...words, '--file', fileOf(text, name)])
        expect(rows.map(({ error }) => error?.message.includes('rounded'))).toEqual([true, true, false])
      }
  })
})

describe('What dlv prints', () => {
  it('is taken again: lists, results and templates', async () => {
    const file = fileOf(`${columns}\n${order('P-1', "'-Ana")}\n${order('P-2')}`)
    expect((await run(['deliveries', 'create', '--file', file])).exitCode).toBe(0)
    const list = await run([
      'deliveries',
      'list',
      '--search',
      'P-1',
      '-o',
      'csv',
      '--columns',
      'deliveryId,clientOrderReference,dropoff.contactName,status',
    ])
    expect(list.stdout).toContain(",P-1,'-Ana,")
    const again = await run(['deliveries', 'cancel', '-', '--dry-run', '-o', 'ndjson'], list.stdout)
    expect(jsonLines(again.stdout)).toMatchObject([{ clientOrderReference: 'P-1', outcome: 'ready' }])
    expect(again.stderr).toContain('Columns left out: dropoff.contactName, status.')
    const update = await run(['deliveries', 'update', '-', '--instructions', 'Ring', '-o', 'ndjson'], list.stdout)
    expect(jsonLines(update.stdout)).toMatchObject([{ outcome: 'updated' }])
    const results = await run(['deliveries', 'results', '--file', file, '-o', 'csv'])
    const got = await run(['deliveries', 'get', '-', '-o', 'csv', '--columns', 'clientOrderReference'], results.stdout)
    expect(got.stdout.trim().split('\n').sort()).toEqual(['P-1', 'P-2', 'clientOrderReference'])
    const mapped = [
      'deliveries',
      'cancel',
      '--file',
      fileOf('Nr;Why\nP-2;customer_cancelled\n'),
      '--map',
      'Nr=clientOrderReference',
      '--map',
      'Why=reason',
    ]
    expect((await dryRun(mapped)).rows).toMatchObject([{ clientOrderReference: 'P-2', outcome: 'ready' }])
  })
})
