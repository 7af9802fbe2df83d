import { ConnectionError } from '../../contract/index.js'

/** The answer's body passes the limit, packed or unpacked. */
export function tooLarge(maxBytes: number, cause?: unknown): ConnectionError {
  const limit = maxBytes >= 1_048_576 ? `${Math.round(maxBytes / 1_048_576)} MiB` : `${maxBytes} bytes`
  return new ConnectionError(`The answer is larger than ${limit} and was not read to its end`, {
    reason: 'too-large',
    cause,
  })
}
