import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'

const cli = createCli(afterAll)
let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer()
})
afterEach(() => server.close())

interface Shown {
  method: string
  url: string
  headers: Record<string, string>
  body?: unknown
}

describe('A dry run', () => {
  test.each([
    ['deliveries create', ['deliveries', 'create', '--file', 'examples/order.json', '--set', 'package.itemsCount=3']],
    [
      'deliveries create with a key',
      ['deliveries', 'create', '--file', 'examples/order.json', '--idempotency-key', 'k 1'],
    ],
    ['deliveries update', ['deliveries', 'update', 'del_1', '--instructions', 'Ring twice']],
    ['deliveries cancel', ['deliveries', 'cancel', 'id:del/1', '--reason', 'customer_cancelled']],
    ['quotes create', ['quotes', 'create', '--file', 'examples/order.json']],
  ])('of %s prints what arrives when it is sent, its key redacted', async (_, words) => {
    const env = { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'dlvk_sbx_canary' }
    const { method, url, headers, body } = await cli.json<Shown>([...words, '--dry-run'], { env })
    // What a cancellation costs is read.
    expect(server.requests.filter((request) => request.method !== 'GET')).toEqual([])
    server.requests.length = 0
    server.always = faults.refuse(422, 'VALIDATION_ERROR')
    await cli.run(words, { env })
    const [sent] = server.requests
    expect([sent?.method, `${server.origin}${sent?.path}`]).toEqual([method, url])
    expect(sent?.body === '' ? undefined : JSON.parse(sent?.body ?? '')).toEqual(body)
    const { host, connection, 'content-length': length, ...rest } = sent?.headers ?? {}
    const shown = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    expect({ ...rest, authorization: 'Bearer dlvk_sbx_[redacted]' }).toEqual({
      ...Object.fromEntries(shown),
      authorization: 'Bearer dlvk_sbx_[redacted]',
    })
    expect(headers.Authorization).toBe('Bearer [redacted]')
  })

  test('does not open the sandbox of this machine', async () => {
    const shown = await cli.json<Shown>(['deliveries', 'create', '--file', 'examples/order.json', '--dry-run'])
    expect(shown.headers).toMatchObject({ Authorization: 'Bearer [redacted]', 'Content-Type': 'application/json' })
    expect(existsSync(join(cli.home, '.local/share/dlv/sandbox.db'))).toBe(false)
  })

  test('refuses what could not be sent', async () => {
    const words = ['deliveries', 'cancel', 'id:..', '--dry-run']
    expect((await cli.run(words)).exitCode).toBe(2)
  })
})
