import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesShape, operationDescriptors, operationRows, type Shape } from '../../src/contract/index.js'
import { descriptorOf, shapeOf } from '../../src/contract/outline-of.js'

describe('The operationDescriptors of the operations', () => {
  it('are those of the rows as they are today', () => {
    const today = Object.fromEntries(Object.entries(operationRows).map(([name, row]) => [name, descriptorOf(row)]))
    expect(operationDescriptors).toEqual(today)
  })

  it('can judge every answer', () => {
    expect(JSON.stringify(operationDescriptors)).not.toContain('unsure')
  })

  const answers = Object.values(operationRows).flatMap((row) => Object.values(row.responses))
  it.each(
    answers.map((schema, index) => [index, schema] as const),
  )('accept exactly the values that schema %i accepts, right or nearly right', (_, schema) => {
    const shape = shapeOf(schema)
    let accepted = 0
    fc.assert(
      fc.property(nearlyRight(shape), (value) => {
        const read: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
        const isAccepted = schema.safeParse(read).success
        if (isAccepted) accepted++
        expect(matchesShape(shape, read)).toBe(isAccepted)
      }),
      { numRuns: 150 },
    )
    expect(accepted).toBeGreaterThan(0)
  })
})

const anything = fc.oneof(
  fc.string(),
  fc.constant(''),
  fc.integer(),
  fc.double(),
  fc.constant(2 ** 60),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue(),
)

/** Values of a shape, with something else in about one place of forty. */
function nearlyRight(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: right(shape) }, { weight: 1, arbitrary: anything })
}

function right(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape) {
    case 'any':
      return anything
    case 'text':
      return fc.string()
    case 'filled text':
      return fc.string({ minLength: 1 })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'whole number':
      return fc.maxSafeInteger()
    case 'true or false':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'unsure':
      return anything
    default:
      return rightStructure(shape)
  }
}

function rightStructure(shape: Exclude<Shape, string>): fc.Arbitrary<unknown> {
  if ('words' in shape) return fc.constantFrom(...shape.words)
  if ('anyOf' in shape) return fc.oneof(...shape.anyOf.map(nearlyRight))
  if ('list' in shape) return fc.array(nearlyRight(shape.list), { maxLength: 3 })
  if ('map' in shape) return fc.dictionary(fc.string(), nearlyRight(shape.map), { maxKeys: 3 })
  const fields = Object.fromEntries(Object.entries(shape.fields).map(([name, field]) => [name, nearlyRight(field)]))
  const whole: fc.Arbitrary<unknown> = fc.record({ ...fields, added: anything })
  const asRequired: fc.Arbitrary<unknown> = fc.record(
    { ...fields, added: anything } as Record<string, fc.Arbitrary<unknown>>,
    { requiredKeys: [...shape.required] },
  )
  const lacking: fc.Arbitrary<unknown> = fc.record({ ...fields, added: anything }, { requiredKeys: [] })
  return fc.oneof(
    { weight: 10, arbitrary: whole },
    { weight: 30, arbitrary: asRequired },
    { weight: 1, arbitrary: lacking },
  )
}
