import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { jsonLines } from '../../support/json-lines.js'
import { connectAgent } from '../../support/mcp/agent.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'
import { serveUi } from '../../support/ui/inspector.js'

/** A morning at the stores: every order has a quote. */
const morningMs = Date.parse('2026-03-02T15:00:00Z') - performance.now()
const sandbox = serveSandbox({ timeScale: 0, clock: { now: () => morningMs + performance.now() } })
const cli = createCli(afterAll)
const run = (words: string[], stdin = '') => cli.run(words, { stdin })
const create = (...flags: string[]) => run(['deliveries', 'create', ...flags])
const isThere = async (reference: string) => (await run(['deliveries', 'get', reference, '-q'])).exitCode === 0
const sample = JSON.parse(readFileSync('examples/order.json', 'utf8')) as Record<string, Record<string, unknown>>
const dollars = (text: string | undefined) => Math.round(Number(text?.replaceAll(/[$,]/g, '')) * 100)
let files = 0

/** Two accounts with their keys in the file of profiles, as users have them. */
beforeAll(async () => {
  for (const [name, key, environment] of [
    ['sandbox', sandbox.running.apiKey, 'sandbox'],
    ['live', sandbox.running.apiKey, 'production'],
    ['unquoted', 'dlvk_sbx_noquotes', 'production'],
  ] as const)
    await cli.run(
      ['profiles', 'add', name, '--environment', environment, '--base-url', sandbox.running.baseUrl, '--api-key-stdin'],
      { stdin: key },
    )
  await cli.run(['profiles', 'use', 'sandbox'])
})

function fileOf(...orders: Record<string, unknown>[]): string {
  const path = join(cli.home, `money-${++files}.ndjson`)
  writeFileSync(path, orders.map((order) => JSON.stringify({ ...sample, ...order })).join('\n'))
  return path
}

function rows(name: string, count: number, tipAmountCents: number): string {
  return fileOf(
    ...Array.from({ length: count }, (_, at) => ({ clientOrderReference: `${name}-${at}`, tipAmountCents })),
  )
}

/** What a person is asked on production, who answers. */
async function asked(words: string[], answer: 'y' | 'n', profile = 'live') {
  const person = cli.startAsking([...words, '-P', profile], { columns: 300 })
  await person.shows('[y/N]')
  person.type(`${answer}\r`)
  const ended = await person.ended
  // No line is wider than 200 columns: a longer question is broken between words.
  return { ...ended, stdout: ended.stdout.replace(/\r?\n(?=[^\r\n]*\[y\/N\])/g, ' ') }
}

describe('The question before money', () => {
  it('shows the address, the best quote, the tip and the sum, and 9 says that it was declined', async () => {
    const { exitCode, stdout } = await asked(['deliveries', 'create', '--file', 'examples/order.json'], 'n')
    const [, quote, sum] =
      /Dispatch WEB-100482 \(418 Ramsey Street, Fayetteville, NC 28301; best quote (\$[\d.]+) by [^;]+, dropoff in [^;]+; tip \$4\.00; (\$[\d.]+) in all\) on production \(profile live\)\?/.exec(
        stdout,
      ) ?? []
    expect(dollars(quote)).toBeGreaterThan(0)
    expect(dollars(sum)).toBe(dollars(quote) + 400)
    expect(stdout).toContain('Nothing was sent.')
    expect([exitCode, await isThere('WEB-100482')]).toEqual([9, false])
  })

  it('says why there is no quote', async () => {
    const { stdout } = await asked(['deliveries', 'create', '--file', 'examples/order.json'], 'n', 'unquoted')
    expect(stdout).toContain('NC 28301; not quoted (this account has no quotes); tip $4.00) on production')
  })

  it('shows rows and sums for a file, and the run what it cost', async () => {
    const { exitCode, stdout } = await asked(['deliveries', 'create', '--file', rows('SUM', 12, 10_000)], 'y')
    expect(exitCode, stdout).toBe(0)
    const [, quotes, sum] = /\(12 rows: quotes (\$[\d.,]+), tips \$1,200\.00, (\$[\d.,]+) in all\)/.exec(stdout) ?? []
    expect(dollars(quotes)).toBeGreaterThan(12 * 500)
    expect(dollars(sum)).toBe(dollars(quotes) + 120_000)
    expect(stdout).toMatch(/12 created for \$[\d.,]+ without tips, tips \$1,200\.00\./)
    const unquoted = await asked(['deliveries', 'create', '--file', rows('NO', 2, 100)], 'n', 'unquoted')
    expect(unquoted.stdout).toContain('(2 rows: not quoted (this account has no quotes), tips $2.00)')
  })

  it('names every reason of orders without a quote', async () => {
    const file = fileOf(
      { clientOrderReference: 'WHY-1' },
      { clientOrderReference: 'WHY-2', dropoff: { ...sample.dropoff, address: 'no address' } },
      { clientOrderReference: 'WHY-3', pickup: { storeReference: 'STORE-NONE' } },
    )
    const { stdout } = await asked(['deliveries', 'create', '--file', file], 'n')
    expect(stdout).toContain('2 not quoted (INVALID_ADDRESS, INVALID_STORE_REFERENCE)')
  })

  it('shows the rows of an update and the sum of their tips, in a dry run and without a terminal too', async () => {
    for (const reference of ['UP-1', 'UP-2']) await create('--file', 'examples/order.json', '--ref', reference)
    const ids = join(cli.home, 'ids.txt')
    writeFileSync(ids, 'UP-1\nUP-2\n')
    for (const [given, question] of [
      [['--file', ids], 'Change every delivery of the input'],
      [['UP-1', 'UP-2'], 'Change 2 deliveries'],
    ] as const) {
      const words = ['deliveries', 'update', ...given, '--tip-cents', '9000']
      const text = `${question} (2 rows: tips $180.00 (2 × $90.00)) on production (profile live)?`
      expect((await asked(words, 'n')).stdout).toContain(text)
      const { exitCode, stderr } = await run([...words, '-P', 'live'])
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`Cannot prompt without a terminal: ${text}`)])
      expect((await run([...words, '--dry-run'])).stderr).toContain('Tips $180.00 (2 × $90.00).')
    }
    const none = await run(['deliveries', 'update', 'UP-1', 'UP-2'])
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('No changes given.')])
    const both = await run(['deliveries', 'update', 'UP-1', 'UP-2', '--tip-cents', '9000'])
    expect([both.exitCode, both.stderr]).toEqual([0, expect.stringContaining('2 updated.')])
    const tips = await run(['deliveries', 'get', 'UP-1', 'UP-2', '--jq', '.[].pricing.tipAmountCents'])
    expect(tips.stdout).toBe('9000\n9000\n')
  })

  it('shows when and where an order goes, and without a terminal what is known of its money', async () => {
    const words = ['deliveries', 'create', '--file', 'examples/order-installation.json', '--ref', 'WHEN-1']
    const scheduled = [
      ...words,
      '--gate',
      'Longstreet Road ACP',
      '--window',
      '2026-03-02T20:00Z/2026-03-02T22:00Z',
      '--tip-cents',
      '300',
    ]
    const where = String.raw`NC \d+; FTBRAGG, gate Longstreet Road ACP; dropoff 2026-03-02 20:00–22:00 UTC; `
    expect((await asked(scheduled, 'n')).stdout).toMatch(
      new RegExp(String.raw`${where}best quote \$[\d.]+ by [^;,]+; tip \$3\.00; \$[\d.]+ in all\) on production`),
    )
    const { exitCode, stderr } = await run([...scheduled, '-P', 'live'])
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(new RegExp(String.raw`WHEN-1 \(.*${where}tip \$3\.00\) on production`)),
    ])
    // The service's clock is months behind the one of this machine.
    const cheapest = await create('--file', 'examples/order.json', '--ref', 'CHEAP-1', '--cheapest')
    expect(cheapest.stderr).toMatch(/Cheapest quote: \$[\d.]+ by [^,]+, dropoff in (?:1h )?\d+m/)
  })

  it('sums the tips in a dry run, and says what a resumed run has cost', async () => {
    const file = rows('AGAIN', 2, 150)
    const dry = await create('--file', file, '--dry-run')
    expect(dry.stderr).toContain('2 rows are ready. Nothing was sent.\nNot quoted, tips $3.00.')
    expect((await create('--file', file)).stderr).toMatch(/2 created for \$[\d.]+ without tips, tips \$3\.00\./)
    expect((await create('--file', file)).stderr).toContain('2 created (2 of them in an earlier run).')
  })
})

describe('A quote whose promised time cannot be kept', () => {
  it('is printed, with a warning that says where, why and what follows', async () => {
    const own = createCli()
    const folder = join(own.home, '.local', 'share', 'dlv')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // A directory in the file's place, because the super-user may write everywhere.
    mkdirSync(join(folder, 'orders.db'))
    const words = ['quotes', 'create', '--store', 'STORE-001', '--to', '300 Hay St, Fayetteville, NC 28301', '--json']
    const { exitCode, stdout, stderr } = await own.run(words, {
      env: { DLV_BASE_URL: sandbox.running.baseUrl, DLV_API_KEY: sandbox.running.apiKey, DLV_ENVIRONMENT: 'sandbox' },
    })
    expect([exitCode, stderr], stderr).toEqual([
      0,
      expect.stringMatching(
        /Cannot use .*orders\.db \([^)]*\)\. Promised times are not kept; reports judge lateness by the first ETA\.\n/,
      ),
    ])
    expect(JSON.parse(stdout)).toHaveProperty('quotes')
  })
})

describe('The rows of a file', () => {
  it('are counted alike by the dry run, the question and the run, which sends no row that is refused here', async () => {
    const stops = sample.dropoff as Record<string, unknown>
    const window = { start: '2026-03-02T20:00:00Z', end: '2026-03-02T19:00:00Z' }
    const file = fileOf(
      { clientOrderReference: 'ALIKE-1', tipAmountCents: 200 },
      { clientOrderReference: 'ALIKE-2', tipAmountCents: 300 },
      { clientOrderReference: 'ALIKE-2', tipAmountCents: 300 },
      { clientOrderReference: 'ALIKE-3', dropoff: { ...stops, contactPhone: '555-0101' } },
      { clientOrderReference: 'ALIKE-4', timeWindows: { deliveryMode: 'scheduled', dropoff: window } },
      {
        clientOrderReference: 'ALIKE-5',
        timeWindows: { deliveryMode: 'scheduled', dropoff: { ...window, start: 'noon' } },
      },
    )
    const dry = await create('--file', file, '--max-total', '1000', '--dry-run')
    const sums = /quotes (\$[\d.]+), tips \$5\.00, (\$[\d.]+) in all/
    const [text = ''] = sums.exec(dry.stderr.toLowerCase()) ?? []
    expect(dry.stderr).toContain('2 rows are ready, 1 repeats another, 3 would fail.')
    const { exitCode, stdout } = await asked(['deliveries', 'create', '--file', file, '--max-total', '1000'], 'y')
    expect(stdout).toContain(`(2 rows, 1 repeats another, 3 cannot be sent: ${text}) on production`)
    expect(stdout).toMatch(/2 created for \$[\d.]+ without tips, tips \$5\.00, 1 replayed, 3 failed\./)
    expect(exitCode).toBe(9)
    const { stdout: results } = await run(['deliveries', 'results', '--file', file, '--failed', '-o', 'ndjson'])
    const failed = jsonLines(results)
    expect(failed.map(({ clientOrderReference, error }) => [clientOrderReference, error.code])).toEqual([
      ['ALIKE-3', 'INVALID_ROW'],
      ['ALIKE-4', 'INVALID_ROW'],
      ['ALIKE-5', 'INVALID_ROW'],
    ])
  })

  it('keep their own store and tip: flags fill in blanks, and --set replaces', async () => {
    const address = '1 Main St, Killeen, TX 76541'
    const own = {
      pickup: { storeReference: 'STORE-002' },
      dropoff: { address, contactName: 'Dana', contactPhone: '+19105550147' },
    }
    const values = [
      { clientOrderReference: 'KEEP-1', ...own, tipAmountCents: 200 },
      { clientOrderReference: 'KEEP-2', pickup: null, tipAmountCents: undefined },
      { clientOrderReference: 'KEEP-3', ...own, tipAmountCents: 700 },
    ]
    const sheet = join(cli.home, 'keep.csv')
    const contact = 'Dana,+19105550147'
    const header =
      'clientOrderReference,pickup.storeReference,tipAmountCents,dropoff.address,dropoff.contactName,dropoff.contactPhone'
    writeFileSync(
      sheet,
      `${header}\nKEEP-4,STORE-002,200,"${address}",${contact}\nKEEP-5,,,"418 Ramsey Street, Fayetteville, NC 28301",${contact}\nKEEP-6,STORE-002,700,"${address}",${contact}\n`,
    )
    const flags = ['--store', 'STORE-001', '--tip-cents', '700']
    const kept =
      '2 rows keep their own pickup.storeReference (--store fills in blanks), 1 row keeps its own tipAmountCents (--tip-cents fills in blanks)'
    for (const [file, first] of [
      [fileOf(...values), 1],
      [sheet, 4],
    ] as const) {
      for (const dry of [['--dry-run'], []]) {
        const { exitCode, stdout, stderr } = await create('--file', file, ...flags, ...dry)
        expect([exitCode, stderr], stdout).toEqual([0, expect.stringContaining(`${kept}.`)])
      }
      const orders = []
      for (const at of [first, first + 1, first + 2]) {
        const { stdout } = await run(['deliveries', 'get', `KEEP-${at}`, '--json'])
        const { pickup, pricing } = JSON.parse(stdout)
        orders.push([pickup.storeReference, pricing.tipAmountCents])
      }
      expect(orders).toEqual([
        ['STORE-002', 200],
        ['STORE-001', 700],
        ['STORE-002', 700],
      ])
    }
    const { stdout } = await asked(['deliveries', 'create', '--file', sheet, ...flags], 'n')
    expect(stdout).toContain(`; ${kept}) on production`)
    const all = ['--set', 'tipAmountCents=100', '--set', 'pickup.storeReference=STORE-001', '--dry-run']
    const { stderr } = await create('--file', sheet, ...flags, ...all)
    expect(stderr).toContain('Not quoted, tips $3.00; 3 references, such as KEEP-4, were sent from here before')
    expect(stderr).toContain(
      '2 rows lose their own tipAmountCents (--set replaces it), 2 rows lose their own pickup.storeReference (--set replaces it).',
    )
    const blank = join(cli.home, 'blank.csv')
    const theirs = header.replace('dropoff.contactPhone', 'Their number')
    writeFileSync(blank, `${theirs}\nKEEP-7,STORE-002,200,"${address}",Dana,\n`)
    const mapped = ['--map', 'Their number=dropoff.contactPhone']
    const { stdout: refused } = await create('--file', blank, ...mapped, '--dry-run')
    expect(refused).toContain('fill it in, or give every row without one the same with --phone')
  })
})

describe('--max-total', () => {
  it('refuses an order or a run that costs more, in a dry run too, and lets others pass', async () => {
    const file = rows('TOTAL', 3, 400)
    for (const words of [
      ['--file', 'examples/order.json', '--ref', 'TOTAL-ONE', '--max-total', '12.00'],
      ['--file', file, '--max-total', '$30.00'],
    ])
      for (const dry of [[], ['--dry-run']]) {
        const { exitCode, stderr } = await create(...words, ...dry)
        expect(stderr).toMatch(
          /Quotes? and tips? cost \$\d\d\.\d\d, above the maximum of \$[13][02]\.00\. \(TOTAL_ABOVE_/,
        )
        expect(exitCode).toBe(9)
      }
    expect([await isThere('TOTAL-ONE'), await isThere('TOTAL-0')]).toEqual([false, false])
    expect((await create('--file', file, '--max-total', '1,000')).stderr).toContain('3 created for')
    const one = await create('--file', 'examples/order.json', '--ref', 'TOTAL-ONE', '--max-total', '100')
    expect(one.exitCode, one.stderr).toBe(0)
  })

  it('refuses what has no quote, and rows that can be read only once', async () => {
    const unquotable = { clientOrderReference: 'TOTAL-8', pickup: { storeReference: 'STORE-NOQUOTE-CAPACITY' } }
    const file = fileOf({ clientOrderReference: 'TOTAL-7' }, unquotable)
    const { exitCode, stderr } = await create('--file', file, '--max-total', '1000')
    expect(stderr).toContain('1 of 2 orders are not quoted (TOTAL-8: NO_CAPACITY), so --max-total cannot be checked.')
    expect([exitCode, await isThere('TOTAL-7')]).toEqual([6, false])
    expect(stderr).toContain(
      'hint: Nothing was dispatched. Repair or remove what is not quoted, or order without --max-total',
    )
    const piped = await run(['deliveries', 'create', '--file', '-', '--max-total', '1000'], readFileSync(file, 'utf8'))
    expect([piped.exitCode, piped.stderr]).toEqual([2, expect.stringContaining('--max-total reads the orders twice')])
  })
})

describe('A tip above $100', () => {
  const slip = /tip of \$999,999\.99 is above the maximum of \$100\.00; --max-tip allows more/

  it('is refused before anything is sent, wherever it stands', async () => {
    const file = fileOf(
      { clientOrderReference: 'TIP-ROW', tipAmountCents: 99_999_999 },
      { clientOrderReference: 'TIP-OK' },
    )
    await create('--file', 'examples/order.json', '--ref', 'TIP-1')
    const changes = join(cli.home, 'tips.csv')
    writeFileSync(changes, 'deliveryId,tipAmountCents\nTIP-1,99999999\n')
    const [words, update] = [
      ['deliveries', 'create', '--file'],
      ['deliveries', 'update'],
    ]
    for (const [line, exitCode] of [
      [[...words, 'examples/order.json', '--ref', 'TIP-2', '--tip-cents', '99999999'], 2],
      [[...words, 'examples/order.json', '--ref', 'TIP-2', '--set', 'tipAmountCents=99999999', '--dry-run'], 2],
      [[...words, file, '-o', 'ndjson'], 9],
      [[...words, file, '--dry-run', '-o', 'ndjson'], 9],
      [[...update, 'TIP-1', '--tip-cents', '99999999'], 2],
      [[...update, '--file', changes, '-o', 'ndjson'], 9],
    ] as const) {
      const { stdout, stderr, ...ended } = await run([...line])
      expect(stdout + stderr, line.join(' ')).toMatch(slip)
      expect(ended.exitCode).toBe(exitCode)
    }
    expect([await isThere('TIP-2'), await isThere('TIP-ROW'), await isThere('TIP-OK')]).toEqual([false, false, true])
    const agent = await connectAgent(cli, ['--allow-writes'], { answer: () => 'accept' })
    const order = { ...sample, clientOrderReference: 'TIP-3', tipAmountCents: 99_999_999 }
    for (const [tool, input] of [
      ['delivery_create', { order }],
      ['delivery_update', { deliveryId: 'TIP-1', changes: { tipAmountCents: 99_999_999 } }],
    ] as const)
      expect((await agent.call(tool, input)).text).toMatch(slip)
    expect(await isThere('TIP-3')).toBe(false)
    await agent.call('delivery_create', { order: { ...order, tipAmountCents: 400 } })
    const [, sum, quote] =
      /to 418 Ramsey Street, Fayetteville, NC 28301 on .*, for about (\$[\d.]+) \(best quote (\$[\d.]+), tip \$4\.00\)\?/.exec(
        agent.asked.at(-1) ?? '',
      ) ?? []
    expect(dollars(quote)).toBeGreaterThan(0)
    expect([dollars(sum), await isThere('TIP-3')]).toEqual([dollars(quote) + 400, true])
  })

  it('is sent where --max-tip allows it', async () => {
    const tip = ['--tip-cents', '12500', '--max-tip', '125', '--jq', '.pricing.tipAmountCents']
    expect((await create('--file', 'examples/order.json', '--ref', 'TIP-4', ...tip)).stdout).toBe('12500\n')
    expect((await run(['deliveries', 'update', 'TIP-4', ...tip])).stdout).toBe('12500\n')
    const file = fileOf({ clientOrderReference: 'TIP-5', tipAmountCents: 20_000 })
    expect((await create('--file', file, '--max-tip', '200')).exitCode).toBe(0)
  })
})

describe('A window without a delivery mode', () => {
  const [start, end] = ['2026-03-02T20:00:00Z', '2026-03-02T21:00:00Z']
  const windowed = (clientOrderReference: string, deliveryMode?: string) => ({
    clientOrderReference,
    timeWindows: { ...(deliveryMode === undefined ? {} : { deliveryMode }), dropoff: { start, end } },
  })
  const single = (order: Record<string, unknown>) => {
    const path = join(cli.home, `window-${++files}.json`)
    writeFileSync(path, JSON.stringify({ ...sample, ...order }))
    return path
  }
  const statusOf = async (reference: string) =>
    (await run(['deliveries', 'get', reference, '--jq', '.status'])).stdout.trim()

  it('is refused with the remedy: for one order, a quote, rows, and dry runs', async () => {
    const file = fileOf(windowed('WINDOW-1'), windowed('WINDOW-2', 'asap'))
    for (const [words, exitCode] of [
      [['deliveries', 'create', '--file', single(windowed('WINDOW-0'))], 2],
      [['deliveries', 'create', '--file', single(windowed('WINDOW-0')), '--dry-run'], 2],
      [['quotes', 'create', '--file', single(windowed('WINDOW-0'))], 2],
      [['deliveries', 'create', '--file', file, '--dry-run', '-o', 'ndjson'], 9],
      [['deliveries', 'create', '--file', file, '-o', 'ndjson'], 9],
    ] as const) {
      const { stdout, stderr, ...ended } = await run([...words])
      expect(stdout + stderr, words.join(' ')).toContain('--set timeWindows.deliveryMode=scheduled keeps the window')
      expect(ended.exitCode).toBe(exitCode)
    }
    expect([await isThere('WINDOW-0'), await isThere('WINDOW-1')]).toEqual([false, false])
    // What somebody wrote stays.
    expect(await statusOf('WINDOW-2')).toBe('accepted')
  })

  it('is given the mode by flags and by a mapped sheet', async () => {
    const { timeWindows: _, ...bare } = sample
    const plain = join(cli.home, 'plain.json')
    writeFileSync(plain, JSON.stringify(bare))
    const set = ['--set', `timeWindows.dropoff.start=${start}`, '--set', `timeWindows.dropoff.end=${end}`]
    await create('--file', plain, '--ref', 'WINDOW-3', ...set)
    await create('--file', plain, '--ref', 'WINDOW-4', '--window', `${start}/${end}`)
    const sheet = join(cli.home, 'sheet.csv')
    const address = '"200 Hay St, Fayetteville, NC 28301"'
    writeFileSync(sheet, `No,From,Until,To,Name,Phone\nWINDOW-5,${start},${end},${address},Ann,+19105550147\n`)
    const map = ['No=clientOrderReference', 'From=timeWindows.dropoff.start', 'Until=timeWindows.dropoff.end']
    const more = ['To=dropoff.address', 'Name=dropoff.contactName', 'Phone=dropoff.contactPhone']
    const { stderr } = await create(
      '--file',
      sheet,
      '--store=STORE-001',
      ...[...map, ...more].map((one) => `--map=${one}`),
    )
    expect(stderr).toContain('1 created')
    for (const reference of ['WINDOW-3', 'WINDOW-4', 'WINDOW-5'])
      expect(await statusOf(reference), reference).toBe('scheduled')
  })
})

describe('A new address for a delivery on an installation', () => {
  const to = '200 Hay St, Fayetteville, NC 28301'
  const dropoffOf = async (reference: string) => (await cli.json(['deliveries', 'get', reference])).dropoff

  it('is refused until the update names an installation, or none', async () => {
    await create('--file', 'examples/order-installation.json', '--ref', 'MOVE-1')
    const before = await dropoffOf('MOVE-1')
    const file = join(cli.home, 'moves.csv')
    writeFileSync(file, `clientOrderReference,dropoff.address\nMOVE-1,"${to}"\n`)
    for (const [words, exitCode] of [
      [['MOVE-1', '--to', to], 2],
      [['MOVE-1', '--to', to, '--dry-run'], 2],
      [['MOVE-1', '--set', 'dropoff.address.line1=1 Main St'], 2],
      [['--file', file, '-o', 'ndjson'], 9],
      [['--file', file, '--dry-run', '-o', 'ndjson'], 9],
    ] as const) {
      const { stdout, stderr, ...ended } = await run(['deliveries', 'update', ...words])
      expect(stdout + stderr, words.join(' ')).toContain('on the installation FTBRAGG, and the new address may not be')
      expect(stdout + stderr).toContain('--no-installation')
      expect(ended.exitCode).toBe(exitCode)
    }
    expect(await dropoffOf('MOVE-1')).toEqual(before)
    const named = await run(['deliveries', 'update', 'MOVE-1', '--to', to, '--installation', 'FTBRAGG'])
    expect(named.exitCode, named.stderr).toBe(0)
    const left = await run([
      'deliveries',
      'update',
      'MOVE-1',
      '--to',
      '201 Hay St, Fayetteville, NC 28301',
      '--no-installation',
    ])
    expect(left.exitCode, left.stderr).toBe(0)
    expect(await dropoffOf('MOVE-1')).not.toHaveProperty('installation.code')
  })
})

describe('A window that an update moves', () => {
  it('moves what lateness and the report are judged by', async () => {
    const promised = async (reference: string) => {
      const { stdout } = await run(['deliveries', 'list', '--problem', '--from', '12h', '--json', '--all'])
      const rows = JSON.parse(stdout) as { clientOrderReference: string; problem: string }[]
      return rows.find((row) => row.clientOrderReference === reference)?.problem
    }
    const references = ['MOVED-1', 'MOVED-2', 'MOVED-3', 'MOVED-4']
    for (const reference of references)
      await create(
        ...['--file', 'examples/order.json', '--ref', reference, '--cheapest'],
        ...['--window', '2026-03-02T18:00Z/2026-03-02T19:00Z'],
      )
    const later = ['--window', '2026-03-03T20:00Z/2026-03-03T22:00Z']
    const one = await run(['deliveries', 'update', 'MOVED-2', ...later])
    expect(one.exitCode, one.stderr).toBe(0)
    const many = await run(['deliveries', 'update', 'MOVED-3', 'MOVED-4', ...later])
    expect(many.exitCode, many.stderr).toBe(0)
    const refused = await run(['deliveries', 'update', 'MOVED-1', ...later, '--set', 'dropoff.contactPhone=12'])
    expect(refused.exitCode).not.toBe(0)
    await sandbox.running.steer('POST', '/clock', { advance: '440m' })
    const problem = (await promised('MOVED-1')) ?? ''
    expect(problem).toMatch(/h late|window ended/)
    for (const words of [['deliveries', 'get'], ['explain']])
      expect((await cli.run([...words, 'MOVED-1', '--no-color'], { columns: 300 })).stdout).toContain(problem)
    for (const reference of references.slice(1)) expect((await promised(reference)) ?? '').not.toMatch(/late|window/)
  })
})

describe("The page's forms", () => {
  it('refuse the same slips', async () => {
    const { post, cli: person } = await serveUi()
    const errorOf = async (path: string, body: object) => {
      const { error } = (await (await post(path, body)).json()) as { error: { code: string; message: string } }
      return [error.code, error.message]
    }
    const slip = { ...sample, tipAmountCents: 99_999_999 }
    expect(await errorOf('/deliveries', { order: slip })).toEqual([
      'TIP_ABOVE_MAXIMUM',
      'tipAmountCents: a tip of $999,999.99 is above the maximum of $100.00.',
    ])
    const order = { ...sample, timeWindows: { dropoff: { start: '2026-03-02T20:00:00Z' } } }
    expect((await errorOf('/deliveries', { order }))[1]).toContain('timeWindows.deliveryMode: is missing')
    const { deliveryId } = await person.json<{ deliveryId: string }>([
      ...['deliveries', 'create', '--file', 'examples/order-installation.json'],
    ])
    const update = `/deliveries/${deliveryId}/update`
    expect((await errorOf(update, { changes: { tipAmountCents: 10_001 } }))[0]).toBe('TIP_ABOVE_MAXIMUM')
    const dropoff = { address: '200 Hay St, Fayetteville, NC 28301' }
    expect((await errorOf(update, { changes: { dropoff } }))[1]).toContain('the delivery is on FTBRAGG')
    expect((await post(update, { changes: { dropoff: { ...dropoff, installation: { code: null } } } })).status).toBe(
      200,
    )
  })
})
