import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'

it('The template of an order is created as it is', async () => {
  const cli = createCli()
  const { stdout, exitCode } = await cli.run(['deliveries', 'template'])
  expect(exitCode).toBe(0)
  const file = join(cli.home, 'order.json')
  writeFileSync(file, stdout)
  const created = await cli.json(['deliveries', 'create', '--file', file])
  expect(created).toMatchObject({ status: 'accepted', clientOrderReference: JSON.parse(stdout).clientOrderReference })
})

it('The template goes through --jq, and is one line of NDJSON', async () => {
  const cli = createCli()
  const expression = '.clientOrderReference = "ORDER-1002"'
  const { stdout } = await cli.run(['deliveries', 'template', '-o', 'ndjson', '--jq', expression])
  expect(stdout).toMatch(/^\{.*"clientOrderReference":"ORDER-1002".*\}\n$/)
})

it('The template as CSV, filled in by a spreadsheet with a byte order mark and CRLF, is created without another edit', async () => {
  const cli = createCli()
  const { stdout } = await cli.run(['deliveries', 'template', '--csv'])
  const [header = '', row = ''] = stdout.trimEnd().split('\n')
  const file = join(cli.home, 'orders.csv')
  const rows = ['ORDER-2001', 'ORDER-2002'].map((reference) => row.replace('ORDER-1001', reference))
  writeFileSync(file, `\uFEFF${[header, ...rows].join('\r\n')}\r\n`)
  const results = join(cli.home, 'results.ndjson')
  expect(await cli.run(['deliveries', 'create', '--file', file, '--results', results, '--yes'])).toMatchObject({
    exitCode: 0,
  })
  const [json, csv] = [
    JSON.parse((await cli.run(['deliveries', 'template'])).stdout),
    await cli.json(['deliveries', 'get', '--ref', 'ORDER-2002']),
  ]
  expect(csv).toMatchObject({ clientOrderReference: 'ORDER-2002', dropoff: json.dropoff })
  expect(readFileSync(results, 'utf8')).toContain('ORDER-2001')
})

it('The template for an account says what to replace', async () => {
  const env = { DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1', DLV_API_KEY: 'dlvk_1', DLV_ENVIRONMENT: 'sandbox' }
  const { stdout, stderr } = await createCli().run(['deliveries', 'template'], { env })
  expect(JSON.parse(stdout).pickup).toEqual({ storeReference: 'YOUR-STORE' })
  expect(stderr).toContain('Replace YOUR-STORE with a store of your account.')
})
