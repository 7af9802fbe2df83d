import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operationRows } from '../../src/contract/index.js'
import { openApiDocument } from '../../src/contract/openapi/index.js'

const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')

function lint(document: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'dlv-openapi-'))
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [redocly, 'lint', 'openapi.json', '--format=json'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    problems: { ruleId: string; severity: string; message: string }[]
  }
  return { status, stderr, problems: report.problems.map(({ ruleId, message }) => `${ruleId}: ${message}`) }
}

describe('The OpenAPI document', () => {
  it('passes a public linter with no error and no warning', () => {
    const { status, problems } = lint(openApiDocument())
    expect(problems).toEqual([])
    expect(status).toBe(0)
  })

  it('fails that linter when it is broken', () => {
    const document = openApiDocument() as { paths: Record<string, { get?: { responses?: unknown } }> }
    const health = document.paths['/health']?.get
    if (health !== undefined) health.responses = { 200: { $ref: '#/components/responses/Missing' } }
    expect(lint(document).status).not.toBe(0)
  })

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
