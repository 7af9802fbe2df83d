// useSandbox in each test runner of docs/guides/testing.md, as the page calls it, and each fake of the page before the client.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const [folder, only] = process.argv.slice(2)
const page = readFileSync('docs/guides/testing.md', 'utf8')
const bin = (name) => join(folder, 'node_modules/.bin', name)
const node = process.execPath
const pair = "test('one', () => once(sandbox))\ntest('two', () => once(sandbox))\n"
const described = "describe('orders', () => {\n  it('one', () => once(sandbox))\n  it('two', () => once(sandbox))\n})\n"
const asserted = (t) =>
  ['one', 'two'].map((name) => `${t}('${name}', async (t) => {\n  await once(sandbox)\n  t.pass()\n})\n`).join('')

/** What stands before and behind the call of the page, the file it is in, and what runs that. */
const runners = {
  vitest: {
    head: "import { afterAll, beforeAll, beforeEach, test } from 'vitest'",
    tests: pair,
    words: (file) => [node, bin('vitest'), 'run', file],
  },
  Jest: {
    head: "import { afterAll, beforeAll, beforeEach, test } from '@jest/globals'",
    tests: pair,
    words: (file) => [node, '--experimental-vm-modules', bin('jest'), '--testMatch', `**/${file}`],
  },
  'node:test': {
    head: "import { after, before, beforeEach, test } from 'node:test'",
    tests: pair,
    words: (file) => [node, '--test', file],
  },
  mocha: { head: '', tests: described, words: (file) => [node, bin('mocha'), file] },
  Bun: {
    head: "import { afterAll, beforeAll, beforeEach, test } from 'bun:test'",
    tests: pair,
    words: (file) => [bin('bun'), 'test', `./${file}`],
  },
  Deno: {
    head: 'const { test } = Deno',
    tests: pair,
    words: (file) => [bin('deno'), 'test', '--allow-all', '--no-check', file],
  },
  tap: {
    head: "import t from 'tap'",
    tests: asserted('t.test'),
    words: (file) => [node, bin('tap'), '--disable-coverage', '--allow-empty-coverage', file],
  },
  AVA: { head: "import test from 'ava'", tests: asserted('test.serial'), words: (file) => [node, bin('ava'), file] },
  'Playwright Test': {
    head: "import { test } from '@playwright/test'",
    tests: pair,
    words: (file) => [node, bin('playwright'), 'test', file],
  },
  Jasmine: { head: '', tests: described, words: (file) => [node, bin('jasmine'), file] },
  Japa: {
    head: "import { test } from '@japa/runner'",
    around: (text) => `test.group('orders', (group) => {\n${text}\n})\n`,
    tests: pair,
    words: (file) => {
      const start = `import { configure, run } from '@japa/runner'\nconfigure({ files: ['${file}'] })\nrun()`
      return [node, '--input-type=module', '--eval', start]
    },
  },
  uvu: { head: "import { test } from 'uvu'", tests: `${pair}test.run()\n`, words: (file) => [node, file] },
  QUnit: {
    head: '',
    around: (text) => `QUnit.module('orders', (hooks) => {\n${text}\n})\n`,
    tests: asserted('QUnit.test').replaceAll('t.pass()', 't.ok(true)'),
    words: (file) => [node, bin('qunit'), file],
  },
  lab: {
    head: "import Lab from '@hapi/lab'\nexport const lab = Lab.script()",
    tests: pair.replaceAll('test(', 'lab.test('),
    // Zod has two globals, which lab takes for leaks.
    words: (file) => [node, bin('lab'), '--leaks', file],
  },
  Cucumber: {
    head: "import { After, AfterAll, Before, BeforeAll, Given } from '@cucumber/cucumber'",
    tests: "Given('an order', () => once(sandbox))\n",
    words: (file) => [node, bin('cucumber-js'), '--import', file, 'features/orders.feature'],
  },
}

/** Two tests: each needs a sandbox without deliveries, places an order and waits for its webhook. */
const once = `async function once(sandbox) {
  const clientOrderReference = 'WEB-1'
  const page = await sandbox.client.listDeliveries({ query: { clientOrderReference } })
  if (page.deliveries.length > 0 || sandbox.events.length > 0) throw new Error('It was not reset.')
  const dropoff = { address: '418 Ramsey Street, Fayetteville, NC 28301', contactName: 'Dana Whitfield', contactPhone: '+19105550147' }
  const body = { clientOrderReference, pickup: { storeReference: 'STORE-001' }, dropoff }
  const { deliveryId } = await sandbox.client.createDelivery({ body })
  await sandbox.waitForEvent({ eventType: 'delivery.accepted', deliveryId })
  console.log('an order was placed')
}
`
const runsFile = promisify(execFile)
const run = (words, env = {}) =>
  runsFile(words[0], words.slice(1), { cwd: folder, timeout: 120_000, env: { ...process.env, CI: '1', ...env } })

/** The cells of the rows of the page's table below a heading. */
const rowsBelow = (heading) =>
  page
    .slice(page.indexOf(`\n## ${heading}\n`))
    .split(/\n## /)[1]
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

let isGood = true
const fail = (what) => {
  isGood = false
  return what
}

async function runner(name, call) {
  const { head, tests, words, around = (text) => text } = runners[name]
  const file = `${name.replace(/\W/g, '')}.${name === 'Cucumber' ? 'steps' : name === 'Jasmine' ? 'spec' : 'test'}.mjs`
  const text = `${head}\nimport { useSandbox } from 'dlv-cli/testing'\n${once}${around(`const sandbox = ${call}\n${tests}`)}`
  writeFileSync(join(folder, file), text)
  try {
    const { stdout, stderr } = await run(words(file))
    const placed = (stdout + stderr).match(/an order was placed/g)?.length ?? 0
    // Some runners keep what a test prints.
    return placed === 2 || placed === 0 ? 'works' : fail(`${placed} orders`)
  } catch (error) {
    console.error(`${name}: ${`${error.stdout}${error.stderr}`.slice(-1_500)}`)
    return fail('fails')
  }
}

const fakes = {
  'msw 3': [
    `const { http, HttpResponse } = await import('msw'); const { setupServer } = await import('msw/node')`,
    'msw',
  ],
  'msw 2': [
    `const { http, HttpResponse } = await import('msw2'); const { setupServer } = await import('msw2/node')`,
    'msw',
  ],
  'nock 15': [`const { default: nock } = await import('nock')`, 'nock'],
  'nock 14': [`const { default: nock } = await import('nock14')`, 'nock'],
  'fetch-mock 12': [
    `const { default: mock } = await import('fetch-mock'); mock.mockGlobal().route(base + '/health', () => answer())`,
  ],
  'undici 8 `MockAgent`': [`const { MockAgent, setGlobalDispatcher } = await import('undici')`, 'agent'],
  'undici 7 `MockAgent`': [`const { MockAgent, setGlobalDispatcher } = await import('undici7')`, 'agent'],
  '`globalThis.fetch = …`': [`globalThis.fetch = async () => Response.json(answer())`],
  'Polly.JS 6': [
    `const { Polly } = await import('@pollyjs/core')
for (const name of ['fetch', 'node-http']) Polly.register((await import('@pollyjs/adapter-' + name)).default)
const polly = new Polly('health', { adapters: ['fetch', 'node-http'], logLevel: 'silent' })
polly.server.get(base + '/health').intercept((_, response) => response.status(200).json(answer()))`,
  ],
  'mockttp 4': [
    `const { getLocal } = await import('mockttp'); const server = getLocal(); await server.start()
await server.forGet('/delivery/v1/health').thenCallback(() => ({ statusCode: 200, json: answer() }))
base = server.urlFor('/delivery/v1')`,
  ],
}
const shared = {
  msw: `await setupServer(http.get(base + '/health', () => HttpResponse.json(answer()))).listen()`,
  nock: `nock('https://api.example.com').get('/delivery/v1/health').reply(200, answer)`,
  agent: `const agent = new MockAgent(); agent.disableNetConnect(); setGlobalDispatcher(agent)
agent.get('https://api.example.com').intercept({ path: '/delivery/v1/health' }).reply(200, () => answer())`,
}

/** Whether a fake answers the client, as it is and on `fetch`. */
async function fake(name) {
  const [head, rest = ''] = fakes[name]
  const seen = []
  for (const transport of ['', 'transport: fetchTransport(),']) {
    const text = `import { createClient, fetchTransport } from 'dlv-cli/client'
let base = 'https://api.example.com/delivery/v1'
let count = 0
const answer = () => (count++, { status: 'healthy', checkedAt: '2026-03-02T15:00:00Z' })
${head}
${shared[rest] ?? ''}
const client = createClient({ baseUrl: base, apiKey: 'dlvk_sbx_of_a_test', ${transport} timeoutMs: 5_000, retries: { maxRetries: 0 } })
await client.getHealth().catch(() => {})
console.log(count > 0 ? 'yes' : 'no')
process.exit()
`
    writeFileSync(join(folder, 'fake.mjs'), text)
    seen.push((await run([node, 'fake.mjs'])).stdout.trim().split('\n').at(-1))
  }
  return seen
}

/** msw with a whole sandbox behind the address of production: an order whose first answer is lost is placed once. */
async function mswHandler(module) {
  writeFileSync(
    join(folder, 'handler.mjs'),
    `import { createClient, fetchTransport } from 'dlv-cli/client'
import { createSandbox } from 'dlv-cli/sandbox'
import { mswHandler } from 'dlv-cli/testing'
const { http } = await import('${module}')
const { setupServer } = await import('${module}/node')
const baseUrl = 'https://api.example.com/delivery/v1'
const sandbox = createSandbox({ rateLimit: 'off' })
const server = setupServer(mswHandler(http, sandbox, baseUrl))
await server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
await sandbox.faults.set([{ operation: 'createDelivery', force: 'TIMEOUT_AFTER_COMMIT', times: 1 }])
const client = createClient({ baseUrl, apiKey: sandbox.apiKey, transport: fetchTransport() })
const dropoff = { address: '418 Ramsey Street, Fayetteville, NC 28301', contactName: 'Dana Whitfield', contactPhone: '+19105550147' }
await client.createDelivery({ body: { clientOrderReference: 'WEB-1', pickup: { storeReference: 'STORE-001' }, dropoff } })
const { deliveries } = await client.listDeliveries({ query: { clientOrderReference: 'WEB-1' } })
console.log(deliveries.length)
process.exit()
`,
  )
  const { stdout } = await run([node, 'handler.mjs'])
  return stdout.trim().endsWith('1') ? 'placed once' : fail(stdout)
}

const typed = `import t from 'tap'
import ava from 'ava'
import * as node from 'node:test'
import * as vitest from 'vitest'
import { test as uvu } from 'uvu'
import { test as playwright } from '@playwright/test'
import * as cucumber from '@cucumber/cucumber'
import { test as japa } from '@japa/runner'
import { useSandbox } from 'dlv-cli/testing'
for (const hooks of [t, ava, node, vitest, uvu, playwright, cucumber]) useSandbox(hooks)
japa.group('orders', (group) => { useSandbox(group) })
`

mkdirSync(join(folder, 'features'), { recursive: true })
writeFileSync(
  join(folder, 'features/orders.feature'),
  'Feature: orders\n  Scenario: one\n    Given an order\n  Scenario: two\n    Given an order\n',
)
const isWanted = (name) => only === undefined || only === name
const table = {}
for (const [name, call] of rowsBelow('With your test runner'))
  if (isWanted(name.replaceAll('`', ''))) {
    const plain = name.replaceAll('`', '')
    table[plain] = { call: call.replaceAll('`', ''), result: await runner(plain, call.replaceAll('`', '')) }
  }
console.table(table)
const missing = Object.keys(runners).filter((name) => isWanted(name) && table[name] === undefined)
if (missing.length > 0) console.error(fail(`not on the page: ${missing}`))

if (only === undefined) {
  writeFileSync(join(folder, 'types.ts'), typed)
  const options = [
    '--noEmit',
    '--ignoreConfig',
    '--strict',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--skipLibCheck',
  ]
  await runsFile('tsc', [...options, '--types', 'node', 'types.ts'], { cwd: folder }).then(
    () => console.log('The types of all of them compile.'),
    (error) => console.error(fail(error.stdout)),
  )
  const seen = {}
  for (const [name, ...cells] of rowsBelow('With a fake of the network')) {
    if (fakes[name] === undefined) continue
    const found = await fake(name)
    seen[name] = { 'as it is': found[0], 'fetchTransport()': found[1] }
    if (found.join() !== cells.slice(0, 2).join()) console.error(fail(`${name}: the page says ${cells.slice(0, 2)}`))
  }
  console.table(seen)
  for (const module of ['msw', 'msw2']) console.log(`mswHandler with ${module}: ${await mswHandler(module)}`)
}
if (!isGood) process.exitCode = 1
