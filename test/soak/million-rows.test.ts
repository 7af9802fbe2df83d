import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { startBulkProcess } from '../support/bulk-process.js'
import { scratchFolder } from '../support/bulk-run.js'
import { anOrder } from '../support/orders.js'

const rows = 1_000_000
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    created++
    const body = `{"deliveryId":"del_${created}","status":"accepted"}`
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': String(body.length) }).end(body)
  })
})
let created = 0
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe('A million rows from stdin', () => {
  test('are sent in under 200 MB', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { child, ended } = startBulkProcess({
      baseUrl: `http://127.0.0.1:${port}/delivery/v1`,
      file: '-',
      resultsFile: join(scratchFolder(), 'results.ndjson'),
    })
    for (let row = 1; row <= rows; row++) {
      const isTaken = child.stdin?.write(`${JSON.stringify(anOrder(`R-${row}`))}\n`) ?? true
      if (!isTaken && child.stdin !== null) await once(child.stdin, 'drain')
    }
    child.stdin?.end()
    const { exitCode, report, stderr } = await ended
    expect(exitCode, stderr).toBe(0)
    expect(report?.counts.created).toBe(rows)
    expect(created).toBe(rows)
    const perSecond = Math.round(rows / ((report?.elapsedMs ?? 1) / 1_000))
    process.stderr.write(`peak ${Math.round(report?.peakMegabytes ?? 0)} MB, ${perSecond} orders a second\n`)
    expect(report?.peakMegabytes).toBeLessThan(200)
  })
})
