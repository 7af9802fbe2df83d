import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const delivery = {
  deliveryId: 'del_1',
  clientOrderReference: 'ORDER-1001',
  status: 'delivered',
  statusHistory: [{ status: 'delivered', occurredAt: '2026-03-02T15:41:00Z' }],
  pricing: { currency: 'USD', deliveryFeeCents: 865, tipAmountCents: 400, totalPriceCents: 1265 },
  trackingUrl: 'https://example.com/track/del_1',
  createdAt: '2026-03-02T15:00:00Z',
}

/**
 * What a program tells Node: to collect no garbage in the first milliseconds. Compiled code depends on these flags.
 */
export const nodeFlags = ['--min-semi-space-size=4']

/** The usual commands. Each is run once, so that V8 stores the code that it compiles. */
const lines = [
  ['--version'],
  ['--help'],
  ['deliveries', '--help'],
  ['deliveries', 'get', '--help'],
  ['deliveries', 'get', 'del_1', '--json'],
  ['deliveries', 'get', 'del_1'],
  ['deliveries', 'list', '--from', '1d'],
  ['deliveries', 'create', '--file', 'examples/order.json', '--json'],
  ['events', 'list', '--since', '1d'],
  ['capabilities'],
  ['profiles', 'list'],
  ['explain', 'delivered'],
  ['completion', 'bash'],
  ['__complete', 'deliveries', ''],
  ['deliverys'],
]

/** Runs the usual commands from a directory of chunks and writes compiled code next to each chunk that they load. */
export async function keepCompiledCode(folder, manifest) {
  const server = createServer((request, response) => {
    const isList = request.method === 'GET' && !request.url.includes('del_1')
    const list = { deliveries: [delivery], events: [], nextCursor: null, accountType: 'marketplace', capabilities: {} }
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isList ? list : delivery))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const home = mkdtempSync(join(tmpdir(), 'dlv-home-'))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    DLV_BASE_URL: `http://127.0.0.1:${server.address().port}/delivery/v1`,
    DLV_API_KEY: 'dlvk_packaging',
    DLV_NO_INPUT: '1',
  }
  for (const words of lines) {
    const training = [...nodeFlags, 'scripts/package/training.cjs', folder, manifest, ...words]
    await promisify(execFile)(process.execPath, training, { env }).catch((error) => {
      if (error.code !== 127) throw error
    })
  }
  server.closeAllConnections()
  server.close()
  rmSync(home, { recursive: true })
}
