import { concatBytes } from '../../shared/bytes.js'
import type { BodyLike } from './body-like.js'

type Bytes = ReturnType<typeof concatBytes>

/** The result of reading a body: `too-large` once it exceeds the limit, `aborted` if the sender disconnected. */
type BodyOutcome = Bytes | 'too-large' | 'aborted'

/** Reads a request's bytes as they are. */
export function readBody(request: BodyLike, maxBytes: number): Promise<BodyOutcome> {
  return new Promise((resolve) => collectBody(request, maxBytes, () => {}, resolve))
}

/**
 * The same without a promise, for whoever reads thousands a second.
 *
 * @param account called with the size in bytes of every piece as it arrives
 * @param settle called once
 */
export function collectBody(
  request: BodyLike,
  maxBytes: number,
  account: (bytes: number) => void,
  settle: (outcome: BodyOutcome) => void,
): void {
  let first: Bytes | undefined
  let more: Bytes[] | undefined
  let length = 0
  let isSettled = false
  const end = (outcome: BodyOutcome) => {
    if (isSettled) return
    isSettled = true
    settle(outcome)
  }
  const abort = () => end('aborted')
  request.on('data', (bytes) => {
    if (isSettled) return
    const piece = bytes as Bytes
    length += piece.length
    if (length > maxBytes) return end('too-large')
    account(piece.length)
    if (first === undefined) first = piece
    else if (more === undefined) more = [first, piece]
    else more.push(piece)
  })
  request.on('end', () => end(more === undefined ? (first ?? concatBytes([])) : concatBytes(more)))
  request.on('close', abort)
  request.on('error', abort)
}
