import type { IncomingMessage } from 'node:http'
import { isRecord, readJsonText } from '../../shared/json.js'
import { Refused } from './route.js'

/** The most that the page sends at once, in bytes: an event body of a megabyte that was edited fits. */
const maxBytes = 4_194_304

/** The JSON object of a request. Throws the 4xx for anything else. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new Refused(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new Refused(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  const reading = readJsonText(Buffer.concat(chunks))
  if ('fault' in reading) throw new Refused(400, 'VALIDATION_ERROR', `The body ${reading.message}.`)
  if (!isRecord(reading.value)) throw new Refused(400, 'VALIDATION_ERROR', 'The body must be a JSON object.')
  return reading.value
}
