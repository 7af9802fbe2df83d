import { Transform } from 'node:stream'
import { ProtocolErrorCode, parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** The transport accepts no more without a line feed, and ends the connection. */
const maxLineBytes = 10 * 1_048_576

const lineFeed = 10

/**
 * Passes on the lines that are JSON-RPC messages. Any other line is answered with the error that JSON-RPC defines for it:
 * the transport would ignore it, and whoever sent it would wait.
 */
export function messageLines(answer: (line: string) => void): Transform {
  let held: Buffer[] = []
  let heldBytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        const line = Buffer.concat([...held, chunk.subarray(start, end + 1)])
        held = []
        heldBytes = 0
        start = end + 1
        const fault = faultOf(line.toString().trim())
        if (fault === undefined) this.push(line)
        else if (fault !== 'blank') answer(`${JSON.stringify(fault)}\n`)
      }
      const rest = chunk.subarray(start)
      heldBytes += rest.byteLength
      held.push(rest)
      if (heldBytes > maxLineBytes) {
        for (const piece of held.splice(0)) this.push(piece)
        heldBytes = 0
      }
      done()
    },
  })
}

/** The answer to a line that is not a message; `undefined` for a message. */
function faultOf(line: string) {
  if (line === '') return 'blank'
  const json = tryParseJson(line)
  if (json === undefined) return faultWith(null, ProtocolErrorCode.ParseError, 'Parse error: the line is not JSON')
  try {
    parseJSONRPCMessage(json.value)
    return undefined
  } catch {
    const { id, method } = isRecord(json.value) ? json.value : {}
    const isRequest = method !== undefined && (typeof id === 'string' || typeof id === 'number')
    const text = 'Invalid Request: the line is not a JSON-RPC 2.0 message'
    return faultWith(isRequest ? id : null, ProtocolErrorCode.InvalidRequest, text)
  }
}

function faultWith(id: string | number | null, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
