import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createCli, type RunOptions } from '../support/cli/program.js'
import { faults, serveScripted } from '../support/client/scripted-server.js'
import { jsonLines } from '../support/json-lines.js'
import { testOrder } from '../support/orders.js'

const cli = createCli(afterAll)
const { server } = serveScripted()
let files = 0

const run = (words: readonly string[], options: RunOptions = {}) =>
  cli.run(words, { ...options, env: { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key', ...options.env } })

function fileOf(content: string | Uint8Array): string {
  const path = join(cli.home, `input-${++files}`)
  writeFileSync(path, content)
  return path
}

/** An order with so many levels, the outermost object included. */
function orderText(reference: string, levels: number): string {
  const note = `${'{"a":'.repeat(levels - 2)}1${'}'.repeat(levels - 2)}`
  return JSON.stringify(testOrder(reference, { metadata: { note: 'NOTE' } })).replace('"NOTE"', note)
}

describe('JSON nested deeper than 200 levels', () => {
  test('is refused as an order with 2, and nothing is sent', async () => {
    for (const levels of [201, 1_000_000]) {
      const { exitCode, stderr } = await run(['deliveries', 'create', '--file', fileOf(orderText('D-1', levels))])
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is nested deeper than 200 levels.')])
    }
    expect(server.requests).toEqual([])
    const { exitCode } = await run(['deliveries', 'create', '--file', fileOf(orderText('D-1', 200))])
    expect([exitCode, server.service.creations]).toEqual([0, 1])
  })

  test('is refused where flags make it that deep', async () => {
    const flags = ['--set', `metadata.${'a.'.repeat(5_000)}b=1`]
    const byPath = await run(['deliveries', 'create', '--file', fileOf(orderText('D-2', 3)), ...flags])
    expect([byPath.exitCode, byPath.stderr]).toEqual([2, expect.stringContaining('deeper than 200 levels')])
    const value = '['.repeat(199) + ']'.repeat(199)
    const byValue = await run([
      'deliveries',
      'create',
      '--file',
      fileOf(orderText('D-2', 3)),
      '--set',
      `metadata.a=${value}`,
    ])
    expect([byValue.exitCode, byValue.stderr]).toEqual([2, expect.stringContaining('deeper than 200 levels')])
    expect(server.requests).toEqual([])
  })

  test('fails alone as a row of NDJSON or of an array', async () => {
    const rows = [orderText('R-1', 3), orderText('R-2', 300), orderText('R-3', 3)]
    for (const [at, input] of [rows.join('\n'), `[${rows.join(',')}]`].entries()) {
      const { exitCode, stdout } = await run([
        'deliveries',
        'create',
        '--file',
        fileOf(input),
        '-o',
        'ndjson',
        '--set',
        `clientOrderReference=x${at}`,
      ])
      const results = jsonLines(stdout)
      expect(exitCode).toBe(9)
      expect(results.find(({ row }) => row === 2)).toMatchObject({
        outcome: 'failed',
        error: { message: expect.stringContaining('is nested deeper than 200 levels') },
      })
      expect(results.map(({ row }) => row).sort()).toEqual([1, 2, 3])
    }
  })

  test('is no answer of the service: 8', async () => {
    server.play(faults.answer({ status: 200, headers: {}, body: orderText('D-3', 201) }))
    const { exitCode, stderr } = await run(['deliveries', 'get', 'del_1'])
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining('The answer is nested deeper than 200 levels')])
  })

  test('is refused as the body of dlv api, and as an answer that is to be read', async () => {
    const refused = await run(['api', 'POST', '/deliveries', '--input', fileOf(orderText('D-4', 201))])
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--input is nested deeper')])
    expect(server.requests).toEqual([])
    server.play(faults.answer({ status: 200, headers: {}, body: orderText('D-4', 201) }))
    expect((await run(['api', 'GET', '/deliveries/del_1', '--json'])).exitCode).toBe(8)
  })
})

describe('An input without end', () => {
  /** A file of so many megabytes that takes no room on the disk: behind its beginning there are zero bytes. */
  function sparseFile(beginning: string, megabytes: number): string {
    const path = fileOf(beginning)
    truncateSync(path, megabytes * 1_048_576)
    return path
  }
  const csvHeader = 'clientOrderReference,dropoff.instructions\n'

  test.each([
    ['one order of 700 MB', '{"clientOrderReference":"A","metadata":{"a":"', 'The first object of'],
    ['a CSV cell without its end', `${csvHeader}A-1,"`, 'A cell of the record on line 2'],
    ['a CSV header without its end', 'clientOrderReference,', 'The header'],
    ['a row of NDJSON without its end', `${JSON.stringify(testOrder('L-1'))}\n{"a":"`, 'Row 2 (line 2)'],
    ['an element of an array without its end', `[${JSON.stringify(testOrder('L-1'))},{"a":"`, 'Row 2 (line 1)'],
  ])('is refused with the limit in MB: %s', async (_, beginning, what) => {
    const { exitCode, stderr } = await run(['deliveries', 'create', '--file', sparseFile(beginning, 700)])
    expect(stderr).toMatch(/ is larger than 16 MB/)
    expect(stderr).toContain(what)
    expect(exitCode).toBe(2)
  })

  test('is refused from a pipe too, which is not read to its end', async () => {
    const endless = `{ printf '{"a":"'; yes; } | dlv deliveries create --file -`
    const { exitCode, stderr } = await cli.shell(endless, { env: { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key' } })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('larger than 16 MB')])
  })

  test('is refused where it is read whole: 64 MB', async () => {
    const words = ['api', 'POST', '/deliveries', '--input', sparseFile('{', 700)]
    const { exitCode, stderr } = await run(words)
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--input .* is larger than 64 MB\./)])
    const body = Buffer.alloc(64 * 1_048_576, ' ')
    body.write('{}')
    const atTheLimit = fileOf(body)
    expect(
      (
        await run(['webhooks', 'sign', '--id', 'evt_1', '--file', atTheLimit], {
          env: { DLV_WEBHOOK_SECRET: `whsec_${Buffer.from('a key of this test, of 32 bytes.').toString('base64')}` },
        })
      ).exitCode,
    ).toBe(0)
  })
})

describe('What an order file holds is told by how it begins', () => {
  const one = JSON.stringify(testOrder('F-1'))
  const pretty = JSON.stringify(testOrder('F-1'), null, 2)
  test.each<[string, string, 'one' | number]>([
    ['one object on one line', `${one}\n`, 'one'],
    ['one object over many lines, after blank ones', `\n\n ${pretty}\n\n`, 'one'],
    [
      'one object larger than any pipe',
      one.replace('"F-1"', `"F-1","metadata":{"note":"${'x'.repeat(2_000_000)}"}`),
      'one',
    ],
    ['one object with a byte order mark', `\ufeff${pretty}`, 'one'],
    ['an array of one', `[${one}]`, 1],
    ['two lines', `${one}\n${JSON.stringify(testOrder('F-2'))}`, 2],
    ['two objects over many lines', `${pretty}\n${JSON.stringify(testOrder('F-2'), null, 2)}`, 2],
    ['two objects on one line', `${one} ${JSON.stringify(testOrder('F-2'))}`, 2],
    ['lines of which the first is broken', `{"a":}\n${one}\n`, 1],
    ['lines of which the first has an open quote', `{"a":"b}\n${one}\n`, 1],
    [
      'CSV',
      'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone\nF-1,S,"1 Main St",M,+12025550100\n',
      1,
    ],
  ])('%s', async (_, text, expected) => {
    const { exitCode, stdout, stderr } = await run(['deliveries', 'create', '--file', '-', '-o', 'ndjson'], {
      stdin: text,
    })
    const created = jsonLines(stdout).filter(({ deliveryId }) => deliveryId !== null)
    expect(created, stderr).toHaveLength(expected === 'one' ? 1 : expected)
    expect(created.every(({ row }) => (row === undefined) === (expected === 'one'))).toBe(true)
    expect(exitCode).toBe(expected === 'one' || !text.startsWith('{"a"') ? 0 : 9)
  })

  test.each([
    ['half an object', '{"clientOrderReference":', 'is not JSON'],
    [
      'prose',
      'Please deliver this.',
      'is neither JSON nor CSV with a header such as clientOrderReference,dropoff.contactName',
    ],
    [
      'the beginning of a workbook',
      'PK\u0003\u0004\u0014',
      'cannot be read as a workbook: the end of the file is missing',
    ],
    ['columns of other names', 'order;store\n1;2\n', 'The column "order" is not a field of the request'],
  ])('%s is refused', async (_, text, message) => {
    const { exitCode, stderr } = await run(['deliveries', 'create', '--file', '-'], { stdin: text })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('an order with more fields than any has is refused at once, alone and as a row', async () => {
    const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, 'v']))
    const order = JSON.stringify({ clientOrderReference: 'WIDE', metadata: fields })
    for (const stdin of [order, `${order}\n${order}\n`]) {
      const { exitCode, stdout, stderr } = await run(['deliveries', 'create', '--file', '-', '--dry-run'], { stdin })
      expect(exitCode).not.toBe(0)
      expect(stdout + stderr).toContain('has more than 10,000 fields')
      expect((stdout + stderr).length).toBeLessThan(2_000)
    }
    const scenario = join(cli.home, `scenario-${++files}.json`)
    for (const [text, message] of [
      [`{${Array.from({ length: 45_000 }, (_, index) => `"k${index}":1`).join()}}`, 'is larger than 256 kB'],
      ['{"name":"one",\n"name":"two"}', 'Map keys must be unique at line 2, column 1'],
    ] as const) {
      writeFileSync(scenario, text)
      const { exitCode, stderr } = await run(['sandbox', 'play', scenario])
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
    }
  })

  test('bytes that are not UTF-8 are refused, as one order and as rows', async () => {
    for (const text of ['{"clientOrderReference":"\u00e9"}', 'clientOrderReference,dropoff.contactName\nA,\u00e9\n']) {
      const path = join(cli.home, `latin-${++files}`)
      writeFileSync(path, Buffer.from(text, 'latin1'))
      const { exitCode, stderr } = await run(['deliveries', 'create', '--file', path])
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${path} is not UTF-8 text`)])
      expect(stderr).toContain('--encoding windows-1252')
    }
    expect(server.requests).toEqual([])
  })

  test.each([
    ['windows-1252', [0xe9, 0x80]],
    ['macintosh', [0x8e, 0xdb]],
  ])('a spreadsheet saved as %s is read with --encoding', async (encoding, [accent = 0, euro = 0]) => {
    const path = join(cli.home, `sheet-${++files}`)
    const row = testOrder(`${encoding}-1`)
    const columns =
      'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone'
    const text = `${columns}\r\n${encoding}-1,${row.pickup.storeReference},"1 Main St",Ren\u0001 \u0002,+12025550100\r\n`
    writeFileSync(
      path,
      Buffer.from(text).map((byte) => (byte === 1 ? accent : byte === 2 ? euro : byte)),
    )
    const words = ['deliveries', 'create', '--file', path, '-o', 'ndjson', '--encoding', encoding]
    const { exitCode, stderr } = await run(words)
    expect([exitCode, stderr]).toEqual([0, expect.any(String)])
    expect(server.requests.map(({ body }) => body).join()).toContain('"contactName":"Ren\u00e9 \u20ac"')
  })

  test('an encoding that does not exist is refused, and one without a file', async () => {
    const unknown = await run(['deliveries', 'create', '--file', fileOf('{}'), '--encoding', 'excel'])
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('"excel" is not an encoding.')])
    const alone = await run(['deliveries', 'create', '--encoding', 'windows-1252', '--ref', 'E-1'])
    expect([alone.exitCode, alone.stderr]).toEqual([2, expect.stringContaining('--encoding is for the text of a file')])
  })
})
