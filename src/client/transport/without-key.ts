import { tryParseJson } from '../../shared/json.js'
import { redacted } from '../../shared/redact-secrets.js'
import type { TransportReply } from './transport.js'

/** Shorter words would be struck out where they mean something else. */
const leastKeyLength = 8

/** A reply in which the account's key is struck out of headers and body, however JSON writes it. */
export function withoutKey(reply: TransportReply, key: string | undefined): TransportReply {
  if (key === undefined || key.length < leastKeyLength) return reply
  const json = tryParseJson(reply.body)
  const text = json === undefined ? new TextDecoder().decode(reply.body) : JSON.stringify(json.value)
  const written = json === undefined ? key : JSON.stringify(key).slice(1, -1)
  return {
    ...reply,
    headers: new Headers([...reply.headers].map(([name, value]) => [name, value.replaceAll(key, redacted)])),
    body: text.includes(written) ? new TextEncoder().encode(text.replaceAll(written, redacted)) : reply.body,
  }
}
