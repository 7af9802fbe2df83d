import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../../../src/sandbox/index.js'
import { foldedText } from '../../../src/shared/texts.js'
import { createCli } from '../../support/cli/program.js'

interface Row {
  deliveryId: string
  clientOrderReference: string
  problem: string | null
}

const cli = createCli(afterAll)
let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => {
  sandbox = await startSandbox({ rateLimit: 'off', timeScale: 0 })
  const add = ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', sandbox.baseUrl, '--api-key-stdin']
  await cli.run([...add, '--no-keychain'], { stdin: sandbox.apiKey })
  await cli.run(['profiles', 'use', 'acme'])
})
afterAll(() => sandbox.close())

const create = (reference: string, ...words: string[]) =>
  cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--yes', '--ref', reference, ...words])
const list = async (...words: string[]) =>
  JSON.parse((await cli.run(['deliveries', 'list', ...words, '--json'])).stdout) as Row[]
const problems = async () => {
  const sql = 'select delivery_id, client_order_reference, problem from problems'
  return JSON.parse((await cli.run(['query', sql, '--json'])).stdout) as Record<string, string>[]
}

describe('A problem', () => {
  it('is the same in deliveries list --problem and in the view problems, at any age', async () => {
    for (const reference of ['P-1', 'P-2', 'P-3', 'P-4', 'P-5', 'P-6']) await create(reference)
    const cancel = (reference: string, reason: string) =>
      cli.run(['simulate', reference, '--to', 'cancelled', '--reason', reason])
    await cli.run(['simulate', 'P-1', '--to', 'failed', '--reason', 'gate_closed'])
    await cancel('P-2', 'cancelled_by_carrier')
    await cancel('P-3', 'cancelled_by_merchant')
    await cancel('P-4', 'cancelled_by_recipient')
    await cancel('P-5', 'cancelled_by_service')
    const both = async () => {
      const [listed, viewed] = [await list('--problem'), await problems()]
      const pairs = (rows: readonly (readonly [string | undefined, string | null | undefined])[]) => rows.toSorted()
      const ofList = pairs(listed.map((row) => [row.clientOrderReference, row.problem]))
      expect(pairs(viewed.map((row) => [row.client_order_reference, row.problem]))).toEqual(ofList)
      return ofList.map(([reference, problem]) => `${reference} ${problem}`)
    }
    expect(await both()).toEqual(['P-1 failed: gate_closed', 'P-2 cancelled: cancelled_by_carrier'])
    await sandbox.clock.advance('26h')
    await create('P-7')
    await sandbox.clock.advance('20m')
    // What ended badly is history after a day, and what is stuck is not, however old it is.
    const later = await both()
    expect(later.filter((text) => /failed|cancelled/.test(text))).toEqual([])
    expect(later.length).toBeGreaterThan(0)
    expect((await list('--problem', '--from', '30d')).map((row) => row.clientOrderReference).toSorted()).toEqual(
      later.map((text) => text.split(' ')[0]),
    )
  })

  it('is found without its accents and apostrophes, in names, addresses and references', async () => {
    await create('CAFÉ-1', '--name', 'Zoë O’Brien-Łukasz', '--instructions', 'Stra\u00dfe 7')
    const found = async (text: string) => (await list('--search', text)).map((row) => row.clientOrderReference)
    for (const text of [
      'zoe',
      'ZOË',
      "o'brien",
      'o`brien',
      'obrien',
      'lukasz',
      'cafe-1',
      'Café',
      'cafe\u0301',
      'brien‑l',
    ])
      expect([text, await found(text)]).toEqual([text, ['CAFÉ-1']])
    expect(await found('zoo')).toEqual([])
    expect(foldedText('Waiʻanae, Peña STRASSE')).toBe(foldedText('Waianae, Pena Straße'))
  })
})

describe('An order that left a base', () => {
  it('is not on it any more: in list, query, report and search, at once after an update from here', async () => {
    const base = ['--store', 'STORE-001', '--name', 'Ann', '--phone', '+19105550101', '--yes']
    const to = ['--to', '1200 Reilly Rd, Fort Bragg, NC 28310', '--installation', 'FTBRAGG']
    for (const reference of ['B-1', 'B-2', 'B-3'])
      expect((await cli.run(['deliveries', 'create', '--ref', reference, ...base, ...to])).stderr).toBe('')
    const onBase = async () => {
      await sandbox.clock.advance('1s')
      const listed = await list('--installation', 'FTBRAGG')
      const references = listed.map((row) => row.clientOrderReference).toSorted()
      const sql = "select client_order_reference as r from deliveries where installation_code = 'FTBRAGG' order by 1"
      const queried = JSON.parse((await cli.run(['query', sql, '--json'])).stdout) as { r: string }[]
      const report = JSON.parse(
        (await cli.run(['report', '--by', 'installation', '--from', '1d', '--json'])).stdout,
      ) as {
        by: { key: string | null; deliveries: number }[]
      }
      expect(queried.map(({ r }) => r)).toEqual(references)
      expect(report.by.find(({ key }) => key === 'FTBRAGG')?.deliveries ?? 0).toBe(references.length)
      return references
    }
    expect(await onBase()).toEqual(['B-1', 'B-2', 'B-3'])
    const away = ['--to', '200 Hay St, Fayetteville, NC 28301', '--no-installation', '--yes']
    expect((await cli.run(['deliveries', 'update', 'B-1', ...away, '--name', 'Renée'])).exitCode).toBe(0)
    expect(await onBase()).toEqual(['B-2', 'B-3'])
    expect((await list('--search', 'renee')).map((row) => row.clientOrderReference)).toEqual(['B-1'])
    const run = await cli.run(['deliveries', 'update', 'B-2', 'B-3', ...away])
    expect(run.exitCode, run.stderr).toBe(0)
    expect(await onBase()).toEqual([])
    // Events that come later do not bring it back.
    await cli.run(['simulate', 'B-1', '--to', 'delivered'])
    expect(await onBase()).toEqual([])
    await cli.run(['deliveries', 'update', 'B-2', ...to, '--yes'])
    expect(await onBase()).toEqual(['B-2'])
  })
})
