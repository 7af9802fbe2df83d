import { request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { Report } from '../../src/report/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { watchPeak } from '../support/cli/peak-memory.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'

/** Events on a page, at most. */
const pageRows = 100
/** Requests a second that the sandbox allows, as the contract does. */
const allowance = 20

/** Passes requests on to a service and counts them, and how many were turned away. */
async function countingProxy(baseUrl: string) {
  const target = new URL(baseUrl)
  const counts = { requests: 0, refused: 0 }
  const origin = await startHttpServer((incoming, outgoing) => {
    counts.requests++
    const { method, url: path, headers } = incoming
    const { hostname, port } = target
    const passed = request({ hostname, port, method, path, headers }, (reply) => {
      if (reply.statusCode === 429) counts.refused++
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  return { counts, baseUrl: `${origin}${target.pathname}` }
}

it.skipIf(process.platform !== 'linux').each([1_000, 10_000])(
  'a report on %d deliveries of 14 days requests each event once, and then only what is new',
  async (wanted) => {
    const sandbox = await startSandbox()
    onTestFinished(() => sandbox.close())
    await sandbox.steer('POST', '/seed', { over: '14d', perDay: Math.round(wanted / 14), seed: 5 })
    const { counts, baseUrl } = await countingProxy(sandbox.baseUrl)
    const cli = createCli()
    const env = { DLV_BASE_URL: baseUrl, DLV_API_KEY: sandbox.apiKey }
    // The first run takes minutes: a period that moves with the clock would lose deliveries.
    const from = new Date(Date.now() - 14 * 86_400_000).toISOString()
    const measure = async (name: string) => {
      Object.assign(counts, { requests: 0, refused: 0 })
      const startedMs = performance.now()
      const running = cli.startProcess(['report', '--from', from, '--json'], { env })
      const peakSoFar = watchPeak(running.child)
      const { exitCode, stdout, stderr } = await running.ended
      const peak = peakSoFar()
      expect(exitCode, stderr).toBe(0)
      const seconds = (performance.now() - startedMs) / 1_000
      const report = JSON.parse(stdout) as Report
      process.stderr.write(
        `${report.deliveries} deliveries, ${name} run: ${counts.requests} requests, ${counts.refused} refused, ${seconds.toFixed(1)} s, peak ${Math.round(peak)} MB\n`,
      )
      return { report, ...counts, seconds, peak }
    }
    const first = await measure('first')
    const second = await measure('second')
    const events = first.report.webhooks.lastDeliveryStatus
    const pages = Math.ceil(Object.values(events).reduce((sum, count) => sum + count, 0) / pageRows)
    // The clock and the end of the list besides; the pacer stays below the allowance.
    expect(first.requests).toBeLessThanOrEqual(pages + 3)
    expect(first.requests).toBeGreaterThanOrEqual(pages)
    expect(first.refused).toBe(0)
    expect(first.seconds).toBeGreaterThan((pages - 2 * allowance) / allowance)
    // The last ten minutes again, the newest event of the cache, and the clock.
    expect(second.requests).toBeLessThanOrEqual(8)
    expect(second.report.deliveries).toBeGreaterThanOrEqual(first.report.deliveries)
    // A report keeps a few kilobytes of each delivery, and none of its events.
    expect(Math.max(first.peak, second.peak)).toBeLessThan(250)
  },
)
