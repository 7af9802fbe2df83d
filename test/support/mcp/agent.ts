import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { launchInProcess } from '../cli/in-process.js'
import type { Cli } from '../cli/program.js'

export type Version = '2025-11-25' | '2026-07-28'
export const versions: readonly Version[] = ['2025-11-25', '2026-07-28']

interface AgentOptions {
  version?: Version
  /** What the person answers who is asked; without it the client cannot ask. */
  answer?: (message: string) => 'accept' | 'decline' | 'cancel'
  /** What the form holds that a person sends; a yes unless given. */
  filled?: Record<string, boolean>
  env?: NodeJS.ProcessEnv
  cwd?: string
  nowMs?: () => number
  whenOver?: (cleanUp: () => Promise<void>) => void
}

/** What a tool answered. */
export interface ToolResult {
  isError: boolean
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a tool answers is read as freely as its JSON.
  data: Record<string, any>
}

/** The official client, connected to `dlv mcp` in this process. */
export async function connectAgent(cli: Cli, words: readonly string[] = [], options: AgentOptions = {}) {
  const { version = '2026-07-28', answer, filled = { confirm: true }, env = {}, whenOver = onTestFinished } = options
  const asked: string[] = []
  const forms: unknown[] = []
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: version === '2025-11-25' ? 'legacy' : { pin: version } },
    },
  )
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      forms.push(params)
      const action = answer(params.message)
      return action === 'accept' ? { action, content: filled } : { action }
    })
  const { cwd = process.cwd(), nowMs } = options
  const transport = streamsOf(['mcp', ...words], { env: { ...cli.env, ...env }, cwd, nowMs })
  await client.connect(transport)
  whenOver(() => client.close())
  return {
    client,
    asked,
    forms,
    async call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
      const result = await client.callTool({ name, arguments: args })
      const [content] = result.content as { text: string }[]
      return {
        isError: result.isError === true,
        text: content?.text ?? '',
        data: (result.structuredContent ?? {}) as ToolResult['data'],
      }
    },
  }
}

/** The transport of standard input and output. */
function streamsOf(
  words: string[],
  options: Pick<AgentOptions, 'nowMs'> & { env: NodeJS.ProcessEnv; cwd: string },
): Transport {
  const stdin = new PassThrough()
  const { stdout, stderr, end } = launchInProcess(words, { ...options, stdin })
  stderr.resume()
  const transport: Transport = {
    async start() {
      createInterface({ input: stdout }).on('line', (line) => transport.onmessage?.(JSON.parse(line)))
      void end.then(() => transport.onclose?.())
    },
    async send(message: JSONRPCMessage) {
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      stdin.end()
      await end
    },
  }
  return transport
}
