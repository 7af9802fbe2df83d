import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSecret, post, signatureHeaders } from '../../src/webhooks/index.js'
import { postConnections } from '../../src/webhooks/post.js'
import { testCertificate, tlsFlags } from '../support/certificate.js'
import { createCli } from '../support/cli/program.js'
import { testEvent } from '../support/listener/test-listener.js'

const sockets = 1_100
const seconds = 25

/** Connections that say nothing and never close their side; each is opened again when it is closed. */
function keepSilent(port: number) {
  const open = new Set<Socket>()
  let closedByPeer = 0
  let isOver = false
  const hold = () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    open.add(socket)
    socket.on('error', () => {})
    socket.resume().once('end', () => socket.destroy())
    socket.once('close', () => {
      open.delete(socket)
      if (isOver) return
      closedByPeer++
      setTimeout(hold, 20)
    })
  }
  for (let count = 0; count < sockets; count++) hold()
  const end = () => {
    isOver = true
    for (const socket of open) socket.destroy()
  }
  onTestFinished(end)
  return { open, closedByPeer: () => closedByPeer }
}

describe.each([
  ['HTTP', () => []],
  ['TLS', () => tlsFlags(testCertificate())],
] as const)('webhooks listen over %s with 1,100 silent connections', (_, tls) => {
  it('acknowledges a signed webhook every second, and ends soon after SIGTERM', async () => {
    const cli = createCli()
    const secret = newSecret()
    const env = { DLV_WEBHOOK_SECRET: secret, DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1', DLV_API_KEY: 'key' }
    const listener = cli.startProcess(['webhooks', 'listen', '-o', 'ndjson', ...tls()], { env })
    const ready = await listener.line((line) => JSON.parse(line).type === 'ready')
    const { url } = JSON.parse(ready) as { url: string }
    const silent = keepSilent(Number(new URL(url).port))
    const statuses: (number | string)[] = []
    for (let second = 0; second < seconds; second++) {
      const event = testEvent()
      const timestampSeconds = Math.floor(Date.now() / 1_000)
      const headers = { ...signatureHeaders({ secrets: [secret], ...event, timestampSeconds }) }
      // A connection of its own: one that is kept would not have to wait for a place.
      const connections = postConnections(1)
      const sent = await post({ url, headers, ...event, timeoutMs: 10_000, trustAnyone: true, connections })
      connections.close()
      statuses.push(sent.answered ? sent.status : sent.message)
      await wait(1_000)
    }
    expect(statuses).toEqual(Array(seconds).fill(200))
    expect(silent.closedByPeer()).toBeGreaterThan(sockets)
    const startedMs = performance.now()
    const { exitCode } = await listener.kill('SIGTERM')
    const endMs = performance.now() - startedMs
    process.stderr.write(`${silent.closedByPeer()} closed, ended ${Math.round(endMs)} ms after SIGTERM\n`)
    expect(exitCode).toBe(143)
    // Far from the 10 s after which a silent connection is closed anyway, and the 5 s for requests under way.
    expect(endMs).toBeLessThan(4_000)
  })
})
