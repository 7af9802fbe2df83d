import { describe, expect, test } from 'vitest'
import { type InputRow, type RowOptions, readRows } from '../../src/bulk/index.js'
import { DeliveryCreate, UsageError } from '../../src/contract/index.js'
import { trimmed } from '../../src/shared/texts.js'
import { withoutUnsafeKeys } from '../../src/shared/unsafe-keys.js'
import { anyCharacter } from '../support/any-character.js'
import { testOrder } from '../support/orders.js'
import { fc } from '../support/samples.js'

const schema = DeliveryCreate
type Order = { package: { description: string } }

/** Reads a text that arrives in chunks of the given size, cut through characters and line ends alike. */
async function read(text: string, chunkSize = 1_000_000, options: Partial<RowOptions> = {}): Promise<InputRow[]> {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  )
  const rows: InputRow[] = []
  for await (const batch of readRows(chunks, { schema, ...options })) rows.push(...batch)
  return rows
}

const valuesOf = (rows: InputRow[]) => rows.map((row) => ('value' in row ? row.value : row.problem))

describe('Rows', () => {
  const orders = [testOrder('A "quoted" {one}'), testOrder('Ünï\\cödé 🚚', { metadata: { note: 'a,b\nc' } })]
  const forms: [string, string][] = [
    ['one JSON object a line', orders.map((order) => JSON.stringify(order)).join('\n')],
    ['one JSON object a line with CRLF and blank lines', orders.map((order) => JSON.stringify(order)).join('\r\n\r\n')],
    ['a JSON array', JSON.stringify(orders)],
    ['a pretty JSON array', JSON.stringify(orders, null, 2)],
    ['pretty objects one after the other', orders.map((order) => JSON.stringify(order, null, 2)).join('\n')],
  ]
  test.each(forms)('are read from %s, with or without a byte order mark, however it is cut', async (_, text) => {
    for (const size of [1, 2, 3, 7, 64, 1_000_000]) {
      expect(valuesOf(await read(text, size))).toEqual(orders)
      expect(valuesOf(await read(`\ufeff${text}`, size))).toEqual(orders)
    }
  })

  test('are the same, and so is what is wrong with them, wherever the text is cut', async () => {
    const row = fc.record({
      text: fc.string({ unit: 'grapheme' }),
      list: fc.array(fc.nat()),
      inner: fc.record({ a: fc.boolean() }),
    })
    const written = fc.constantFrom('ndjson', 'json', 'array').chain((form) =>
      fc.array(row, { minLength: 1, maxLength: 5 }).map((rows) => {
        if (form === 'ndjson') return rows.map((one) => `${JSON.stringify(one)}\r\n\n{\n`).join('')
        if (form === 'array') return `\n${JSON.stringify(rows, null, 1)}\nx`
        return `\n${rows.map((one) => JSON.stringify(one, null, 2)).join(' ')}\nx`
      }),
    )
    const told = (text: string, size?: number) => read(text, size).catch((error: Error) => error.message)
    await fc.assert(
      fc.asyncProperty(written, fc.integer({ min: 1, max: 90 }), async (text, size) => {
        expect(await told(text, size)).toEqual(await told(text))
      }),
    )
  })

  test('are one from a single object over several lines', async () => {
    expect(valuesOf(await read(JSON.stringify(orders[0], null, 4)))).toEqual([orders[0]])
  })

  test('are none from an empty input', async () => {
    for (const text of ['', '\n\n', '[]', ' [ ] ', '\ufeff']) expect(await read(text)).toEqual([])
  })

  test('are read from CSV with dotted names, quotes, line breaks, lists and numbers', async () => {
    const csv = [
      'clientOrderReference,pickup.storeReference,dropoff.address.line1,dropoff.address.postalCode,dropoff.instructions,package.weightGrams,package.contains,metadata.batch,verification.dropoff.signature.collectSignerName',
      '0042,STORE-001,"300 Hay St, ""Suite 2""",28301,"Ring\r\ntwice",500,alcohol;perishable_cold_chain,7,true',
      'B-2,STORE-001,1 Main St,28301,,,,,',
    ].join('\r\n')
    for (const size of [1, 5, 1_000]) {
      expect(valuesOf(await read(csv, size))).toEqual([
        {
          clientOrderReference: '0042',
          pickup: { storeReference: 'STORE-001' },
          dropoff: { address: { line1: '300 Hay St, "Suite 2"', postalCode: '28301' }, instructions: 'Ring\r\ntwice' },
          package: { weightGrams: 500, contains: ['alcohol', 'perishable_cold_chain'] },
          metadata: { batch: '7' },
          verification: { dropoff: { signature: { collectSignerName: true } } },
        },
        {
          clientOrderReference: 'B-2',
          pickup: { storeReference: 'STORE-001' },
          dropoff: { address: { line1: '1 Main St', postalCode: '28301' } },
        },
      ])
    }
  })

  test('judge a cell in each row, also if the row above has the same', async () => {
    const header = 'clientOrderReference,dropoff.contactName,package.description'
    const cells = ["'-5", "'-5", '#REF!', '#REF!', ' Ann ', ' Ann ', 'Ann']
    const rows = await read([header, ...cells.map((cell, at) => `A-${at},${cell},${cell}`)].join('\n'))
    const shown = rows.map((row) => ('value' in row ? (row.value as Order).package.description : row.problem))
    const fault = (row: number) => `row ${row} (line ${row + 1}), column dropoff.contactName: "#REF!" is an error`
    expect(shown).toEqual([
      '-5',
      '-5',
      ...[3, 4].map((row) => expect.stringContaining(fault(row))),
      'Ann',
      'Ann',
      'Ann',
    ])
  })

  test('read a cell in the same way, whatever its neighbours and wherever the text is cut', async () => {
    const guards = ["'-Ana", "'02840", "Ana;'=A1", '="02840"', '\u00a0Ana', 'Ana\t']
    const faults = ['#REF!', '=A1', 'undefined', 'Err:502', 'Ana {{name}}', 'Ana [object Object]']
    const cells = [...guards, ...faults]
    const header = 'clientOrderReference,dropoff.contactName'
    const oneOf = async (lines: string[], size?: number) =>
      valuesOf(await read([header, ...lines, ''].join('\n'), size)).map((value) =>
        typeof value === 'string' ? value.replace(/^row \d+ \(line \d+\)/, '') : value,
      )
    for (const cell of cells)
      for (const written of [cell, `"${cell.replaceAll('"', '""')}"`]) {
        const alone = await oneOf([`A-2,${written}`])
        expect(alone).not.toEqual([{ clientOrderReference: 'A-2', dropoff: { contactName: cell } }])
        for (const size of [1_000_000, 7, 1]) {
          const among = await oneOf(['A-1,Ana', `A-2,${written}`, 'A-3,Joe', `A-2,${written}`], size)
          expect([among[1], among[3]]).toEqual([...alone, ...alone])
          expect(among[2]).toEqual({ clientOrderReference: 'A-3', dropoff: { contactName: 'Joe' } })
        }
      }
  })

  test('read a carriage return that ends a quoted cell as white space around it', async () => {
    const csv = 'clientOrderReference,dropoff.instructions\nA,"x\r"\nB,"y\r"\r\nC,z\r\n'
    expect(valuesOf(await read(csv, 1))).toMatchObject([
      { dropoff: { instructions: 'x' } },
      { dropoff: { instructions: 'y' } },
      { dropoff: { instructions: 'z' } },
    ])
  })

  test('take each line as it ends, and spaces behind a closing quote for none of a cell', async () => {
    const head = 'clientOrderReference,dropoff.contactName,dropoff.instructions'
    const rows = ['A,"Ana" ,gate', 'B,"Bo\nLee",x', 'C,"Cy"  , y']
    const names = ['Ana', 'Bo\nLee', 'Cy']
    for (const ends of [
      ['\r\n', '\r\n', '\n', '\n'],
      ['\n', '\r\n', '\r\n', '\r\n'],
      ['\r\n', '\n', '\r\n', ''],
    ]) {
      const csv = [head, ...rows].map((line, index) => line + ends[index]).join('')
      const found = valuesOf(await read(csv, 3)) as { dropoff: { contactName: string; instructions: string } }[]
      expect(found.map(({ dropoff }) => dropoff.contactName)).toEqual(names)
      expect(found.map(({ dropoff }) => dropoff.instructions)).toEqual(['gate', 'x', 'y'])
    }
  })

  test('take semicolons and tabs for separators where the header does', async () => {
    for (const separator of [';', '\t']) {
      const csv = `clientOrderReference${separator}dropoff.address\nA${separator}"1 Main St, Killeen, TX"\n`
      expect(valuesOf(await read(csv))).toEqual([
        { clientOrderReference: 'A', dropoff: { address: '1 Main St, Killeen, TX' } },
      ])
    }
  })

  test('come back from CSV as they were written, whatever their cells hold', async () => {
    // White space around a value is no part of it, nor is the apostrophe that guards one.
    const cell = fc
      .string({ unit: anyCharacter, minLength: 1 })
      .map((text) => trimmed(text.replaceAll(/[\ufeff'#]/g, '')))
      .filter((text) => text !== '')
    const record = fc.tuple(cell, cell)
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        async (records, size) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
          const lines = records.map((cells) => cells.map(quoted).join(','))
          const rows = await read(`clientOrderReference,dropoff.instructions\n${lines.join('\n')}`, size)
          expect(valuesOf(rows)).toEqual(
            records.map(([clientOrderReference, instructions]) => ({
              clientOrderReference,
              dropoff: { instructions },
            })),
          )
        },
      ),
    )
  })

  test('come back from JSON as they were written, however it is cut', async () => {
    const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), fc.boolean(), async (values, size, isPretty) => {
        const array = JSON.stringify(values, null, isPretty ? 1 : 0)
        const written = JSON.parse(array) as unknown[]
        const expected = withoutUnsafeKeys(written)
        expect(valuesOf(await read(array, size))).toEqual(expected)
        expect(valuesOf(await read(written.map((value) => JSON.stringify(value)).join('\n'), size))).toEqual(expected)
      }),
    )
  })

  test.each([
    [
      'a JSON object a line',
      '{"__proto__":{"a":1},"dropoff":{"constructor":{"prototype":{"b":2}},"contactName":"M"}}\n',
    ],
    ['spelled with escapes', '{"\\u005f_proto__":{"a":1},"dropoff":{"\\u0063onstructor":1,"contactName":"M"}}'],
    ['an array', '[{"__proto__":{"a":1},"dropoff":{"prototype":1,"contactName":"M"}}]'],
  ])('leave out member names that reach outside an object: %s', async (_, text) => {
    expect(valuesOf(await read(text))).toEqual([{ dropoff: { contactName: 'M' } }])
    expect(({} as Record<string, unknown>).a).toBeUndefined()
  })

  test('of CSV with JSON that cannot be read fail, and are never taken as text', async () => {
    const deep = '['.repeat(201) + ']'.repeat(201)
    const csv = `clientOrderReference,package.items,metadata\nA,"[{""a"":",\nB,${deep},\nC,,{\nD,,7\nE,"[]",{}\n`
    const start = `"${'['.repeat(80)}"`
    expect(valuesOf(await read(csv))).toEqual([
      'row 1 (line 2), column package.items: "[{"a":" is not JSON',
      `row 2 (line 3), column package.items: ${start} is nested deeper than 200 levels`,
      'row 3 (line 4), column metadata: "{" is not JSON',
      'row 4 (line 5), column metadata: "7" is neither an object nor an array',
      { clientOrderReference: 'E', package: { items: [] }, metadata: {} },
    ])
  })

  test('name row and column of what is wrong, and continue', async () => {
    const csv = 'clientOrderReference,package.weightGrams\nA,heavy\nB,5,6\nC,7\n'
    expect(valuesOf(await read(csv))).toEqual([
      'row 1 (line 2), column package.weightGrams: "heavy" is not a whole number',
      'row 2 (line 3) has 3 cells for 2 columns',
      { clientOrderReference: 'C', package: { weightGrams: 7 } },
    ])
    expect(valuesOf(await read('{"a":1}\n{"a":tru}\n{"a":2}'))).toEqual([
      { a: 1 },
      'row 2 (line 2, column 6) is not JSON',
      { a: 2 },
    ])
    expect(valuesOf(await read('[\n{"a":1},\n{"a" 1},\n{"a":2}]'))).toEqual([
      { a: 1 },
      'row 2 (line 3, column 6) is not JSON',
      { a: 2 },
    ])
  })

  test.each([
    ['an unknown column', 'clientOrderReference,dropof.address\nA,b'],
    ['a prototype column', 'clientOrderReference,metadata.__proto__.x\nA,b'],
    ['a column beside columns below it', 'clientOrderReference,dropoff.address,dropoff.address.city\nA,b,c'],
    ['a header whose quote is never closed', 'clientOrderReference,"dropoff.address\nA'],
    ['an array that is not closed', '[{"a":1}'],
    ['a value cut short', '{\n"a":'],
    ['something after the array', '[{"a":1}] x'],
    ['no object', '[1, 2]'],
  ])('are refused as a whole for %s', async (_, text) => {
    await expect(read(text)).rejects.toThrow(UsageError)
  })

  test('may be delivery ids, one a line', async () => {
    expect(valuesOf(await read('del_1\r\n\ndel_2 \n', 3, { allowIds: true }))).toEqual([
      { deliveryId: 'del_1' },
      { deliveryId: 'del_2' },
    ])
  })
})
