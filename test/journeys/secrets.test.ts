import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderLines } from '../support/bulk/run.js'
import { createCli, type Ended } from '../support/cli/program.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { reply } from '../support/client/scripted-service.js'
import { testOrder } from '../support/orders.js'

const apiKey = 'dlvk_sbx_canary1key2with3digits4'
const webhookSecret = `whsec_${Buffer.from('canary-of-the-webhook-secret-0001').toString('base64')}`
const secrets = [apiKey, webhookSecret, webhookSecret.slice('whsec_'.length)]

const cli = createCli(afterAll)
let server: ScriptedServer
const config = join(cli.home, 'config')
const data = join(cli.home, 'data')
const folders = { DLV_CONFIG_DIR: config, DLV_DATA_DIR: data }

/** Every file below a folder, with what it holds. */
function filesBelow(folder: string): { path: string; content: string; mode: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, content: readFileSync(path, 'latin1'), mode: statSync(path).mode & 0o777 }))
}

beforeAll(async () => {
  server = await startScriptedServer()
  const secretFile = join(cli.home, 'secret.txt')
  writeFileSync(secretFile, webhookSecret, { mode: 0o600 })
  const added = await cli.run(
    [
      'profiles',
      'add',
      'shop',
      '--environment',
      'sandbox',
      '--base-url',
      server.baseUrl,
      '--api-key-stdin',
      '--webhook-secret-file',
      secretFile,
    ],
    { env: folders, stdin: `${apiKey}\n` },
  )
  expect(added.exitCode, added.stderr).toBe(0)
  renameSync(secretFile, join(config, 'given.txt'))
})
afterAll(() => server.close())

describe('Secrets', () => {
  test('are in no output, trace, journal, record or error: in the profile’s file of mode 0600 alone', async () => {
    const orders = join(cli.home, 'orders.ndjson')
    writeFileSync(orders, orderLines(5))
    const order = join(cli.home, 'order.json')
    writeFileSync(order, JSON.stringify(testOrder('S-1')))
    // The trace that Node 22 itself writes of its requests shows their headers.
    const tracing = Number(process.versions.node.split('.')[0]) > 22 ? { NODE_DEBUG: 'http' } : {}
    const env = { ...folders, DLV_PROFILE: 'shop', DEBUG: '*', ...tracing }
    // With Node's own traces, which are a process's.
    const traced: string[][] = [
      ['deliveries', 'create', '--file', order],
      ['deliveries', 'create', '--file', orders, '-o', 'ndjson'],
      ['doctor'],
    ]
    const plain: string[][] = [
      ['deliveries', 'create', '--file', order, '--dry-run', '--json'],
      ['deliveries', 'get', 'del_1', '--json'],
      ['deliveries', 'get', 'del_none'],
      ['deliveries', 'cancel', 'del_1'],
      ['api', 'GET', '/deliveries/del_1', '--include'],
      ['profiles', 'list'],
      ['profiles', 'show', '--json'],
      ['health'],
      ['deliveries', 'get', '--api-key', apiKey],
      ['deliveries', 'list', '--from', apiKey],
      ['webhooks', 'sign', '--file', order, '--json'],
    ]
    const ended: Ended[] = []
    for (const words of traced) ended.push(await cli.runProcess([...words, '--verbose'], { env }))
    for (const words of plain)
      ended.push(await cli.run([...words, '--verbose'], { env: { ...folders, DLV_PROFILE: 'shop' } }))
    server.play(faults.refuse(401, 'UNAUTHORIZED'), faults.resetBefore())
    ended.push(await cli.runProcess(['capabilities', '--verbose'], { env }))
    // A service that gives a secret back, in a message and in a header.
    server.play(
      faults.answer(
        reply(400, { error: { code: 'VALIDATION_ERROR', message: `Bearer ${apiKey}` } }, { 'x-key': apiKey }),
      ),
    )
    ended.push(await cli.runProcess(['capabilities', '--verbose'], { env }))

    expect(ended.map(({ stderr }) => stderr).join('')).toContain('Bearer [redacted]')
    for (const { stdout, stderr } of ended)
      for (const secret of secrets) expect(`${stdout}${stderr}`).not.toContain(secret)
    const holding = filesBelow(cli.home)
      .filter(({ content }) => secrets.some((secret) => content.includes(secret)))
      .map(({ path, mode }) => ({ path: relative(cli.home, path), mode }))
    expect(holding.filter(({ path }) => path !== 'config/given.txt')).toEqual([
      { path: 'config/config.json', mode: 0o600 },
    ])
    for (const { path, mode } of filesBelow(data)) expect(mode, path).toBe(0o600)
  })

  test('are not read through a configuration that is a symbolic link, nor written', async () => {
    const linked = join(cli.home, 'linked')
    mkdirSync(linked)
    const elsewhere = join(cli.home, 'elsewhere.json')
    writeFileSync(elsewhere, readFileSync(join(config, 'config.json')), { mode: 0o600 })
    const before = readFileSync(elsewhere, 'utf8')
    symlinkSync(elsewhere, join(linked, 'config.json'))
    const env = { ...folders, DLV_CONFIG_DIR: linked }
    const used = await cli.run(['capabilities'], { env: { ...env, DLV_PROFILE: 'shop' } })
    expect(used.exitCode).toBe(2)
    expect(used.stderr).toContain('symbolic link')
    const added = await cli.run(
      ['profiles', 'add', 'other', '--environment', 'sandbox', '--base-url', server.baseUrl, '--api-key-stdin'],
      { env, stdin: 'another-key\n' },
    )
    expect(added.exitCode).toBe(2)
    expect(readFileSync(elsewhere, 'utf8')).toBe(before)
    expect(lstatSync(join(linked, 'config.json')).isSymbolicLink()).toBe(true)
  })
})
