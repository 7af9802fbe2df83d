import { once } from 'node:events'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ProcessContext } from '../process/context.js'
import { confirmations } from './confirmation.js'
import { messageLines } from './message-lines.js'
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
  const tokens = confirmations(options.context.nowMs)
  const server = serveStdio(() => agentServer(options, tokens), {
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
