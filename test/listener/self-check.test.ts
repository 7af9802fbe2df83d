import { describe, expect, it } from 'vitest'
import { selfCheck } from '../../src/listener/self-check.js'
import { newSecret } from '../../src/webhooks/index.js'
import { startHttpServer, takeAll } from '../support/http-server.js'

/** A listener as far as its trial of itself goes, over a journal that takes a write like this. */
async function startChecked(probe: () => Promise<void>, timeoutMs?: number) {
  const check = selfCheck(probe, timeoutMs)
  const url = await startHttpServer((request, response) => {
    check
      .recognise(request)?.()
      .then(
        () => response.writeHead(200).end(),
        () => response.writeHead(503).end(),
      )
  })
  return check.run({ url, secret: newSecret(), nowMs: Date.now() })
}

describe('the trial of a listener at its start', () => {
  it('is nobody else’s request, whatever mark that has', async () => {
    const check = selfCheck(async () => {})
    const url = await startHttpServer((request, response) => {
      response.writeHead(check.recognise(request) === undefined ? 401 : 200).end()
    })
    for (const mark of ['0'.repeat(64), '0', '0'.repeat(65)])
      expect((await fetch(url, { headers: { 'dlv-self-check': mark } })).status, mark).toBe(401)
  })

  it('fails with the error of the journal that refused the write, not with one of the address', async () => {
    await startChecked(async () => {})
    const refused = new Error('Cannot write the journal.')
    await expect(startChecked(() => Promise.reject(refused))).rejects.toBe(refused)
  })

  it('says that the journal is too slow if the request has reached it', async () => {
    await expect(startChecked(() => new Promise(() => {}), 1_500)).rejects.toMatchObject({
      message: 'the journal has not taken a write within 1.5 s',
      hint: expect.stringContaining('disk or database'),
    })
  })

  it('asks about the address only if another program answers, or none', async () => {
    const elsewhere = await startHttpServer(takeAll)
    for (const url of [elsewhere, 'http://127.0.0.1:9/'])
      await expect(selfCheck(async () => {}).run({ url, secret: newSecret(), nowMs: 0 })).rejects.toMatchObject({
        message: expect.stringContaining('the listener cannot reach itself at'),
        hint: expect.stringContaining('the address one of this machine'),
      })
  })
})
