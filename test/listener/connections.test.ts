import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendEvent } from '../../src/webhooks/index.js'
import { testCertificate } from '../support/certificate.js'
import { launchListener, postEvent, type RunningListener, testEvent } from '../support/listener/test-listener.js'
import { until } from '../support/until.js'

const certificate = testCertificate()

/** A connection that never closes its own side. */
async function silentConnection({ port }: RunningListener): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

describe.each(['http', 'https'] as const)('a listener over %s', (protocol) => {
  const secured = protocol === 'https' ? { tls: certificate } : {}
  const isTaken = async ({ url, secret }: RunningListener) => {
    const sent = await sendEvent({ url, secrets: [secret], ...testEvent(), ca: certificate.cert })
    return sent.answered && sent.status === 200
  }

  it('takes webhooks however many silent connections are open', async () => {
    const listener = await launchListener({ ...secured, limits: { connections: 8 } })
    let closed = 0
    for (let count = 0; count < 20; count++) {
      const silent = await silentConnection(listener)
      silent.resume().once('end', () => closed++)
      expect(await isTaken(listener)).toBe(true)
    }
    await until('12 closed connections', () => closed >= 12)
    expect(new Set(listener.recordsOf('rejected').map(({ reason }) => reason))).toEqual(
      new Set(['too_many_connections']),
    )
  })

  it('lets go of connections that never say anything, although they stay open on the other side', async () => {
    const listener = await launchListener({ ...secured, limits: { requestTimeMs: 300 } })
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
    const before = sockets()
    for (let count = 0; count < 5; count++) (await silentConnection(listener)).resume()
    // Each connection has two ends here; those of the listener are to go.
    await until('10 open sockets', () => sockets() >= before + 10)
    await until('the sockets to close', () => sockets() <= before + 5)
    expect(await isTaken(listener)).toBe(true)
  })

  it('is closed in the middle of requests that never began', async () => {
    const listener = await launchListener({ ...secured, limits: { drainMs: 3_600_000 } })
    const silent = await silentConnection(listener)
    const closed = once(silent.resume(), 'end')
    await listener.close()
    await closed
  })
})

it('an unfinished TLS handshake ends after the time for a request', async () => {
  const listener = await launchListener({ tls: certificate, limits: { requestTimeMs: 200 } })
  const socket = await silentConnection(listener)
  await once(socket.resume(), 'end')
})

it('keeps a connection that carries a request when it makes room for others', async () => {
  const listener = await launchListener({ limits: { connections: 2, requestTimeMs: 60_000 } })
  const sending = await silentConnection(listener)
  sending.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n')
  await once(sending, 'data')
  for (let count = 0; count < 5; count++) await silentConnection(listener)
  await until('a rejection', () => listener.recordsOf('rejected').length > 0)
  sending.write('{}')
  const [answer] = await once(sending, 'data')
  expect(String(answer)).toContain('HTTP/1.1 400')
})

it('reports rejections once a second for each reason, and counts the others', async () => {
  const listener = await launchListener()
  const refused = (path: string) => fetch(`http://127.0.0.1:${listener.port}${path}`, { method: 'POST', body: '{}' })
  for (let time = 0; time < 50; time++) {
    await refused('/elsewhere')
    await refused('/')
  }
  const counted = (reason: string) => {
    const records = listener.recordsOf('rejected').filter((record) => record.reason === reason)
    return [records.length, records.reduce((sum, { count = 0 }) => sum + count, 1)]
  }
  await listener.close()
  for (const reason of ['unknown_path', 'missing_header']) {
    const [records = 0, requests] = counted(reason)
    expect(requests).toBe(50)
    expect(records).toBeLessThan(25)
  }
})

it('a TLS connection that is kept open does not hold up the end', async () => {
  const listener = await launchListener({ tls: certificate, limits: { drainMs: 3_600_000 } })
  const kept = connectSecurely({ port: listener.port, host: '127.0.0.1', rejectUnauthorized: false })
  onTestFinished(() => void kept.destroy())
  kept.on('error', () => {})
  await once(kept, 'secureConnect')
  await listener.close()
  expect(await postEvent(listener.url, listener.secret, testEvent())).toBe(0)
})
