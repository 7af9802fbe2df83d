import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOrder } from '../support/orders.js'
import { createTempDir } from '../support/temp-dir.js'

const rows = 1_000_000
let created = 0
/** The fastest service there is: it says yes. */
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    created++
    const body = `{"deliveryId":"del_${created}","status":"accepted"}`
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': String(body.length) }).end(body)
  })
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The most memory that a process has had resident so far, in MB; Linux tells. */
function peakMegabytes(child: ChildProcess): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

describe.skipIf(process.platform !== 'linux')('A million rows from stdin', () => {
  test('go through the program in under 200 MB', async () => {
    const folder = createTempDir()
    const words = ['deliveries', 'create', '--file', '-', '-o', 'ndjson', '--results', join(folder, 'results.ndjson')]
    const { port } = server.address() as AddressInfo
    const child = spawn(process.execPath, ['bin/run.js', ...words], {
      env: {
        ...process.env,
        DLV_BASE_URL: `http://127.0.0.1:${port}/delivery/v1`,
        DLV_API_KEY: 'key',
        DLV_CONFIG_DIR: folder,
        DLV_DATA_DIR: folder,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close') as Promise<[number]>
    let printed = 0
    child.stdout.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) printed++
    })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk
    })
    let peak = 0
    const watching = setInterval(() => {
      if (child.exitCode === null) peak = Math.max(peak, peakMegabytes(child))
    }, 200)
    const startedMs = performance.now()
    for (let row = 1; row <= rows; row++)
      if (!child.stdin.write(`${JSON.stringify(testOrder(`R-${row}`))}\n`)) await once(child.stdin, 'drain')
    child.stdin.end()
    const [exitCode] = await ended
    clearInterval(watching)
    const seconds = (performance.now() - startedMs) / 1_000
    process.stderr.write(`peak ${Math.round(peak)} MB, ${Math.round(rows / seconds)} orders a second\n`)
    expect(exitCode, said.slice(-2_000)).toBe(0)
    expect(said).toContain(`${rows} created.`)
    expect(printed).toBe(rows)
    expect(created).toBe(rows)
    expect(peak).toBeLessThan(200)
  })
})
