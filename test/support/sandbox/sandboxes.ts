import { onTestFinished } from 'vitest'
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.js'
import { Caller } from './caller.js'

/** A running sandbox of one test, without a rate limit unless told, closed when the test ends. */
export async function startTestSandbox(
  options: SandboxOptions & { port?: number } = {},
): Promise<{ sandbox: RunningSandbox; caller: Caller }> {
  const errors: unknown[] = []
  const sandbox = await startSandbox({ rateLimit: 'off', onError: (error) => errors.push(error), ...options })
  onTestFinished(async () => {
    await sandbox.close()
    if (errors.length > 0) throw errors[0]
  })
  return { sandbox, caller: new Caller(sandbox) }
}
