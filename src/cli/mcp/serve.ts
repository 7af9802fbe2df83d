import { once } from 'node:events'
import { Transform } from 'node:stream'
import { ProtocolErrorCode, parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { isRecord, tryParseJson } from '../../shared/json.js'
import type { ProcessContext } from '../process/context.js'
import { withMarkedNumbers } from './arguments.js'
import { type AgentServerOptions, agentServer } from './server.js'

/** Serves one agent on standard input and output until it closes them, or the signal aborts. */
export async function serveAgents(
  { stdin, stdout, stderr }: ProcessContext,
  signal: AbortSignal,
  options: AgentServerOptions,
): Promise<void> {
  const lines = messageLines((line) => stdout.write(line))
  const ended = Promise.race([once(lines, 'end'), once(stdin, 'close'), aborted(signal)])
  stdin.pipe(lines)
  const server = serveStdio(() => agentServer(options), {
    transport: new StdioServerTransport(lines, stdout),
    onerror: (error) => stderr.write(`${error.message}\n`),
  })
  await ended
  await server.close()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** The transport accepts no more without a line feed, and ends the connection. */
const maxLineBytes = 10 * 1_048_576

const lineFeed = 10

/**
 * Passes on the lines that are JSON-RPC messages. Any other line is answered with the error that JSON-RPC defines for it:
 * the transport would ignore it, and whoever sent it would wait.
 */
function messageLines(answer: (line: string) => void): Transform {
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
        const text = line.toString().trim()
        const fault = faultOf(text)
        if (fault === undefined) this.push(withDigits(text) ?? line)
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

/** The message in a form that keeps the digits of its numbers; `undefined` if it does so as it is. */
function withDigits(text: string): string | undefined {
  const plain = JSON.stringify(tryParseJson(text)?.value)
  const exact = JSON.stringify(withMarkedNumbers(tryParseJson(text, 'input')?.value))
  return plain === exact ? undefined : `${exact}\n`
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
