import { onTestFinished } from 'vitest'
import { type Cli, createCli, type InProcessOptions, type Running } from '../cli/program.js'

/** A page that `dlv ui` serves, on the embedded sandbox of a person of its own. */
export interface Served {
  cli: Cli
  running: Running
  /** The address of the ready line. */
  url: string
  origin: string
  token: string
  /** Asks the page's server as the page does. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** The JSON of a GET. */
  read<Value>(path: string): Promise<Value>
  post(path: string, body: object): Promise<Response>
  /** Ends the program and removes what it left: for who started it for a whole file. */
  close(): Promise<void>
}

/**
 * Starts `dlv ui`, or another command that shows the page, in this process. It ends with the test; one for a whole
 * `file` ends by `close`, which its `beforeAll` can return.
 */
export async function serveUi(
  scope: 'test' | 'file' = 'test',
  options: InProcessOptions & {
    command?: readonly string[]
    words?: readonly string[]
    before?(cli: Cli): Promise<void>
  } = {},
): Promise<Served> {
  let close = async () => {}
  const cli = createCli((cleanUp) => {
    close = cleanUp
    if (scope === 'test') onTestFinished(cleanUp)
  })
  await options.before?.(cli)
  const { command = ['ui', '-o', 'json'], words = [] } = options
  const running = cli.start([...command, '--port', '0', ...words], options)
  const ready = JSON.parse(await running.line((line) => line.includes('"ready"'))) as { url: string; uiUrl?: string }
  const url = ready.uiUrl ?? ready.url
  const { origin } = new URL(url)
  const token = url.split('#token=')[1] ?? ''
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${origin}/ui/api${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, connection: 'close', ...init.headers },
    })
  return {
    cli,
    running,
    url,
    origin,
    token,
    ask,
    read: async <Value>(path: string) => (await ask(path)).json() as Promise<Value>,
    post: (path, body) =>
      ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    close,
  }
}
