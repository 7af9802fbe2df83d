import { readFileSync } from 'node:fs'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newSecret, sampleEvent, signatureHeaders, verify } from '../../src/webhooks/index.js'
import { type Request, type Vector, vectorSecret, vectors } from '../support/webhooks/verdict-vectors.js'

const nowSeconds = 1_772_463_600
const peers = { standardwebhooks: StandardWebhook, svix: SvixWebhook } as const
type Peer = keyof typeof peers

/** The peers read the system's clock, so it stands still here. */
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: nowSeconds * 1000 }))
afterAll(() => void vi.useRealTimers())

/** Whether a peer takes a request, given what a Node server would give it. */
function peerAccepts(peer: Peer, secrets: readonly string[], { headers, body }: Request): boolean {
  const joined: Record<string, string> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    joined[key] = joined[key] === undefined ? value : `${joined[key]}, ${value}`
  }
  return secrets.some((secret) => {
    try {
      new peers[peer](secret).verify(body, joined)
      return true
    } catch (error) {
      // A body that is not JSON is well signed all the same.
      return error instanceof SyntaxError
    }
  })
}

/** Where the peers decide otherwise than the scheme asks, as the table in the documentation. */
function disagreements(): string {
  const word = (accepted: boolean) => (accepted ? 'accepts' : 'refuses')
  const rows = vectors.flatMap((vector: Vector) => {
    const request = vector.build(nowSeconds)
    const secrets = vector.secrets ?? [vectorSecret]
    const ours = verify({ secrets, headers: request.headers.flat(), body: request.body, nowSeconds }).ok
    const standard = peerAccepts('standardwebhooks', secrets, request)
    const svix = peerAccepts('svix', secrets, request)
    return standard === ours && svix === ours ? [] : [[vector.title, word(ours), word(standard), word(svix)]]
  })
  const lines = [['Case', '`dlv`', '`standardwebhooks`', '`svix`'], ['---', '---', '---', '---'], ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

describe.each(Object.keys(peers) as Peer[])('%s', (peer) => {
  it('accepts what is signed here, and its signatures are accepted here', () => {
    const secret = newSecret()
    const event = sampleEvent('delivery.delivered', { occurredAtMs: nowSeconds * 1000 })
    const body = Buffer.from(JSON.stringify(event))
    const ours = { ...signatureHeaders({ secrets: [secret], id: event.eventId, timestampSeconds: nowSeconds, body }) }
    const library = new peers[peer](secret)
    expect(library.verify(body.toString(), ours)).toEqual(event)
    // Headers of the Fetch standard are a plain object to them, without any.
    const headers = new Headers(ours)
    expect(() => library.verify(body.toString(), headers as never)).toThrow('Missing required headers')
    expect(verify({ secrets: [secret], headers, body, nowSeconds }).ok).toBe(true)
    const theirs = library.sign(event.eventId, new Date(nowSeconds * 1000), body.toString())
    expect(theirs).toBe(ours['webhook-signature'])
  })
})

it('the documentation lists every case in which they decide otherwise', () => {
  const page = readFileSync(new URL('../../docs/reference/webhooks.md', import.meta.url), 'utf8')
  const listed = page.split('<!-- disagreements -->')[1]?.trim()
  expect(listed).toBe(disagreements())
})
