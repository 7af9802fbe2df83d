import { once } from 'node:events'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { watchPeak } from '../support/cli/peak-memory.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { testOrder } from '../support/orders.js'

const rows = 1_000_000

describe.skipIf(process.platform !== 'linux')('A million rows from stdin', () => {
  test('go through the program in under 200 MB', async () => {
    let created = 0
    // The fastest service there is: it says yes.
    const origin = await startHttpServer((request, response) => {
      request.resume().once('end', () => {
        created++
        const body = `{"deliveryId":"del_${created}","status":"accepted"}`
        response.writeHead(201, { 'content-type': 'application/json', 'content-length': String(body.length) }).end(body)
      })
    })
    const cli = createCli()
    const words = ['deliveries', 'create', '--file', '-', '-o', 'ndjson', '--results', join(cli.home, 'results.ndjson')]
    const env = { DLV_BASE_URL: `${origin}/delivery/v1`, DLV_API_KEY: 'key' }
    const running = cli.startProcess(words, { env, stdin: null })
    const peak = watchPeak(running.child)
    const stdin = running.child.stdin as Writable
    const startedMs = performance.now()
    for (let row = 1; row <= rows; row++)
      if (!stdin.write(`${JSON.stringify(testOrder(`R-${row}`))}\n`)) await once(stdin, 'drain')
    stdin.end()
    const { exitCode, stderr } = await running.ended
    const seconds = (performance.now() - startedMs) / 1_000
    process.stderr.write(`peak ${Math.round(peak())} MB, ${Math.round(rows / seconds)} orders a second\n`)
    expect(exitCode, stderr.slice(-2_000)).toBe(0)
    expect(stderr).toContain(`${rows.toLocaleString('en-US')} created.`)
    expect(running.lines()).toHaveLength(rows)
    expect(created).toBe(rows)
    expect(peak()).toBeLessThan(200)
  })
})
