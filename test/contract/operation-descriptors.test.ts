import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../src/contract/descriptor-of.js'
import {
  findDrift,
  matchesShape,
  operationDescriptors,
  operationRows,
  type Shape,
  shapeDrift,
  shapeIssues,
} from '../../src/contract/index.js'
import { fc, sampleCount } from '../support/samples.js'

describe('The operation descriptors', () => {
  it('decide every response', () => {
    expect(JSON.stringify(operationDescriptors)).not.toContain('undecided')
  })

  const answers = Object.values(operationRows).flatMap((row) => Object.values(row.responses))
  it.each(
    answers.map((schema, index) => [index, schema] as const),
  )('accept exactly the values that schema %i accepts, valid or nearly valid', (_, schema) => {
    const shape = shapeOf(schema)
    let accepted = 0
    fc.assert(
      fc.property(nearlyValid(shape), (value) => {
        const read: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
        const isAccepted = schema.safeParse(read).success
        if (isAccepted) accepted++
        expect(matchesShape(shape, read)).toBe(isAccepted)
        expect(shapeIssues(shape, read).length === 0).toBe(isAccepted)
        if (isAccepted) expect(shapeDrift(shape, read)).toEqual(findDrift(schema, read))
      }),
      { numRuns: sampleCount(150) },
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

/** Values of a shape, with about one in forty places replaced by anything. */
function nearlyValid(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: valid(shape) }, { weight: 1, arbitrary: anything })
}

function valid(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape) {
    case 'any':
      return anything
    case 'string':
      return fc.string()
    case 'non-empty string':
      return fc.string({ minLength: 1 })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'integer':
      return fc.maxSafeInteger()
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'undecided':
      return anything
    default:
      return validStructure(shape)
  }
}

function validStructure(shape: Exclude<Shape, string>): fc.Arbitrary<unknown> {
  if ('known' in shape) return fc.oneof(fc.constantFrom(...shape.known), fc.string())
  if ('values' in shape) return fc.constantFrom(...shape.values)
  if ('anyOf' in shape) return fc.oneof(...shape.anyOf.map(nearlyValid))
  if ('list' in shape) return fc.array(nearlyValid(shape.list), { maxLength: 3 })
  if ('map' in shape) return fc.dictionary(fc.string(), nearlyValid(shape.map), { maxKeys: 3 })
  const fields = Object.fromEntries(Object.entries(shape.fields).map(([name, field]) => [name, nearlyValid(field)]))
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
