import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { post, signatureHeaders } from '../../src/webhooks/index.js'
import { launchListener, postEvent, testEvent } from '../support/listener/test-listener.js'
import { forkWorker } from '../support/listener/workers.js'
import { until } from '../support/until.js'

const workers = { count: 1, launch: forkWorker }

describe('a listener with workers', () => {
  it('gives up a request that does not arrive in time', async () => {
    const { port, recordsOf } = await launchListener({ workers, limits: { requestTimeMs: 200 } })
    const slow = await answerOf(port, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{')
    expect(slow).toContain('408')
    await until('the rejection', () => recordsOf('rejected').some(({ reason }) => reason === 'too_slow'))
  })

  it('takes webhooks over TLS', async () => {
    const listener = await launchListener({ workers, tls: 'self-signed' })
    const event = testEvent('del_1')
    const outcome = await post({
      url: listener.url,
      headers: {
        ...signatureHeaders({ secrets: [listener.secret], ...event, timestampSeconds: Math.floor(Date.now() / 1000) }),
      },
      body: event.body,
      timeoutMs: 10_000,
      ...(listener.ca === undefined ? {} : { ca: listener.ca }),
    })
    expect(outcome).toMatchObject({ answered: true, status: 200 })
    expect(await listener.has([event.id])).toEqual(new Set([event.id]))
  })

  it('turns webhooks away while nobody reads its records, and takes them again after', async () => {
    let isBehind = false
    const { url, secret, recordsOf } = await launchListener({ workers, isBehind: () => isBehind })
    isBehind = true
    await until('a refusal', async () => (await postEvent(url, secret, testEvent())) === 503)
    await until('its record', () => recordsOf('rejected')[0]?.reason === 'reader_behind')
    isBehind = false
    await until('an acknowledgement', async () => (await postEvent(url, secret, testEvent())) === 200)
  })

  it('answers what is under way before it ends', async () => {
    const listener = await launchListener({ workers })
    const events = Array.from({ length: 30 }, () => testEvent())
    const answers = Promise.all(events.map((event) => postEvent(listener.url, listener.secret, event)))
    await until('an event', () => listener.recordsOf('event').length > 0)
    await listener.close()
    const kept = new Set(listener.recordsOf('event').map(({ eventId }) => eventId))
    const statuses = await answers
    // Whoever was refused a connection comes again: what counts is that an answer and the journal agree.
    for (const [at, { id }] of events.entries()) expect([id, statuses[at] === 200]).toEqual([id, kept.has(id)])
  })

  it('says why it cannot start if no worker can', async () => {
    const launch = () => forkWorker(['--no-such-flag'])
    await expect(launchListener({ workers: { count: 2, launch } })).rejects.toThrow(
      'A worker process ended with 2 before it was ready.',
    )
  })
})

/** What a server says to these bytes until it closes the connection. */
function answerOf(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(request)
    })
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    socket.on('end', () => {
      socket.destroy()
      resolve(text)
    })
    socket.on('error', reject)
  })
}
