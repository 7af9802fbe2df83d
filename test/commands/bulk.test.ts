import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { orderLines, recordedResults } from '../support/bulk/run.js'
import { createCli, type RunOptions } from '../support/cli/program.js'
import { faults, serveScripted } from '../support/client/scripted-server.js'
import { refusal } from '../support/client/scripted-service.js'
import { jsonLines } from '../support/json-lines.js'
import { testOrder } from '../support/orders.js'

const cli = createCli(afterAll)
const { server, env } = serveScripted()
let files = 0

const run = (words: readonly string[], options: RunOptions = {}) =>
  cli.run(words, { ...options, env: { ...env(), ...options.env } })

function fileOf(content: string, name = 'input'): string {
  const path = join(cli.home, `${name}-${++files}`)
  writeFileSync(path, content)
  return path
}

const ndjson = (text: string) => jsonLines<Record<string, unknown>>(text)

/** So many deliveries, made before; their ids. */
function made(count: number): string[] {
  for (let index = 1; index <= count; index++)
    server.service.execute('POST', '/delivery/v1/deliveries', `k${index}`, JSON.stringify(testOrder(`R-${index}`)))
  return [...server.service.deliveries.keys()]
}

describe('A bulk create', () => {
  test('of a single order writes --results too, resumes from it, and refuses it for an order of flags', async () => {
    const results = join(cli.home, `results-${++files}.ndjson`)
    const file = fileOf(JSON.stringify(testOrder('ONE-1')))
    for (const outcome of ['1 created', '1 created (1 of them in an earlier run)'])
      expect(await run(['deliveries', 'create', '--file', file, '--results', results])).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining(outcome),
      })
    expect([...recordedResults(results).values()]).toMatchObject([
      { row: 1, clientOrderReference: 'ONE-1', outcome: 'created' },
    ])
    expect(await run(['deliveries', 'create', '--file', file, '--ref', 'ONE-2', '--results', results])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--results is for the orders of a file, not for one order of flags.'),
    })
  })

  test('takes a JSON array, NDJSON, CSV and a pipe, one result a row, and keeps its record beside the input', async () => {
    const csv =
      'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone\nC-1,STORE-001,"1 Main St, Killeen, TX 76541",Sam,+12025550101\nC-2,STORE-001,"1 Main St, Killeen, TX 76541",Sam,+12025550101\n'
    const inputs = [orderLines(2), JSON.stringify([testOrder('A-1'), testOrder('A-2')]), csv]
    for (const input of inputs) {
      const file = fileOf(input)
      const { exitCode, stdout, stderr } = await run(['deliveries', 'create', '--file', file, '-o', 'ndjson'])
      expect(exitCode, stderr).toBe(0)
      expect(ndjson(stdout).map(({ row, outcome }) => [row, outcome])).toEqual([
        [1, 'created'],
        [2, 'created'],
      ])
      expect(recordedResults(`${file}.results.ndjson`).size).toBe(2)
    }
    const piped = await run(['deliveries', 'create', '--file', '-', '-o', 'ndjson'], { stdin: orderLines(2, 50) })
    expect(ndjson(piped.stdout)).toHaveLength(2)
    expect(server.service.creations).toBe(8)
  })

  test('opens no more connections than requests that it may have in flight', async () => {
    const { exitCode } = await run(['deliveries', 'create', '--file', fileOf(orderLines(60)), '--concurrency', '4'])
    expect(exitCode).toBe(0)
    expect(Math.max(...server.requests.map(({ connection }) => connection))).toBe(4)
  })

  test('ends with 9 if a row failed, and continues after rows that can never be sent', async () => {
    const long = JSON.stringify(
      testOrder('R-9', { dropoff: { ...testOrder('x').dropoff, instructions: 'x'.repeat(281) } }),
    )
    server.play(faults.refuse(422, 'NO_ELIGIBLE_PROVIDERS'))
    const { exitCode, stdout } = await run(
      ['deliveries', 'create', '--file', '-', '-o', 'ndjson', '--concurrency', '1'],
      {
        stdin: `${orderLines(1)}${long}\n${orderLines(1, 2)}`,
      },
    )
    expect(exitCode).toBe(9)
    const rows = ndjson(stdout).sort((a, b) => Number(a.row) - Number(b.row))
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'created'])
    expect(rows[0]).toMatchObject({ error: { code: 'NO_ELIGIBLE_PROVIDERS', status: 422, requestId: 'req_scripted' } })
    expect(rows[1]).toMatchObject({ clientOrderReference: 'R-9', error: { message: expect.stringContaining('281') } })
    expect(server.requests).toHaveLength(2)
  })

  test('prints with -q the ids of what it created, and no line for a row that failed', async () => {
    server.play(faults.refuse(422, 'NO_ELIGIBLE_PROVIDERS'))
    const words = ['deliveries', 'create', '--file', '-', '-q', '--concurrency', '1']
    const { exitCode, stdout } = await run(words, { stdin: orderLines(2) })
    expect(exitCode).toBe(9)
    expect(stdout).toBe('del_1\n')
  })

  test('checks every row with --dry-run and sends nothing', async () => {
    const rows = [
      testOrder('D-1'),
      { ...testOrder('D-2'), dropoff: undefined },
      testOrder('D-1', { tipAmountCents: 5 }),
      testOrder('D-3', { tipAmountCents: 'much' }),
      testOrder('D-1'),
    ]
    const input = `${rows.map((row) => JSON.stringify(row)).join('\n')}\n{"broken\n`
    const { exitCode, stdout, stderr } = await run(
      ['deliveries', 'create', '--file', '-', '--dry-run', '-o', 'ndjson'],
      {
        stdin: input,
      },
    )
    expect(exitCode).toBe(9)
    expect(ndjson(stdout).map(({ outcome }) => outcome)).toEqual([
      'ready',
      'failed',
      'failed',
      'failed',
      'ready',
      'failed',
    ])
    expect(stdout).toContain('dropoff: is required')
    expect(stdout).toContain('Line 1 has the same clientOrderReference with another order')
    expect(stderr).toContain('1 row is ready, 1 repeats another, 4 would fail. Nothing was sent.')
    expect(server.requests).toEqual([])
  })

  test('fails with --dry-run what the contract refuses, as the real run does', async () => {
    const sandbox = createCli()
    const changed = (reference: string, more: Record<string, unknown>, dropoff: Record<string, unknown> = {}) =>
      testOrder(reference, { ...more, dropoff: { ...testOrder('x').dropoff, ...dropoff } })
    const window = (start: string, end: string) => ({ deliveryMode: 'scheduled', dropoff: { start, end } })
    const refused = [
      changed('a phone', {}, { contactPhone: '910-555-0123' }),
      changed('military mail', {}, { address: 'PSC 3 Box 1, APO, AE 09021' }),
      changed('a post office box', {}, { address: 'PO Box 12, Fayetteville, NC 28301' }),
      changed('a window that is over', { timeWindows: window('2020-01-01T00:00:00Z', '2020-01-01T02:00:00Z') }),
      changed('a window that ends first', { timeWindows: window('2040-01-01T04:00:00Z', '2040-01-01T02:00:00Z') }),
      changed('no window', { timeWindows: { deliveryMode: 'scheduled' } }),
      changed('a mode', { timeWindows: { deliveryMode: 'later' } }),
      changed('a level', { verification: { dropoff: { photo: { level: 'always' } } } }),
      changed('handling', { handling: { undeliverableAction: 'burn' } }),
      changed('a delivery point', {}, { unit: { deliveryPoint: 'roof' } }),
    ]
    const taken = [
      changed('advice', { handling: { undeliverableAction: 'fallback_handoff' } }),
      changed('a ZIP without its installation', {}, { address: '1 Main St, Fort Bragg, NC 28310' }),
    ]
    const stdin = [...refused, ...taken].map((row) => JSON.stringify(row)).join('\n')
    const outcomesOf = async (words: string[]) => {
      const { stdout } = await sandbox.run(['deliveries', 'create', '--file', '-', '-o', 'ndjson', ...words], { stdin })
      const rows = ndjson(stdout).sort((a, b) => Number(a.row) - Number(b.row))
      return rows.map(({ clientOrderReference, outcome }) => [clientOrderReference, outcome])
    }
    const dry = await outcomesOf(['--dry-run'])
    expect(dry.map(([, outcome]) => outcome)).toEqual([...refused.map(() => 'failed'), 'ready', 'ready'])
    const real = await outcomesOf([])
    expect(real).toEqual(dry.map(([reference, outcome]) => [reference, outcome === 'ready' ? 'created' : outcome]))
  })

  test('refuses a results file that holds something else, is a device or cannot be made, and leaves it as it is', async () => {
    const file = fileOf(orderLines(2))
    const precious = fileOf('precious\n')
    for (const results of [precious, '/dev/full', '/dev/null', '/proc/none', '/proc/none/below', cli.home]) {
      const { exitCode, stderr } = await run(['deliveries', 'create', '--file', file, '--results', results])
      expect(exitCode, `${results}: ${stderr}`).toBe(2)
      expect(stderr).not.toContain('DEFECT')
    }
    expect(readFileSync(precious, 'utf8')).toBe('precious\n')
  })

  test('stops with 3 at a 401 and with 7 at a wait of an hour, and names the time', async () => {
    server.play(faults.serve(), faults.refuse(401, 'UNAUTHORIZED'))
    const words = ['deliveries', 'create', '--concurrency', '1', '--file']
    expect((await run([...words, fileOf(orderLines(5))])).exitCode).toBe(3)
    expect(server.requests).toHaveLength(2)
    server.play(faults.refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }))
    const waiting = await run([...words, fileOf(orderLines(5, 100))])
    expect(waiting.exitCode).toBe(7)
    expect(waiting.stderr).toMatch(/Run the same command after 20\d\d-\d\d-\d\dT/)
  })
})

describe('A service with a rate and a quota for the day', () => {
  test('is used at its rate until the quota is used up, which the run then names', async () => {
    let left = 30
    server.always = (turn) => {
      const answer = turn.execute()
      const headers = {
        'ratelimit-policy': '"default";q=200;w=1, "daily";q=500000;w=86400',
        ratelimit: `"default";r=190;t=1, "daily";r=${--left};t=7200`,
      }
      turn.send({ ...answer, headers: { ...answer.headers, ...headers } })
    }
    const ended = await run(['deliveries', 'create', '--file', fileOf(orderLines(40)), '-o', 'ndjson'])
    expect([ended.exitCode, server.service.creations], ended.stderr).toEqual([7, 30])
    expect(ended.stderr.replace(/\s+/g, ' ')).toMatch(
      /Stopped: the service asks for a longer wait .* \(The quota daily of 500,000\/d is used up for 2 h\)/,
    )
  })
})

describe('The same orders under another name', () => {
  /** Somebody with a stored key, at a service where references are free again once a delivery has ended. */
  async function merchant() {
    const someone = createCli()
    server.service.freesReferences = true
    const { DLV_BASE_URL: url, DLV_API_KEY: key } = env()
    const added = await someone.run(
      ['profiles', 'add', 'acme', '--environment', 'sandbox', '--base-url', url, '--api-key-stdin', '--no-keychain'],
      { stdin: key },
    )
    expect(added.exitCode, added.stderr).toBe(0)
    const create = async (words: string[], stdin = '') => {
      const ended = await someone.run(['deliveries', 'create', '-P', 'acme', ...words, '-o', 'ndjson'], { stdin })
      const outcomes = ndjson(ended.stdout).map(({ outcome, status }) => `${outcome} ${status}`)
      return { ...ended, outcomes }
    }
    return { someone, create }
  }

  test('are not dispatched again a day later: from a pipe, with other results or one by one', async () => {
    const { someone, create } = await merchant()
    const file = fileOf(orderLines(3))
    expect((await create(['--file', file])).outcomes).toEqual(Array(3).fill('created accepted'))
    server.service.passDay()
    const piped = await create(['--file', '-'], orderLines(3))
    expect(piped.outcomes).toEqual(Array(3).fill('existing delivered'))
    const elsewhere = await create(['--file', file, '--results', join(someone.home, 'other.ndjson')])
    expect(elsewhere.outcomes).toEqual(Array(3).fill('existing delivered'))
    const one = await create(['--file', fileOf(JSON.stringify(testOrder('R-2')))])
    expect(one.stderr).toContain('This order already exists; nothing was dispatched.')
    expect((await create(['--file', fileOf(JSON.stringify(testOrder('R-9')))])).exitCode).toBe(0)
    server.service.passDay()
    expect((await create(['--file', '-'], JSON.stringify([testOrder('R-9')]))).outcomes).toEqual(['existing delivered'])
    expect(server.service.creations).toBe(4)
  })

  test('whose answers were lost with their results are looked up, and --new-key dispatches them again once', async () => {
    const { someone, create } = await merchant()
    const lost: string[] = []
    const loseAnswers = () => {
      server.always = (turn) => {
        lost.push(String(turn.request.headers['idempotency-key']))
        turn.execute()
      }
    }
    loseAnswers()
    expect((await create(['--file', '-', '--timeout', '400ms'], orderLines(2))).exitCode).toBe(7)
    server.always = undefined
    const before = server.service.creations
    expect(before).toBeGreaterThan(0)
    server.service.passDay()
    const rows = JSON.stringify(Array.from({ length: before }, (_, at) => testOrder(`R-${at + 1}`)))
    expect((await create(['--file', '-'], rows)).outcomes).toEqual(Array(before).fill('existing delivered'))
    expect(server.service.creations).toBe(before)

    loseAnswers()
    const again = ['--file', fileOf(rows), '--new-key', '--results', join(someone.home, 'again.ndjson')]
    expect((await create([...again, '--timeout', '400ms'])).exitCode).toBe(7)
    server.always = undefined
    const resumed = await create(again)
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    expect(server.service.creations).toBe(before * 2)
    const keys = server.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    expect(new Set(keys).size).toBe(before * 2)
  })

  test('of a --new-key run that was cut off are dispatched once more each, also those that it had not sent', async () => {
    const { someone, create } = await merchant()
    const file = fileOf(orderLines(2))
    expect((await create(['--file', file])).exitCode).toBe(0)
    server.service.passDay()
    server.always = (turn) => turn.execute()
    const again = ['--file', file, '--new-key', '--results', join(someone.home, 'again.ndjson')]
    expect((await create([...again, '--concurrency', '1', '--timeout', '400ms'])).exitCode).toBe(7)
    server.always = undefined
    // A day later nothing tells whether the service knew the key.
    const tomorrow = { nowMs: () => Date.now() + 90_000_000 }
    const later = await someone.run(['deliveries', 'create', '-P', 'acme', ...again], tomorrow)
    expect(later.stdout).toMatch(/without an answer, and R-2 is del_\S+, which came of an earlier request/)
    expect(server.service.creations).toBeLessThan(4)

    const resumed = await create(again)
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    expect(server.service.creations).toBe(4)
  })

  test('are sent where nothing can be recorded, with one warning', async () => {
    const words = ['deliveries', 'create', '--file', '-', '--results', join(cli.home, `only-${++files}.ndjson`)]
    const ended = await run(words, { stdin: orderLines(20), env: { DLV_DATA_DIR: '/proc/none' } })
    expect(ended.exitCode, ended.stderr).toBe(0)
    expect(ended.stderr.match(/Cannot record the orders of this run/g)).toHaveLength(1)
    expect(server.service.creations).toBe(20)
  })
})

describe('A sheet of an American office', () => {
  test('is read with a mapping that is kept: columns, phones, and times in the zone of each store', async () => {
    const sheet = [
      'Order no,Phone,From,To,Where',
      'US-1,(910) 555-0101,11/25/2036 3:00 PM,11/25/2036 5:00 PM,"1 Main St, Fayetteville, NC 28301"',
      'US-2,1-254-555-0102,"7/4/36, 15:00",7/4/2036 5 pm,"1 Main St, Killeen, TX 76541"',
      'US-3,+12545550103,2036-07-04T20:00:00Z,2036-07-04T22:00:00Z,"1 Main St, Killeen, TX 76541"',
      'US-4,(254) 555-0104,3/9/2036 2:30 AM,3/9/2036 5:00 AM,"1 Main St, Killeen, TX 76541"',
      'US-5,(254) 555-0105,11/2/2036 1:30 AM,11/2/2036 5:00 AM,"1 Main St, Killeen, TX 76541"',
    ].join('\n')
    const columns = {
      'Order no': 'clientOrderReference',
      Phone: 'dropoff.contactPhone',
      From: 'timeWindows.dropoff.start',
      To: 'timeWindows.dropoff.end',
      Where: 'dropoff.address',
    }
    const mapping = fileOf(JSON.stringify({ columns, usPhones: true, usTimes: 'store' }), 'mapping')
    const all = ['--store', 'STORE-001', '--name', 'Sam']
    const words = ['deliveries', 'create', '--file', fileOf(sheet), ...all]
    const ran = await run([...words, '--map-file', mapping, '-o', 'ndjson', '--concurrency', '1'])
    const { exitCode, stdout, stderr } = ran
    expect(exitCode).toBe(9)
    expect(stderr).toContain('Failed: 2 INVALID_ROW timeWindows.dropoff.start (column "From").')
    const errors = ndjson(stdout).flatMap(({ line, error }) => (error === null ? [] : [[line, error]]))
    expect(errors).toMatchObject([
      [
        5,
        {
          message: expect.stringContaining(
            'start (column "From"): "3/9/2036 2:30 AM" does not exist in America/Chicago',
          ),
        },
      ],
      [6, { message: expect.stringContaining('"11/2/2036 1:30 AM" comes twice in America/Chicago') }],
    ])
    const bodies = server.requests.map(({ body }) => JSON.parse(body))
    expect(bodies.map(({ dropoff, timeWindows }) => [dropoff.contactPhone, timeWindows.dropoff.start])).toEqual([
      ['+19105550101', '2036-11-25T20:00:00.000Z'],
      ['+12545550102', '2036-07-04T20:00:00.000Z'],
      ['+12545550103', '2036-07-04T20:00:00Z'],
    ])
    expect(bodies[0].timeWindows.dropoff.end).toBe('2036-11-25T22:00:00.000Z')
  })

  test('reads a phone with its country code, and asks for a zone where changes have no address', async () => {
    const phones = fileOf('Order,Phone\nUS-7,+1 (910) 555-0107\nUS-8,+44 20 7946 0958\n')
    const order = ['--store', 'STORE-001', '--to', '1 Main St, Killeen, TX 76541', '--name', 'Sam', '-o', 'ndjson']
    const map = ['--map', 'Order=clientOrderReference,Phone=dropoff.contactPhone', '--us-phones']
    const checked = await run(['deliveries', 'create', '--file', phones, ...map, ...order, '--dry-run'])
    expect(ndjson(checked.stdout)).toMatchObject([
      { outcome: 'ready', body: { dropoff: { contactPhone: '+19105550107' } } },
      { outcome: 'failed', error: { message: expect.stringContaining('"+44 20 7946 0958" is not E.164') } },
    ])
    const changes = fileOf('Order,Until\nUS-7,11/25/2036 5:00 PM\n')
    const times = ['--map', 'Order=clientOrderReference,Until=timeWindows.dropoff.end', '--us-times', 'store']
    const { exitCode, stdout } = await run(['deliveries', 'update', '--file', changes, ...times, '-n', '-o', 'ndjson'])
    expect(exitCode, stdout).toBe(9)
    expect(ndjson(stdout)).toMatchObject([
      {
        clientOrderReference: 'US-7',
        error: {
          code: 'INVALID_ROW',
          message:
            'timeWindows.dropoff.end (column "Until"): the zone of the store is not known without an address; name it, such as --us-times America/New_York',
        },
      },
    ])
  })

  test('needs a mapping and a zone that exist', async () => {
    const words = ['deliveries', 'create', '--file', fileOf('Order no\nUS-1\n')]
    const wrong: [string[], string][] = [
      [['--map-file', fileOf('{"column": {}}')], 'is not a mapping'],
      [['--map-file', fileOf('{"columns": {"Order no": "reference"}}')], '"reference"'],
      [['--map-file', join(cli.home, 'none.json')], 'none.json'],
      [['--map-file', '/dev/zero'], '--map-file /dev/zero is not a regular file.'],
      [['--us-times', 'Fayetteville'], '--us-times: "Fayetteville" is not a time zone.'],
    ]
    for (const [flags, said] of wrong) {
      const { exitCode, stderr } = await run([...words, ...flags])
      expect([exitCode, stderr.includes(said)], stderr).toEqual([2, true])
    }
  })
})

describe('A sheet with tips in dollars', () => {
  test('is read with usTips; without, each failing row keeps its reference and names the flag', async () => {
    const map = 'Order=clientOrderReference,Phone=dropoff.contactPhone,Tip=tipAmountCents,By=timeWindows.dropoff.end'
    const phone = '(910) 555-0199'
    const file = fileOf(`Order,Phone,Tip,By\nT-1,${phone},3.50,\nT-2,${phone},$5.00,\nT-3,${phone},,\n`, 'tips.csv')
    const flags = ['--store', 'STORE-001', '--to', '1 Main St, Killeen, TX 76541', '--name', 'Dana', '-o', 'ndjson']
    const create = (...more: string[]) => run(['deliveries', 'create', '--file', file, '--map', map, ...flags, ...more])
    const failed = ndjson((await create('--dry-run')).stdout) as Record<string, { message: string }>[]
    expect(failed.map((row) => [row.clientOrderReference, row.error?.message])).toEqual([
      ['T-1', expect.stringContaining('"3.50" is not a whole number of cents; --us-tips reads tips in dollars')],
      ['T-2', expect.stringContaining('"$5.00" is not a whole number of cents; --us-tips reads')],
      [
        'T-3',
        expect.stringContaining(
          `dropoff.contactPhone (column "Phone"): "${phone}" is not E.164, such as +12025550123; --us-phones reads it`,
        ),
      ],
    ])
    const mapFile = fileOf(JSON.stringify({ usTips: true, usPhones: true }), 'map')
    expect((await create('--map-file', mapFile)).exitCode).toBe(0)
    const tips = server.requests.flatMap(({ method, body }) => (method === 'POST' ? [JSON.parse(body)] : []))
    expect(tips.map(({ tipAmountCents }) => tipAmountCents).sort()).toEqual([350, 500, undefined])
    writeFileSync(file, 'Order,Phone,Tip,By\nT-6,+19105550199,5,\nT-7,+19105550199,500,\n')
    const small = await create('--dry-run')
    expect(ndjson(small.stdout)).toMatchObject([
      {
        outcome: 'failed',
        error: { message: expect.stringContaining('tipAmountCents (column "Tip"): "5" would be 5 cents') },
      },
      { outcome: 'ready', body: { tipAmountCents: 500 } },
    ])
    const cents = fileOf(JSON.stringify({ usTips: false }), 'cents')
    const kept = ndjson((await create('--map-file', cents, '--dry-run')).stdout)
    expect(kept[0]).toMatchObject({ outcome: 'ready', body: { tipAmountCents: 5 } })
    const dollars = ndjson((await create('--us-tips', '--dry-run')).stdout)
    expect(dollars[0]).toMatchObject({ outcome: 'ready', body: { tipAmountCents: 500 } })
    writeFileSync(file, `Order,Phone,Tip,By\nT-4,${phone},much,\nT-5,${phone},1,25.11. 3 PM\n`)
    const dry = await create('--us-tips', '--us-phones', '--us-times', 'store', '--dry-run')
    expect(ndjson(dry.stdout)).toMatchObject([
      { clientOrderReference: 'T-4', error: { message: expect.stringContaining('such as 3.50 or $5.00') } },
      { clientOrderReference: 'T-5', error: { message: expect.stringContaining('such as 11/25/2026 3:00 PM') } },
    ])
  })
})

describe('Rejected rows', () => {
  const header = 'Order no;clientOrderReference;dropoff.contactName;dropoff.contactPhone'
  const sheet = `${header}\n1;REJ-1;"Sam; ""Bo"" Ode";+12025550101\n\n2;REJ-2;Maya Reyes;+19995550102\n3;REJ-3;Lee;+12025550103\n`
  const flags = ['--map', 'Order no=metadata.no', '--store', 'STORE-001', '--to', '1 Main St, Killeen, TX 76541']
  const refusePhones = () => {
    server.always = (turn) => {
      const isRefused = turn.request.method === 'POST' && /"contactPhone":"\+1999/.test(turn.request.body)
      turn.send(isRefused ? refusal(400, 'INVALID_PHONE_NUMBER', 'dropoff.contactPhone is not E.164') : turn.execute())
    }
  }

  test('are named by their line, with the whole error at 80 columns and no empty columns', async () => {
    refusePhones()
    const file = fileOf(sheet, 'sheet.csv')
    const words = ['deliveries', 'create', '--file', file, ...flags]
    const { exitCode, stdout } = await cli.run(words, { env: { ...env(), NO_COLOR: '1' }, columns: 80 })
    expect(exitCode).toBe(9)
    expect(stdout).toMatch(/LINE {2}REFERENCE {2}OUTCOME {2}ERROR$/m)
    expect(stdout).toMatch(/^ {3}4 {2}REJ-2 {6}failed {3}INVALID_PHONE_NUMBER: /m)
    const failed = await cli.run(['deliveries', 'results', '--file', file, '--failed'], { columns: 80 })
    expect(failed.stdout.replace(/\s+/g, ' ')).toContain('dropoff.contactPhone is not E.164')
    expect(ndjson((await run(['deliveries', 'results', '--file', file, '-o', 'ndjson'])).stdout)).toMatchObject([
      { row: 1, line: 2, outcome: 'created' },
      { row: 2, line: 4, outcome: 'failed' },
      { row: 3, line: 5, outcome: 'created' },
    ])
    expect((await run(['deliveries', 'results', '--file', file, '--failed'])).stdout.split('\n')).toHaveLength(2)
  })

  test('are those of the rows that the run had, wherever an order stood in the run before', async () => {
    const rows = ['MOVE-1,,Ann,x', 'MOVE-2,out,Bob,x', 'MOVE-3,,Cat,x', 'MOVE-4,,Dee,x']
    const sheetOf = (lines: readonly string[]) =>
      `clientOrderReference,Kind,dropoff.contactName,Note\n${lines.join('\n')}\n`
    const words = ['deliveries', 'create', '--phone', '+12025550101', '--to', '1 Main St, Killeen, TX 76541']
    const others = [...words, '--map', 'Kind=metadata.kind', '--map', 'Note=metadata.note', '--overwrite']
    const left = ['--leave-out', 'Kind=out']
    const cases: { second: readonly string[]; flags?: string[]; refused?: RegExp; shown: string[] }[] = [
      { second: rows, flags: left, shown: ['MOVE-1 created', 'MOVE-3 created', 'MOVE-4 created'] },
      { second: rows, flags: left, refused: /MOVE-4/, shown: ['MOVE-1 created', 'MOVE-3 created', 'MOVE-4 failed'] },
      {
        second: ['MOVE-0,,New,x', ...rows],
        refused: /MOVE-2/,
        shown: ['MOVE-0 created', 'MOVE-1 created', 'MOVE-2 failed', 'MOVE-3 created', 'MOVE-4 created'],
      },
      { second: rows.slice(2), shown: ['MOVE-3 created', 'MOVE-4 created'] },
      { second: rows.toReversed().slice(2), refused: /MOVE-1/, shown: ['MOVE-2 created', 'MOVE-1 failed'] },
    ]
    for (const [at, { second, flags = [], refused, shown }] of cases.entries()) {
      const marked = (text: string) => text.replaceAll('MOVE-', `MOVE${at}-`)
      const refuse = (pattern: RegExp | undefined) => {
        server.always = (turn) => {
          const body = turn.request.body.replaceAll(`MOVE${at}-`, 'MOVE-')
          const isRefused = turn.request.method === 'POST' && pattern?.test(body) === true
          turn.send(isRefused ? refusal(400, 'INVALID_STORE_REFERENCE', 'no such store') : turn.execute())
        }
      }
      refuse(/MOVE-/)
      const file = fileOf(marked(sheetOf(rows)), 'moved.csv')
      expect((await run([...others, '--file', file, '--store', 'WRONG'])).exitCode).toBe(9)
      refuse(refused)
      writeFileSync(file, marked(sheetOf(second)))
      const rejects = ['--rejects', `${file}.rejects.csv`]
      const { stderr } = await run([...others, ...flags, '--file', file, '--store', 'STORE-001', ...rejects])
      expect(stderr).toContain(refused === undefined ? 'No row was rejected.' : '1 rejected in')
      const listed = ndjson((await run(['deliveries', 'results', '--file', file, '-o', 'ndjson'])).stdout)
      const orders = listed.map(({ clientOrderReference, outcome }) => `${clientOrderReference} ${outcome}`)
      expect(orders).toEqual(shown.map(marked))
    }
  })

  test('of an update of the same file are its own, and a create run names the orders that it no longer has', async () => {
    const sheet = (rows: readonly string[]) => `clientOrderReference,dropoff.contactName\n${rows.join('\n')}\n`
    const file = fileOf(sheet(['GONE-1,Ann', 'GONE-2,Bob', 'GONE-3,Cat', 'GONE-4,Dee']), 'export.csv')
    const to = ['--store', 'STORE-001', '--to', '1 Main St, Killeen, TX 76541', '--phone', '+12025550101']
    const create = () => run(['deliveries', 'create', '--file', file, ...to])
    expect((await create()).stderr).not.toContain('no longer')
    expect((await run(['deliveries', 'cancel', 'GONE-3', '--yes'])).exitCode).toBe(0)
    writeFileSync(file, sheet(['GONE-1,Ann', 'GONE-4,Dee']))
    expect((await create()).stderr).toContain(
      '1 order of an earlier run is no longer among the rows of this file and still under way: GONE-2. To cancel: dlv deliveries cancel GONE-2',
    )
    expect((await create()).stderr).not.toContain('no longer')
    for (const words of [['update'], ['update', '--dry-run'], ['cancel']]) {
      if (words[0] === 'cancel') writeFileSync(file, 'clientOrderReference\nGONE-1\nGONE-4\n')
      const { exitCode, stdout, stderr } = await run(['deliveries', ...words, '--file', file])
      expect(exitCode, stdout + stderr).toBe(0)
    }
    expect(recordedResults(`${file}.update.results.ndjson`).size).toBe(2)
    expect(recordedResults(`${file}.cancel.results.ndjson`).size).toBe(2)
    expect(recordedResults(`${file}.results.ndjson`).size).toBe(4)
  })

  test('of a run that was killed are not those of orders that it had created or begun at another row', async () => {
    const intent = (row: number, reference: string) => ({
      intent: { row, clientOrderReference: reference, idempotencyKey: `key-${reference}`, bodyHash: reference },
    })
    const result = (row: number, clientOrderReference: string, outcome: string) => ({
      row,
      clientOrderReference,
      outcome,
      error: null,
      deliveryId: null,
    })
    const first = [1, 2, 3, 4, 5].flatMap((row) => [
      intent(row, `K-${row}`),
      result(row, `K-${row}`, row === 5 ? 'unknown' : 'failed'),
    ])
    const record = [
      { run: { version: 1, operation: 'createDelivery', owner: 'x' } },
      ...first,
      { run: { complete: true, rows: 5 } },
      { run: { resumed: true } },
      // The first row was removed, and the process killed before the answers of the last two.
      ...[intent(1, 'K-2'), intent(2, 'K-3'), result(1, 'K-2', 'created'), intent(3, 'K-4')],
    ]
    const results = fileOf(record.map((line) => JSON.stringify(line)).join('\n'), 'killed.ndjson')
    const shown = await run(['deliveries', 'results', '--results', results, '-o', 'ndjson'])
    expect(
      ndjson(shown.stdout).map(({ row, clientOrderReference, outcome }) => [row, clientOrderReference, outcome]),
    ).toEqual([
      [1, 'K-2', 'created'],
      [5, 'K-5', 'unknown'],
    ])
  })

  test('show their reason at 80 columns in a dry run, which says that it shows the first rows only', async () => {
    const rows = Array.from({ length: 22 }, (_, row) => `DRY-${row},+1910555010${row % 10},500,2036-11-25T20:00:00Z,`)
    const header =
      'clientOrderReference,dropoff.contactPhone,tipAmountCents,timeWindows.dropoff.start,timeWindows.dropoff.end,timeWindows.deliveryMode'
    const file = fileOf(
      `${header}\n${rows.map((row) => `${row}2036-11-25T22:00:00Z,scheduled`).join('\n')}\nDRY-22,12345,,,\n`,
      'dry.csv',
    )
    const words = [
      'deliveries',
      'create',
      '--file',
      file,
      '--store',
      'STORE-001',
      '--to',
      '1 Main St, Killeen, TX 76541',
    ]
    const env80 = { env: { ...env(), NO_COLOR: '1' }, columns: 80 }
    const { stdout, stderr } = await cli.run([...words, '--name', 'Sam', '-n'], env80)
    expect(stdout.replace(/\s+/g, ' ')).toContain('"12345" is not E.164')
    expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(
      'Showing the rows that would fail and the first 20 of the others. 22 rows are ready, 1 would fail.',
    )
    const narrow = stdout.split('\n').filter((line) => line.startsWith('  '))
    expect(Math.max(...narrow.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  test('have their whole outcome, though the first row that is shown has a shorter one', async () => {
    const firstIsShown = Promise.withResolvers<void>()
    server.always = async (turn) => {
      if (turn.request.body.includes('LATE-1'))
        return turn.send(refusal(400, 'INVALID_PHONE_NUMBER', 'It is not E.164, and never was one'))
      await firstIsShown.promise
      turn.send(refusal(409, 'DUPLICATE_ORDER', 'It is taken by another one, which is not this one'))
    }
    const body = 'clientOrderReference,dropoff.contactPhone\nLATE-1,+19105550101\nLATE-2,+19105550102\n'
    const words = ['deliveries', 'create', '--file', fileOf(body, 'late.csv'), '--store', 'STORE-001']
    const person = cli.startAsking([...words, '--to', '1 Main St, Killeen, TX 76541', '--name', 'Sam'], {
      env: { ...env(), NO_COLOR: '1' },
      columns: 60,
    })
    await person.shows('INVALID_PHONE_NUMBER')
    firstIsShown.resolve()
    const lines = stripVTControlCharacters((await person.ended).stdout).split(/[\r\n]+/)
    expect(lines.find((line) => line.includes('LATE-2'))).toMatch(/^ +3 {2}LATE-2 +conflict {2}DUPLICATE_ORDER/)
    expect(lines.find((line) => line.includes('LATE-2'))?.length).toBeLessThanOrEqual(60)
  })

  test('are written with their own columns, line and reason, and are sent as they are once repaired', async () => {
    refusePhones()
    const file = fileOf(sheet, 'sheet.csv')
    const rejected = join(cli.home, `rejected-${++files}.csv`)
    const first = await run(['deliveries', 'create', '--file', file, ...flags, '--rejects', rejected])
    expect(first.exitCode).toBe(9)
    expect(first.stderr).toContain(
      `1 rejected in ${rejected}.\nRepair them, and send them: dlv deliveries create --map `,
    )
    const reason = 'INVALID_PHONE_NUMBER: dropoff.contactPhone is not E.164'
    const written = readFileSync(rejected, 'utf8')
    expect(written).toBe(`${header};rejectedLine;rejectedReason\n2;REJ-2;Maya Reyes;+19995550102;4;${reason}\n`)
    writeFileSync(rejected, written.replace('+1999', '+1202'))
    const again = await run(['deliveries', 'create', '--file', rejected, ...flags])
    expect([again.exitCode, server.service.creations], again.stderr).toEqual([0, 3])
    expect(again.stderr).not.toContain('Columns left out')

    const rows = JSON.stringify(
      [
        testOrder('REJ-4'),
        { ...testOrder('REJ-5'), dropoff: { ...testOrder('x').dropoff, contactPhone: '+19995550102' } },
      ],
      null,
      1,
    )
    const json = fileOf(rows)
    expect((await run(['deliveries', 'create', '--file', json])).exitCode).toBe(9)
    const listed = await run(['deliveries', 'results', '--file', json, '--rejects', rejected])
    expect(listed.exitCode, listed.stderr).toBe(0)
    const repaired = JSON.parse(readFileSync(rejected, 'utf8'))
    expect(repaired).toMatchObject({ clientOrderReference: 'REJ-5', rejectedReason: reason })
    const fixed = { ...repaired, dropoff: testOrder('x').dropoff }
    expect((await run(['deliveries', 'create', '--file', fileOf(JSON.stringify([fixed]))])).exitCode).toBe(0)
    expect(server.requests.at(-1)?.body).not.toContain('rejected')
    const piped = await run(['deliveries', 'create', '--file', '-', '--rejects', rejected], { stdin: rows })
    expect([piped.exitCode, piped.stderr.split('\n')[0]]).toEqual([
      2,
      'error: --rejects reads the rows twice, which standard input and pipes do not allow.',
    ])
  })
})

test('A pipe that --file names is read once, like standard input: its results are in the data directory', async () => {
  const orders = fileOf(['PIPE-1', 'PIPE-2'].map((name) => JSON.stringify(testOrder(name))).join('\n'))
  const create = (flags = '') =>
    cli.shell(`cat ${orders} | dlv deliveries create --file /dev/stdin -q ${flags}`, { env: env() })
  const limited = await create('--max-total 500')
  expect([limited.exitCode, limited.stderr]).toEqual([2, expect.stringContaining('and pipes do not allow')])
  const done = await create()
  expect([done.exitCode, server.service.creations], done.stderr).toEqual([0, 2])
  expect(done.stderr).toContain(`Results: ${join(cli.home, '.local', 'share', 'dlv', 'runs')}`)
})

describe('Rejected rows of a sheet without any name of a field', () => {
  const body =
    'Order,Customer,Phone,Where\r\nV-3,Dana,(910) 555-0101,"1 Main St, Killeen, TX 76541"\r\nV-4,Zoé,555-0101,"2 Main St, Killeen, TX 76541"\r\n'
  const map = { Order: 'clientOrderReference', Customer: 'dropoff.contactName', Phone: 'dropoff.contactPhone' }
  const pairs = [...Object.entries(map), ['Where', 'dropoff.address']].map((pair) => pair.join('=')).join(',')

  test.each([
    ['as it is', body, ['--map', pairs, '--us-phones']],
    ['with a byte order mark', `\uFEFF${body}`, ['--map', pairs, '--us-phones']],
    ['with quotes', body.replace('Order,', '"Order",'), ['--map', pairs, '--us-phones']],
    ['as Unicode text of a spreadsheet', Buffer.from(`\uFEFF${body}`, 'utf16le'), ['--map', pairs, '--us-phones']],
    ['as UTF-16 of big-endian', Buffer.from(`\uFEFF${body}`, 'utf16le').swap16(), ['--map', pairs, '--us-phones']],
    ['in another encoding, by a file', Buffer.from(body, 'latin1'), ['--encoding', 'windows-1252']],
  ])('%s are its own lines, and the printed commands repair them', async (_, content, given) => {
    server.always = (turn) => {
      const isLocal = turn.request.body.includes('"contactPhone":"555')
      turn.send(isLocal ? refusal(400, 'INVALID_PHONE_NUMBER', 'dropoff.contactPhone is not E.164') : turn.execute())
    }
    const file = join(cli.home, `plain-${++files}.csv`)
    writeFileSync(file, content)
    const mapFile = fileOf(JSON.stringify({ columns: { ...map, Where: 'dropoff.address' }, usPhones: true }), 'map')
    const reading = given[0] === '--map' ? given : [...given, '--map-file', mapFile]
    const words = ['deliveries', 'create', '-f', file, ...reading, '--store', 'STORE-001']
    const rejected = join(cli.home, `rejected-${++files}.csv`)
    const person = await cli.run(words, { env: { ...env(), NO_COLOR: '1' }, columns: 200 })
    expect(person.exitCode, person.stderr).toBe(9)
    const repair = /To repair them: dlv (.*) rejected\.csv$/m.exec(person.stdout)?.[1]?.split(' ') ?? []
    const texts: string[] = []
    for (const command of [
      [...repair, rejected],
      [...words, '--rejects', rejected],
    ]) {
      const { stderr } = await run(command)
      expect(stderr).toContain(`1 rejected in ${rejected}.`)
      texts.push(readFileSync(rejected, 'utf8'))
      if (command.length < words.length) continue
      const [, printed = ''] = /^Repair them, and send them: (.*)$/m.exec(stderr) ?? []
      writeFileSync(rejected, texts.at(-1)?.replace('555-0101', '(910) 555-0102') ?? '')
      const again = await cli.script(printed, { env: env() })
      expect([again.exitCode, again.stderr], printed).toEqual([0, expect.stringContaining('1 created')])
    }
    expect(texts[1]).toBe(texts[0])
    expect(texts[0]).toMatch(
      /^Order,Customer,Phone,Where,rejectedLine,rejectedReason\nV-4,Zoé,555-0101,"2 Main St, Killeen, TX 76541",3,.*\n$/,
    )
    expect([...server.service.deliveries.values()].map(({ clientOrderReference }) => clientOrderReference)).toEqual([
      'V-3',
      'V-4',
    ])
    const itself = await run([...words, '--rejects', file])
    expect([itself.exitCode, itself.stderr]).toEqual([2, expect.stringContaining('is the input itself')])
    const book = join(cli.home, 'rejected.xlsx')
    for (const command of [
      [...words, '--rejects', book],
      [...repair, book],
    ]) {
      const refused = await run(command)
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('Name it .csv')])
    }
  })

  test('and rejected ids are found by their line', async () => {
    const [first = '', second = ''] = made(2)
    const file = fileOf(`${first}\n\n${second} a note, with a comma\ndel_none\n`, 'ids')
    const rejected = join(cli.home, `rejected-${++files}.ndjson`)
    await run(['deliveries', 'cancel', '--file', file, '--yes', '--rejects', rejected])
    expect(ndjson(readFileSync(rejected, 'utf8'))).toMatchObject([{ deliveryId: 'del_none', rejectedLine: 4 }])
  })
})

describe('A full disk', () => {
  test('under the results ends the run with 8: no request is sent without its record, and free space lets it resume', async () => {
    const file = fileOf(orderLines(200))
    const results = join(cli.home, `full-${++files}.ndjson`)
    const unrecorded: string[] = []
    server.always = (turn) => {
      const key = String(turn.request.headers['idempotency-key'])
      if (!readFileSync(results, 'utf8').includes(`"idempotencyKey":"${key}","bodyHash"`)) unrecorded.push(key)
      turn.send(turn.execute())
    }
    const words = `deliveries create --file ${file} --results ${results} --concurrency 2`
    const { exitCode, stderr } = await cli.shell(`ulimit -f 24; dlv ${words} > /dev/null`, { env: env() })
    expect(exitCode, stderr).toBe(8)
    expect(stderr).toContain('Stopped: the results cannot be written')
    expect(server.service.creations).toBeLessThan(200)
    expect(unrecorded).toEqual([])
    server.always = undefined
    expect((await run(words.split(' '))).exitCode).toBe(0)
    expect(server.service.creations).toBe(200)
    for (const line of readFileSync(results, 'utf8').trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  })
})

describe('A run that is interrupted', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s sends nothing new, records what is in flight, and resumes when run again', async (signal, code) => {
    const file = fileOf(orderLines(100))
    const words = ['deliveries', 'create', '--file', file, '-o', 'ndjson', '--concurrency', '4']
    server.always = (turn) => {
      const answer = turn.execute()
      setTimeout(() => turn.send(answer), 5)
    }
    const running = cli.start(words, { env: env() })
    await running.line((line) => line.includes('"row":10,'))
    const { exitCode, stderr } = await running.kill(signal)
    expect(exitCode).toBe(code)
    expect(stderr).toContain('Stopped: interrupted. Run the same command to resume.')
    expect(server.service.creations).toBeLessThan(100)
    expect(recordedResults(`${file}.results.ndjson`).size).toBe(server.service.creations)
    server.always = undefined
    expect((await run(words)).exitCode).toBe(0)
    expect(server.service.creations).toBe(100)
  })

  test('ends though its pipe is silent, and a second time at once', async () => {
    const child = cli.startProcess(['deliveries', 'create', '--file', '-', '-o', 'ndjson'], { env: env(), stdin: null })
    child.child.stdin?.write(orderLines(2))
    await child.line((line) => line.includes('"row":2,'))
    const { exitCode, stderr } = await child.kill('SIGINT')
    expect(exitCode).toBe(130)
    expect(stderr).toMatch(/Run the command with the same rows and --results .*\.ndjson to resume\./)

    server.always = faults.hang()
    const hanging = cli.startProcess(['deliveries', 'create', '--file', fileOf(orderLines(2, 10))], { env: env() })
    await expect.poll(() => server.requests.length).toBeGreaterThan(2)
    hanging.child.kill('SIGINT')
    await expect.poll(() => hanging.errors()).toContain('Press Ctrl-C again to quit now')
    expect((await hanging.kill('SIGINT')).exitCode).toBe(130)
  })

  test('by a reader that has gone loses nothing: the next run settles every row', async () => {
    const file = fileOf(orderLines(300))
    const running = cli.startProcess(['deliveries', 'create', '--file', file, '-o', 'ndjson', '--concurrency', '2'], {
      env: env(),
    })
    await running.line((line) => line.includes('"row":3,'))
    running.child.stdout?.destroy()
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(141)
    expect(stderr).not.toContain('error')
    expect((await run(['deliveries', 'create', '--file', file])).exitCode).toBe(0)
    expect(server.service.creations).toBe(300)
  })

  test.each([
    ['--timeout', ['--timeout', '1s'], {}],
    ['DLV_TIMEOUT', [], { DLV_TIMEOUT: '1s' }],
  ])('by the limit of %s resumes', async (_name, words, variables) => {
    server.always = (turn) => {
      const answer = turn.execute()
      if (server.service.creations <= 5) turn.send(answer)
    }
    const command = ['deliveries', 'create', '--file', fileOf(orderLines(20)), '--concurrency', '1']
    const { exitCode, stderr } = await run([...command, ...words], { env: variables })
    expect(exitCode).toBe(7)
    expect(stderr).toContain('Stopped: the time of --timeout is up. Run the same command to resume.')
    server.always = undefined
    expect((await run(command)).exitCode).toBe(0)
    expect(server.service.creations).toBe(20)
  })
})

describe('Progress', () => {
  const slowly = () => {
    server.always = (turn) => {
      const answer = turn.execute()
      setTimeout(() => turn.send(answer), 20)
    }
  }

  test('is a bar with rate, time left and failures on a terminal of 80 columns, gone at the end', async () => {
    slowly()
    const file = fileOf(orderLines(120))
    const { stdout, exitCode } = await cli.run(['deliveries', 'create', '--file', file, '--concurrency', '2'], {
      env: { ...env(), CI: '' },
      columns: 80,
    })
    expect(exitCode).toBe(0)
    const drawn = stdout.split('\r\u001b[2K').filter((line) => /\d\/s/.test(line))
    expect(drawn.length).toBeGreaterThan(2)
    for (const line of drawn) expect(line.length, line).toBeLessThan(80)
    expect(drawn.at(-1)).toMatch(/^\[█+░*\] {2}\d+ % {2}\d+\/\d+ {2}[\d.]+\/s {2}\d+m?s left {2}0 failed/)
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('120 created.')
    expect(stdout).not.toContain('No rows')
  })

  test('is silent under --json until the end, and draws nothing into a pipe', async () => {
    slowly()
    const file = fileOf(orderLines(20))
    const { stdout, stderr } = await run(['deliveries', 'create', '--file', file, '--json'])
    expect((JSON.parse(stdout) as unknown[]).length).toBe(20)
    expect(stderr).not.toContain('\u001b')
  })
})

describe('A bulk cancel', () => {
  test('takes ids from a pipe, cancels each once, and tells cancelled before from gone', async () => {
    const ids = made(3)
    server.service.execute('POST', `/delivery/v1/deliveries/${ids[1]}/cancel`, 'other', '')
    const stdin = `${ids[0]}\n${ids[1]} R-2 accepted\n\ndel_none\n${ids[2]}`
    const { exitCode, stdout } = await run(
      ['deliveries', 'cancel', '-', '--reason', 'customer_cancelled', '-o', 'ndjson'],
      { stdin },
    )
    expect(exitCode).toBe(9)
    const rows = ndjson(stdout).sort((a, b) => Number(a.row) - Number(b.row))
    expect(rows.map(({ outcome }) => outcome)).toEqual(['cancelled', 'existing', 'failed', 'cancelled'])
    expect(rows[2]).toMatchObject({ deliveryId: 'del_none', error: { code: 'DELIVERY_NOT_FOUND' } })
    expect(server.service.cancellations).toBe(3)
    const bodies = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
    expect(new Set(bodies)).toEqual(new Set(['{"reason":"customer_cancelled"}']))
    const keys = server.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    expect(new Set(keys).size).toBeLessThanOrEqual(8)
  })

  test('refuses a file beside a pipe: one of them would not be read', async () => {
    const [first = '', second = ''] = made(2)
    const file = fileOf(`${second}\n`, 'ids')
    const { exitCode, stderr } = await run(['deliveries', 'cancel', '-', '--file', file], { stdin: first })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Use either --file or -, not both.')])
    expect(server.service.cancellations).toBe(0)
  })

  test('takes a reason a row, sends a lost request again under its key, and does nothing twice', async () => {
    const [first = '', second = ''] = made(2)
    const file = fileOf(`deliveryId,reason\n${first},customer_cancelled\n${second},\n`)
    server.play(faults.resetAfter())
    const words = ['deliveries', 'cancel', '--file', file, '--concurrency', '1', '-o', 'ndjson']
    expect((await run(words)).exitCode).toBe(0)
    expect(server.service.cancellations).toBe(2)
    const requests = server.requests.length
    expect((await run(words)).exitCode).toBe(0)
    expect(server.requests).toHaveLength(requests)
  })

  test('needs --yes on production and says which words are missing', async () => {
    const ids = made(1)
    const production = { stdin: ids.join('\n'), env: { DLV_ENVIRONMENT: 'production' } }
    expect((await run(['deliveries', 'cancel', '-'], production)).exitCode).toBe(2)
    expect(server.service.cancellations).toBe(0)
    expect((await run(['deliveries', 'cancel', '-', '--yes'], production)).exitCode).toBe(0)
    expect((await run(['deliveries', 'cancel'])).exitCode).toBe(2)
    expect((await run(['deliveries', 'cancel', 'del_1', '--file', 'x'])).exitCode).toBe(2)
    expect((await run(['deliveries', 'cancel', '-', '--idempotency-key', 'k'], { stdin: 'del_1' })).exitCode).toBe(2)
  })
})

describe('A bulk update', () => {
  test('takes rows of JSON and CSV, and flags that hold for all', async () => {
    const ids = made(3)
    const lines = ids.map((deliveryId, index) => JSON.stringify({ deliveryId, dropoff: { contactName: `N${index}` } }))
    const words = ['deliveries', 'update', '-', '--instructions', 'Ring twice', '-o', 'ndjson']
    const { exitCode, stdout } = await run(words, { stdin: lines.join('\n') })
    expect(exitCode).toBe(0)
    expect(ndjson(stdout).map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'updated'])
    const bodies = server.requests.map(({ body }) => JSON.parse(body) as unknown)
    expect(bodies).toContainEqual({ dropoff: { contactName: 'N1', instructions: 'Ring twice' } })
    const csv = fileOf(`deliveryId;tipAmountCents;dropoff.instructions\n${ids[0]};500;"a;b"\n`)
    expect((await run(['deliveries', 'update', '--file', csv])).exitCode).toBe(0)
    expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toEqual({
      tipAmountCents: 500,
      dropoff: { instructions: 'a;b' },
    })
    expect(
      (await run(['deliveries', 'update', '-', '--clear', 'dropoff.instructions'], { stdin: `${ids[1]}\n` })).exitCode,
    ).toBe(0)
    expect(server.requests.at(-1)?.body).toBe('{"dropoff":{"instructions":null}}')
  })

  test('refuses a row that changes nothing, and checks rows with --dry-run', async () => {
    const ids = made(2)
    const empty = await run(['deliveries', 'update', '-', '-o', 'ndjson'], { stdin: ids.join('\n') })
    expect(empty.exitCode).toBe(9)
    expect(empty.stdout).toContain('The row changes nothing')
    const rows = `{"deliveryId":"${ids[0]}","tipAmountCents":"x"}\n{"deliveryId":"${ids[1]}","tipAmountCents":1}\n{"tipAmountCents":1}\n`
    const checked = await run(['deliveries', 'update', '--file', '-', '--dry-run', '-o', 'ndjson'], { stdin: rows })
    expect(checked.exitCode).toBe(9)
    expect(ndjson(checked.stdout).map(({ outcome }) => outcome)).toEqual(['failed', 'ready', 'failed'])
    expect(server.requests.map(({ method }) => method)).toEqual(['GET'])
  })
})

describe('A window whose end is only a time', () => {
  test('ends on the day of its start, in flags and sheets', async () => {
    const words = ['deliveries', 'create', '--file', 'examples/order.json', '--dry-run']
    const shown = async (window: string) =>
      (await cli.json<{ body: { timeWindows: unknown } }>([...words, '--window', window])).body.timeWindows
    const whole = { start: '2040-11-24T20:00:00.000Z', end: '2040-11-24T22:00:00.000Z' }
    expect(await shown('2040-11-24T20:00Z/22:00Z')).toMatchObject({ dropoff: whole })
    expect(await shown('2040-11-24T15:00-05:00/17:00')).toMatchObject({ dropoff: whole })
    const header = 'clientOrderReference,timeWindows.deliveryMode,timeWindows.dropoff.start,timeWindows.dropoff.end'
    const file = fileOf(`${header}\nW-1,scheduled,2040-11-24T20:00:00Z,22:00:00Z\n`, 'windows.csv')
    const place = [
      '--store',
      'STORE-001',
      '--to',
      '1 Main St, Killeen, TX 76541',
      '--name',
      'Dana',
      '--phone',
      '+19105550199',
    ]
    const { stdout } = await run(['deliveries', 'create', '--file', file, ...place, '--dry-run', '-o', 'ndjson'])
    expect(ndjson(stdout)[0]).toMatchObject({
      outcome: 'ready',
      body: { timeWindows: { dropoff: { start: '2040-11-24T20:00:00Z', end: '2040-11-24T22:00:00Z' } } },
    })
  })
})
