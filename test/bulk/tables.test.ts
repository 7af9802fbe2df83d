import { describe, expect, test } from 'vitest'
import { type InputRow, type RowOptions, readRows } from '../../src/bulk/index.js'
import { DeliveryCreate } from '../../src/contract/index.js'
import { trimmed } from '../../src/shared/texts.js'
import { anyCharacter } from '../support/any-character.js'
import { fc, sampleCount } from '../support/samples.js'

/** Reads a text that arrives in chunks of the given size. */
async function read(text: string, chunkSize = 1_000_000, options: Partial<RowOptions> = {}): Promise<InputRow[]> {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  )
  const rows: InputRow[] = []
  for await (const batch of readRows(chunks, { schema: DeliveryCreate, ...options })) rows.push(...batch)
  return rows
}

/** The value of each row, or the line and what is wrong with it. */
async function told(text: string, options: Partial<RowOptions> = {}): Promise<unknown[]> {
  const [rows, cut] = [await read(text, 1_000_000, options), await read(text, 3, options)]
  expect(cut).toEqual(rows)
  return rows.map((row) =>
    'value' in row ? row.value : `${row.line}: ${row.problem.replace(/^row \d+ \(line \d+\)/, '')}`,
  )
}

const names = ['clientOrderReference', 'package.description', 'dropoff.contactName', 'dropoff.instructions']
const order = (reference: string, description: string, contactName: string, instructions?: string) => ({
  clientOrderReference: reference,
  package: { description },
  dropoff: { contactName, ...(instructions === undefined ? {} : { instructions }) },
})

describe('A quotation mark', () => {
  const shop = [
    names.join('\t'),
    'A-1\t"Big" pan 12" steel\tAnn\tRing',
    'A-2\tBowl\tBen\tKnock',
    'A-3\t"Tea" kettle 6" tall\tCleo\tCall',
  ]

  test('is a letter in a file separated by tabs in which no cell is quoted as a whole', async () => {
    expect(await told(shop.join('\n'))).toEqual([
      order('A-1', '"Big" pan 12" steel', 'Ann', 'Ring'),
      order('A-2', 'Bowl', 'Ben', 'Knock'),
      order('A-3', '"Tea" kettle 6" tall', 'Cleo', 'Call'),
    ])
    expect(await told([...shop, 'A-4\t"Open\tDana\tCall', 'A-5\tLamp 6"\tEve\tCall'].join('\r\n'))).toEqual(
      expect.arrayContaining([order('A-4', '"Open', 'Dana', 'Call'), order('A-5', 'Lamp 6"', 'Eve', 'Call')]),
    )
  })

  test('is none where another cell of such a file is quoted as a whole, on one line or on several', async () => {
    expect(await told([...shop, 'A-4\t"Cup ""Rose"""\tDana\tCall'].join('\n'))).toEqual([
      '2: , column package.description: text follows the closing quotation mark: " pan 12\\" steel"',
      order('A-2', 'Bowl', 'Ben', 'Knock'),
      '4: , column package.description: text follows the closing quotation mark: " kettle 6\\" tall"',
      order('A-4', 'Cup "Rose"', 'Dana', 'Call'),
    ])
    expect(
      await told([names.join('\t'), 'A-1\t"Bowl\nlarge"\tAnn\tRing', 'A-2\t"a\tb"\tBen\tCall'].join('\n')),
    ).toEqual([order('A-1', 'Bowl\nlarge', 'Ann', 'Ring'), order('A-2', 'a\tb', 'Ben', 'Call')])
  })

  test.each([
    ',',
    ';',
  ])('that text follows makes its own record a fault, and no other, between "%s"', async (separator) => {
    const lines = [names.join(separator), ...shop.slice(1).map((line) => line.replaceAll('\t', separator))]
    expect(await told(lines.join('\n'))).toEqual([
      expect.stringMatching(/^2: , column package.description: text follows the closing quotation mark/),
      order('A-2', 'Bowl', 'Ben', 'Knock'),
      expect.stringMatching(/^4: , column package.description: text follows the closing quotation mark/),
    ])
  })

  test('that is never closed, or closed in another row, takes no other row with it', async () => {
    expect(await told(`${names.join(',')}\nA-1,"Bowl,Ann,Ring\nA-2,Cup,Ben,Call\n`)).toEqual([
      '2: : a quotation mark is never closed',
      order('A-2', 'Cup', 'Ben', 'Call'),
    ])
    expect(await told(`${names.join(',')}\nA-1,"Bowl,Ann,Ring\nA-2,Pan 6",Ben,Call\nA-3,Cup,Cleo,Call\n`)).toEqual([
      '2: : a cell begins with a quotation mark that is closed on line 3, which looks like a row of its own',
      order('A-2', 'Pan 6"', 'Ben', 'Call'),
      order('A-3', 'Cup', 'Cleo', 'Call'),
    ])
    expect(await told(`${names.join(',')}\nA-1,"Ring\ntwice","Big" pan,Ann\nA-2,Cup,Ben,Call\n`)).toEqual([
      expect.stringContaining('2: , column dropoff.contactName: text follows'),
      expect.stringContaining('3: , column package.description: text follows'),
      order('A-2', 'Cup', 'Ben', 'Call'),
    ])
    expect(await told(`${names.join(',')}\nA-1,"Big" pan,"Ann\nB,Cleo"\nA-2,Cup,Ben,Call\n`)).toEqual([
      expect.stringContaining('2: , column package.description: text follows'),
      '3: : it may belong to the record on line 2, which cannot be read',
      order('A-2', 'Cup', 'Ben', 'Call'),
    ])
  })

  test('that a space precedes is refused, and read where each separator has that space', async () => {
    expect(await told(`${names.join(',')}\nA-1, "Bowl, blue",Ann,Ring\nA-2,Cup,Ben,Call`)).toEqual([
      '2: , column package.description: a space stands before the quotation mark: " \\"Bowl"',
      order('A-2', 'Cup', 'Ben', 'Call'),
    ])
    expect(await told(`${names.join(', ')}\nA-1, "Bowl, blue", Ann, Ring\nA-2, Cup, Ben,Call`)).toEqual([
      order('A-1', 'Bowl, blue', 'Ann', 'Ring'),
      order('A-2', 'Cup', 'Ben', 'Call'),
    ])
    expect(await told(`${names.join(',')}\nA-1,"Bowl, blue" ,Ann,Ring`)).toEqual([
      order('A-1', 'Bowl, blue', 'Ann', 'Ring'),
    ])
  })

  test('leaves what is quoted as it should be: line breaks with commas, short rows, inches', async () => {
    expect(
      await told(
        `${names.join(',')}\n"A-1","x,y\nz,w,v,u","Ann","Ring"\nA-2,12" pan,"Ben, Jr","418 Ramsey St, a,\nb, c, d"\nA-3,"1,2"\n`,
      ),
    ).toEqual([
      order('A-1', 'x,y\nz,w,v,u', 'Ann', 'Ring'),
      order('A-2', '12" pan', 'Ben, Jr', '418 Ramsey St, a,\nb, c, d'),
      { clientOrderReference: 'A-3', package: { description: '1,2' } },
    ])
  })
})

describe('Drawn tables', () => {
  const separator = fc.constantFrom(',', ';', '\t')
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const piece = fc.constantFrom('"', '""', ' ', "'", '=', 'x', '12', ' "', '" ')
  const table = (unit: fc.Arbitrary<string>) =>
    fc.array(
      fc.array(fc.tuple(fc.array(unit, { maxLength: 4 }), fc.array(unit, { maxLength: 4 })), {
        minLength: 4,
        maxLength: 4,
      }),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
  /** Each cell says where it is from. */
  const marked = (rows: [string[], string[]][][], isReferenceBare = false) =>
    rows.map((row, at) =>
      row.map(([before, after], column) =>
        isReferenceBare && column === 0 ? `r${at}c0` : `${before.join('')}r${at}c${column}${after.join('')}`,
      ),
    )
  const cellsOf = (row: InputRow): string[] => {
    if (!('value' in row)) return []
    const value = row.value as Record<string, Record<string, string> | undefined>
    return [
      String(value.clientOrderReference ?? ''),
      value.package?.description ?? '',
      value.dropoff?.contactName ?? '',
      value.dropoff?.instructions ?? '',
    ]
  }

  test('never give an order whose cells are from two lines, if nothing is ever quoted', async () => {
    await fc.assert(
      fc.asyncProperty(
        table(fc.constantFrom('', '', '"', '"', '""', ' ', 'x')),
        separator,
        lineEnd,
        fc.integer({ min: 1, max: 60 }),
        async (rows, mark, end, size) => {
          const text = [names, ...marked(rows, true)].map((cells) => cells.join(mark)).join(end)
          for (const row of await read(text, size)) {
            if (!('value' in row)) continue
            const places = cellsOf(row).map((cell) => (cell.match(/r\dc\d/g) ?? []).join('+'))
            const [first = ''] = places
            expect(places).toEqual([0, 1, 2, 3].map((column) => (first === '' ? '' : `${first.slice(0, 2)}c${column}`)))
          }
        },
      ),
      { numRuns: sampleCount(300) },
    )
  })

  const isTwofold = (record: string, mark: string) =>
    record.includes('\n') && record.split('\n').some((line) => line.split(mark).length >= 4)

  test('are read cell by cell if they are quoted, all cells or those that have to be', async () => {
    const unit = fc.oneof(
      piece,
      fc.constantFrom(',', ';', '\t', '\n', ', '),
      anyCharacter.filter((text) => !/[\r\ufeff]/.test(text)),
    )
    await fc.assert(
      fc.asyncProperty(
        table(unit),
        separator,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (rows, mark, end, all) => {
          const plain = (cell: string) => trimmed(cell.replaceAll("'", ''))
          const cells = marked(rows)
          const quoted = (cell: string) => (all || /["\n\r,;\t ]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
          const records = cells.map((row) => row.map(quoted).join(mark))
          // A record over several lines, of which one could be a row by itself, can be read in two ways.
          fc.pre(all || !records.some((record) => isTwofold(record, mark)))
          const given = await read([names.map(quoted).join(mark), ...records].join(end))
          for (const row of given) {
            // What is not clear is refused; nothing is ever changed, but for guards.
            if (!('value' in row)) continue
            const found = cellsOf(row).map(plain)
            expect(found).toEqual(cells[Number(/r(\d)c0/.exec(found[0] ?? '')?.[1])]?.map(plain))
          }
          if (all) expect(given.every((row) => 'value' in row)).toBe(true)
        },
      ),
      { numRuns: sampleCount(500) },
    )
  })
})
