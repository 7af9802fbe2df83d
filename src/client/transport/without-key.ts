import { tryParseJson } from '../../shared/json.js'
import { strikeOut } from '../../shared/strike-out.js'
import type { TransportReply } from './transport.js'

/** A reply in which the account's key is struck out of headers and body, however JSON writes it. */
export function withoutKey(reply: TransportReply, key: string | undefined): TransportReply {
  const json = tryParseJson(reply.body, 'answer')
  const text = json === undefined ? new TextDecoder().decode(reply.body) : JSON.stringify(json.value)
  const shown = strikeOut(text, key)
  return {
    ...reply,
    headers: new Headers([...reply.headers].map(([name, value]) => [name, strikeOut(value, key)])),
    body: shown === text ? reply.body : new TextEncoder().encode(shown),
  }
}
