import type { IncomingMessage } from 'node:http'
import { concatBytes } from '../../shared/bytes.js'

type Bytes = ReturnType<typeof concatBytes>

/**
 * Reads a request's bytes as they are.
 *
 * @param account called with the size in bytes of every piece as it arrives
 * @returns `too-large` as soon as more than `maxBytes` came, `aborted` if the sender went away
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  account: (bytes: number) => void = () => {},
): Promise<Bytes | 'too-large' | 'aborted'> {
  return new Promise((resolve) => {
    const pieces: Bytes[] = []
    let length = 0
    const settle = (outcome: Bytes | 'too-large' | 'aborted') => {
      request.off('data', take)
      resolve(outcome)
    }
    const take = (piece: Bytes) => {
      length += piece.length
      if (length > maxBytes) {
        settle('too-large')
        return
      }
      account(piece.length)
      pieces.push(piece)
    }
    request.on('data', take)
    request.once('end', () => settle(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : concatBytes(pieces)))
    request.once('close', () => settle('aborted'))
    request.once('error', () => settle('aborted'))
  })
}
