import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { WorkbookRows } from '../../src/render/workbook.js'
import { createCli } from '../support/cli/program.js'
import { xlsxParts, zipOf } from '../support/zip.js'

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
const order = (line: number, reference: string, cells: string, more = '') =>
  `<row r="${line}"${more}>${text(reference)}${text('Maya Reyes')}<c><v>9105550123</v></c>${text('200 Hay St, Fayetteville, NC')}<c s="1"><v>28301</v></c>${cells}</row>`
const names = ['Order', 'Name', 'Phone', 'Address', 'ZIP', 'Deliver from', 'Deliver by']
const head = `<row r="1">${names.map(text).join('')}</row>`
/** The day after tomorrow, as a sheet counts days. */
const day = Math.floor(Date.now() / 86_400_000) + 2
const isoDay = new Date(day * 86_400_000).toISOString().slice(0, 10)
const by = (hour: number) =>
  `<c s="2"><v>${day + 25_569 + 0.625}</v></c><c s="2"><v>${day + 25_569 + hour / 24}</v></c>`
const formats = ['00000', 'm/d/yyyy h:mm AM/PM']
const flags = [
  ...['Order=clientOrderReference', 'Name=dropoff.contactName', 'Phone=dropoff.contactPhone'],
  ...['Address+ZIP=dropoff.address', 'Deliver from=timeWindows.dropoff.start', 'Deliver by=timeWindows.dropoff.end'],
].flatMap((pair) => ['--map', pair])
const forms = ['--us-phones', '--us-times', 'store', '--store', 'STORE-001']

test('a workbook is dispatched as a CSV with its cells would be, and its rejected rows are sent again as CSV', async () => {
  const cli = createCli()
  const file = join(cli.home, 'orders.xlsx')
  const rejects = join(cli.home, 'rejected.csv')
  const rows = `${head}${order(2, 'BOOK-1', by(18))}${order(3, 'BOOK-2', by(18).replace(/<c[^>]*><v>[^<]*<\/v><\/c>$/, '<c><f>1+1</f></c>'))}${order(7, 'BOOK-3', by(18), ' hidden="1"')}`
  writeFileSync(file, zipOf(xlsxParts({ rows, formats })))
  const create = ['deliveries', 'create', '--file', file, ...flags, ...forms]

  const refused = await cli.run([...create, '--dry-run'])
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/1 row that it does not show.*: row 7\.\n.*--hidden read/s),
  ])
  const checked = await cli.run([...create, '--dry-run', '--hidden', 'read', '-o', 'json'])
  expect(JSON.parse(checked.stdout)).toMatchObject([
    {
      line: 2,
      outcome: 'ready',
      body: {
        timeWindows: { dropoff: { end: `${isoDay}T23:00:00.000Z` } },
        dropoff: { address: '200 Hay St, Fayetteville, NC 28301' },
      },
    },
    {
      line: 3,
      outcome: 'failed',
      error: {
        message: expect.stringMatching(
          /^row 2 \(Orders!G3\), column Deliver by: is a formula that was never calculated/,
        ),
      },
    },
    { line: 7, outcome: 'ready' },
  ])
  const ran = await cli.run([...create, '--hidden', 'skip', '--rejects', rejects, '--sheet', 'orders'])
  expect([ran.exitCode, ran.stderr]).toEqual([9, expect.stringMatching(/1 created.*1 failed/)])
  expect(ran.stderr).not.toMatch(/--file \S*rejected\.csv.*--(?:hidden|sheet)/)
  expect(readFileSync(rejects, 'utf8')).toMatch(
    /^Order,Name,.*rejectedReason\nBOOK-2,Maya Reyes,9105550123,"200 Hay St, Fayetteville, NC",28301,[^,]*,#VALUE!,3,/,
  )

  const again = await cli.run(['deliveries', 'create', '--file', rejects, ...flags, ...forms])
  expect(again.stdout).toMatch(/column Deliver by: \S*#VALUE!/)
  writeFileSync(rejects, readFileSync(rejects, 'utf8').replace('#VALUE!', `${isoDay} 18:00`))
  const repaired = await cli.run([
    'deliveries',
    'create',
    '--file',
    rejects,
    ...flags,
    ...forms,
    '--results',
    join(cli.home, 'r.ndjson'),
  ])
  expect([repaired.exitCode, repaired.stderr]).toEqual([0, expect.stringMatching(/1 created/)])
})

test('ids and promises are read from workbooks too', async () => {
  const cli = createCli()
  const ids = join(cli.home, 'ids.xlsx')
  await cli.json([
    'deliveries',
    'create',
    '--ref',
    'BOOK-9',
    '--store',
    'STORE-001',
    '--to',
    '200 Hay St, Fayetteville, NC 28301',
    '--name',
    'Maya Reyes',
    '--phone',
    '+19105550123',
  ])
  writeFileSync(ids, zipOf(xlsxParts({ rows: `<row>${text('BOOK-9')}</row>` })))
  const dry = await cli.run(['deliveries', 'cancel', '--file', ids, '--dry-run', '-o', 'json'])
  expect(JSON.parse(dry.stdout)).toMatchObject([
    { line: 1, outcome: 'ready', deliveryId: expect.stringMatching(/^del_/) },
  ])

  const reported = (cells: string) => {
    const promises = join(cli.home, 'promises.xlsx')
    const header = `<row>${text('clientOrderReference')}${text('promisedBy')}</row>`
    const rows = `${header}<row>${text('BOOK-9')}${cells}</row>`
    writeFileSync(promises, zipOf(xlsxParts({ rows, formats: [22] })))
    return cli.run(['report', '--from', '2h', '--promise', promises])
  }
  expect(await reported('<c s="1"><v>46356.625</v></c>')).toMatchObject({ exitCode: 0 })
  expect(await reported('<c><v>46356.625</v></c>')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('line 2: "46356.625" is not a time'),
  })
})

test('-o xlsx keeps ids, ZIP codes, phones, money and times whole, for dlv and for any other reader', async () => {
  const cli = createCli()
  const orders = [1, 2, 3].map((at) => ({
    clientOrderReference: `00${at}7E5`,
    pickup: { storeReference: 'STORE-001' },
    dropoff: {
      contactName: at === 1 ? "'=Ana <&> _x000D_" : 'Maya Reyes',
      contactPhone: `+1910555010${at}`,
      address: '200 Hay St, Fayetteville, NC 28301',
    },
    tipAmountCents: 350 * at,
    timeWindows: {
      deliveryMode: 'scheduled',
      dropoff: { start: `${isoDay}T2${at}:00:00.000Z`, end: `${isoDay}T23:30:00.000Z` },
    },
  }))
  const source = join(cli.home, 'orders.json')
  writeFileSync(source, JSON.stringify(orders))
  const bodies = async (file: string) => {
    const { stdout } = await cli.run(['deliveries', 'create', '--file', file, '--dry-run', '-o', 'json'])
    return (JSON.parse(stdout) as { body: { timeWindows: { dropoff: Record<string, string> } } }[]).map(({ body }) => ({
      ...body,
      timeWindows: {
        ...body.timeWindows,
        dropoff: Object.fromEntries(
          Object.entries(body.timeWindows.dropoff).map(([name, time]) => [name, Date.parse(time)]),
        ),
      },
    }))
  }
  const columns = [
    'clientOrderReference',
    'pickup.storeReference',
    'dropoff.contactName',
    'dropoff.contactPhone',
    'dropoff.address',
    'tipAmountCents',
    'timeWindows.deliveryMode',
    'timeWindows.dropoff.start',
    'timeWindows.dropoff.end',
  ]
  const written = new WorkbookRows(
    columns.map((name) => ({ name })),
    true,
  )
  await written.add(orders)
  const book = join(cli.home, 'book.xlsx')
  writeFileSync(book, await written.end())
  expect(await bodies(book)).toEqual(await bodies(source))
  expect(sheetOf(readFileSync(book))).toMatch(
    /<dimension ref="A1:K4"\/>.*state="frozen".*<c r="F2" s="3"><v>3\.5<\/v><\/c>/s,
  )
  expect(sheetOf(readFileSync(book))).not.toContain('<f>')

  expect(await cli.run(['deliveries', 'list', '-o', 'xlsx'], { columns: 80 })).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('> deliveries.xlsx'),
  })
})

test('what get prints is an update that leaves out what can no longer change and is as it is', async () => {
  const cli = createCli()
  const order = (reference: string) => [
    ...['deliveries', 'create', '--ref', reference, '--store', 'STORE-001', '--name', 'Maya Reyes'],
    ...['--phone', '+19105550123', '--to', '200 Hay St, Fayetteville, NC 28301'],
  ]
  for (const reference of ['007', 'MAR-4']) await cli.json(order(reference))
  await cli.run(['simulate', '007', '--to', 'pickup_complete'])
  const columns = 'deliveryId,status,pickup.storeReference,dropoff.contactName,dropoff.instructions'
  const printed = await cli.run(['deliveries', 'get', '007', 'MAR-4', '-o', 'csv', '--columns', columns])
  const file = join(cli.home, 'get.csv')
  const update = ['deliveries', 'update', '--file', file]
  writeFileSync(file, printed.stdout.replace(/,$/gm, ',Ring twice'))
  expect(await cli.run([...update, '--dry-run'])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('2 rows are ready'),
  })
  expect(await cli.run(update)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 updated') })
  expect(await cli.json(['deliveries', 'get', '007'])).toMatchObject({ dropoff: { instructions: 'Ring twice' } })

  writeFileSync(file, printed.stdout.replace('Maya Reyes', 'Ana Cole'))
  expect(await cli.run([...update, '--dry-run'])).toMatchObject({
    exitCode: 9,
    stdout: expect.stringContaining('dropoff.contactName cannot be updated once a delivery is pickup_complete'),
  })
  const refused = await cli.run(update)
  expect([refused.exitCode, refused.stdout]).toEqual([9, expect.stringContaining('INVALID_STATE_TRANSITION')])

  const list = await cli.run(['deliveries', 'list', '--from', '1h', '-o', 'csv', '--columns', 'clientOrderReference'])
  expect(list.stdout.trim().split('\n').sort()).toEqual(["'007", "'MAR-4", 'clientOrderReference'])
  const references = join(cli.home, 'list.csv')
  writeFileSync(references, list.stdout)
  const cancelled = await cli.run(['deliveries', 'cancel', '--file', references, '--dry-run', '-o', 'json'])
  expect(JSON.parse(cancelled.stdout)).toHaveLength(2)
})

/** The XML of the sheet that dlv wrote: the last part of the archive. */
function sheetOf(bytes: Buffer): string {
  const start = bytes.lastIndexOf(Buffer.from('504b0304', 'hex'))
  return inflateRawSync(bytes.subarray(start + 30 + bytes.readUInt16LE(start + 26)), {
    finishFlush: constants.Z_SYNC_FLUSH,
  }).toString()
}

test('installations check reads the stops of a sheet', async () => {
  const cli = createCli()
  const order = (ref: string, code: string) => ({ ref, code, to: '2175 Reilly Rd, Fort Bragg, NC 28310' })
  const rows = [order('B-1', 'FTBRAGG'), order('B-2', 'NOWHERE'), order('B-3', '#REF!')]
  const sheet = join(cli.home, 'stops.csv')
  writeFileSync(sheet, `Order,Base,Address\n${rows.map(({ ref, code, to }) => `${ref},${code},"${to}"`).join('\n')}\n`)
  const map = ['Order=clientOrderReference', 'Base=dropoff.installation.code', 'Address=dropoff.address']
  const check = (file: string) =>
    cli.run(['installations', 'check', '--file', file, '-o', 'json', ...map.flatMap((pair) => ['--map', pair])])
  const checked = await check(sheet)
  expect([checked.exitCode, JSON.parse(checked.stdout)]).toMatchObject([
    9,
    [
      { clientOrderReference: 'B-1', installation: { code: 'FTBRAGG' } },
      { clientOrderReference: 'B-2', outcome: 'unserved', reasonCode: 'installation_not_served' },
      { outcome: 'failed', error: { message: expect.stringContaining('column Base: "#REF!"') } },
    ],
  ])
  expect(checked.stderr).toContain('1 could not be checked')
})
