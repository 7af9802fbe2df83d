import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
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
