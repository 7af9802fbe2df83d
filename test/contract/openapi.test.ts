import { describe, expect, it } from 'vitest'
import { operationRows } from '../../src/contract/index.js'
import { openApiDocument } from '../../src/contract/openapi/index.js'

describe('The OpenAPI document', () => {
  it('has every operation under its own name, with a description and a schema for each body and response', () => {
    const { paths } = openApiDocument() as {
      paths: Record<
        string,
        Record<string, { operationId: string; description?: string; requestBody?: unknown; responses: object }>
      >
    }
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, row]) => `${row.operationId} ${method.toUpperCase()} ${path}`),
    )
    const expected = Object.entries(operationRows).map(([name, row]) => `${name} ${row.method} ${row.path}`)
    expect(found.sort()).toEqual(expected.sort())
    for (const row of Object.values(operationRows)) {
      const described = paths[row.path]?.[row.method.toLowerCase()]
      expect(described?.description?.length, row.path).toBeGreaterThanOrEqual(20)
      expect(described?.requestBody !== undefined).toBe(row.body !== undefined)
      expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(Object.keys(row.responses)))
    }
  })
})
