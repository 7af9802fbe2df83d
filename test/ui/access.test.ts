import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Served, serveUi } from '../support/ui/inspector.js'

/** A request with headers that `fetch` would not send. */
function rawRequest(url: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end(body)
  })
}

describe('The server of the page', () => {
  let served: Served
  beforeAll(async () => {
    served = await serveUi('file')
    return served.close
  })
  const key = () => ({ authorization: `Bearer ${served.token}` })

  it('gives its page to anybody on this machine, with nothing inline and nothing from elsewhere', async () => {
    const response = await fetch(`${served.origin}/ui/deliveries`)
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const html = await response.text()
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/)
    expect(html).not.toContain(served.token)
  })

  it.each([
    '/ui/api/session',
    '/ui/api/live',
    '/ui/api/deliveries',
    '/ui/stream',
  ])('gives %s to nobody without the token', async (path) => {
    expect((await fetch(served.origin + path)).status).toBe(401)
    const wrong = { authorization: `Bearer ${'x'.repeat(served.token.length)}` }
    expect((await fetch(served.origin + path, { headers: wrong })).status).toBe(401)
  })

  it.each([
    'http://evil.example',
    'null',
    'http://127.0.0.1:1',
    'https://127.0.0.1',
  ])('refuses the origin %s, with the token and for reads, too', async (origin) => {
    const json = { 'content-type': 'application/json' }
    for (const path of ['/ui/', '/ui/api/session', '/ui/api/deliveries', '/ui/stream'])
      expect(await rawRequest(served.origin + path, { ...key(), origin }), path).toBe(403)
    const url = `${served.origin}/ui/api/deliveries`
    expect(await rawRequest(url, { ...key(), ...json, origin }, 'POST', '{}')).toBe(403)
  })

  it.each(['evil.example', 'evil.example:80', '127.0.0.1:1'])('refuses the name %j for this machine', async (host) => {
    for (const path of ['/ui/', '/ui/api/session'])
      expect(await rawRequest(served.origin + path, { ...key(), host }), path).toBeGreaterThanOrEqual(400)
  })

  it('takes its own origin and every loopback name', async () => {
    const url = `${served.origin}/ui/api/session`
    const { port } = new URL(served.origin)
    expect(await rawRequest(url, { ...key(), origin: served.origin })).toBe(200)
    expect(await rawRequest(url, { ...key(), host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200)
  })

  it('takes JSON objects only', async () => {
    const post = (type: string, body: string) =>
      served.ask('/deliveries', { method: 'POST', headers: { 'content-type': type }, body })
    expect((await post('text/plain', '{}')).status).toBe(415)
    expect((await post('application/x-www-form-urlencoded', 'a=b')).status).toBe(415)
    expect((await post('application/jsonp', '{}')).status).toBe(415)
    for (const body of ['', '{"order":', '[1]', 'null', '"text"', `${'['.repeat(300)}${']'.repeat(300)}`])
      expect((await post('application/json', body)).status, body.slice(0, 20)).toBe(400)
    expect((await post('application/json', `{"a":"${'x'.repeat(5_000_000)}"}`)).status).toBe(413)
  })

  it('says which addresses and methods exist', async () => {
    expect((await served.ask('/nothing')).status).toBe(404)
    expect((await served.ask('/session', { method: 'DELETE' })).status).toBe(405)
    expect((await served.ask('/deliveries/%E0%A4%A')).status).toBe(404)
    expect((await fetch(`${served.origin}/ui/files/..%2fpackage.json`)).headers.get('content-type')).toContain(
      'text/html',
    )
    expect((await fetch(`${served.origin}/ui/`, { method: 'POST' })).status).toBe(405)
  })

  it('keeps keys and secrets to itself', async () => {
    const session = JSON.stringify(await served.read('/session'))
    expect(session).toContain('embedded sandbox')
    expect(session).not.toMatch(/dlvk_|whsec_/)
  })
})
