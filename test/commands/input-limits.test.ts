import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCli, type RunOptions } from '../support/cli/program.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { anOrder } from '../support/orders.js'

const cli = createCli(afterAll)
let server: ScriptedServer
let files = 0

beforeEach(async () => {
  server = await startScriptedServer()
})
afterEach(() => server.close())

const run = (words: readonly string[], options: RunOptions = {}) =>
  cli.run(words, { ...options, env: { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key', ...options.env } })

function fileOf(content: string): string {
  const path = join(cli.home, `input-${++files}`)
  writeFileSync(path, content)
  return path
}

/** An order with so many levels, the outermost object included. */
function orderText(reference: string, levels: number): string {
  const note = `${'{"a":'.repeat(levels - 2)}1${'}'.repeat(levels - 2)}`
  return JSON.stringify(anOrder(reference, { metadata: { note: 'NOTE' } })).replace('"NOTE"', note)
}

describe('JSON nested deeper than 200 levels', () => {
  test('is refused as an order with 2, and nothing is sent', async () => {
    for (const levels of [201, 100_000]) {
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
      const results = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
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
