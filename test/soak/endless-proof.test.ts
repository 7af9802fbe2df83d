import { existsSync, readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { watchPeak } from '../support/cli/peak-memory.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'

const gigabytes = 6
const bytes = gigabytes * 1_000_000_000

/** Serves a delivery whose only proof is a picture of 6 GB; counts what has been sent of it. */
async function servePicture(headers: Record<string, string>) {
  const sent = { bytes: 0 }
  const block = Buffer.alloc(1_000_000)
  const stream = (response: ServerResponse) => {
    while (sent.bytes < bytes && !response.destroyed) {
      sent.bytes += block.length
      if (!response.write(block)) {
        response.once('drain', () => stream(response))
        return
      }
    }
    response.end()
  }
  const origin = await startHttpServer(({ url }, response) => {
    if (url === '/picture') {
      response.writeHead(200, { 'content-type': 'image/png', ...headers })
      stream(response)
      return
    }
    const proofOfDelivery = [{ type: 'photo', stage: 'dropoff', url: `${origin}/picture` }]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ deliveryId: 'del_1', status: 'delivered', proofOfDelivery }))
  })
  return { sent, env: { DLV_BASE_URL: `${origin}/delivery/v1`, DLV_API_KEY: 'dlvk_test' } }
}

describe.skipIf(process.platform !== 'linux')('A proof of 6 GB', () => {
  it.each([
    ['that says its length', { 'content-length': String(bytes) }],
    ['that is chunked', {}],
  ])('%s ends at 64 MB, in little memory, and leaves no file', async (_, headers) => {
    const cli = createCli()
    const service = await servePicture(headers as Record<string, string>)
    const directory = join(cli.home, 'proof')
    const running = cli.startProcess(['deliveries', 'proof', 'del_1', '--save', directory], { env: service.env })
    const peak = watchPeak(running.child)
    const { exitCode, stderr } = await running.ended
    process.stderr.write(`peak ${Math.round(peak())} MB, ${service.sent.bytes / 1_000_000} MB sent\n`)
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining('larger than 64 MB')])
    expect(service.sent.bytes).toBeLessThan(200_000_000)
    // Little more than the program takes for any request: the picture is not held.
    expect(peak()).toBeLessThan(150)
    expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([])
  })
})
