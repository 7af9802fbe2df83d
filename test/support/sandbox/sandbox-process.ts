import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { Caller } from './caller.js'

const built = pathToFileURL(join(import.meta.dirname, '../../../dist/sandbox.js')).href

const script = `
  const { startSandbox } = await import(${JSON.stringify(built)})
  const sandbox = await startSandbox({ keepAlive: true, ...JSON.parse(process.argv[1]), onError: (error) => console.error(error) })
  const { baseUrl, controlUrl, apiKey, webhookSecret } = sandbox
  console.log(JSON.stringify({ baseUrl, controlUrl, apiKey, webhookSecret }))
`

/** A sandbox in a process of its own, as built, that can be killed. */
export class SandboxProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly caller: Caller,
    readonly webhookSecret: string,
  ) {}

  static async start(options: { data: string; timeScale?: number }): Promise<SandboxProcess> {
    const settings = JSON.stringify({ rateLimit: 'off', ...options })
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const ready = JSON.parse(String(line))
    const unopened = () => Promise.reject(new Error('This sandbox is in another process.'))
    const sandbox = {
      ...ready,
      data: options.data,
      fetch: unopened,
      steer: unopened,
      startOutbox: unopened,
      settled: unopened,
      close: unopened,
    }
    return new SandboxProcess(child, new Caller(sandbox), ready.webhookSecret)
  }

  /** As `kill -9`: nothing of it gets to run any more. */
  async kill(): Promise<void> {
    const exit = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await exit
  }
}
