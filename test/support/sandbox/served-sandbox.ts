import { afterAll, beforeAll } from 'vitest'
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.js'
import { Caller } from './caller.js'

/** A sandbox on a port of its own for the tests of a file, and what leads a person to it. */
export interface ServedSandbox {
  /** Only while tests run. */
  readonly running: RunningSandbox
  readonly caller: Caller
  /** The variables that lead the program there; `apiKey` chooses an account. */
  env(apiKey?: string): NodeJS.ProcessEnv
}

/** Call it at the top of a file or of a `describe`. The limiter is off unless asked for. */
export function serveSandbox(options: SandboxOptions = {}): ServedSandbox {
  let running: RunningSandbox | undefined
  const served = () => {
    if (running === undefined) throw new Error('The sandbox is there while tests run, not before or after')
    return running
  }
  beforeAll(async () => {
    running = await startSandbox({ rateLimit: 'off', ...options })
  })
  afterAll(() => running?.close())
  return {
    get running() {
      return served()
    },
    caller: new Caller(served),
    env: (apiKey) => ({ DLV_BASE_URL: served().baseUrl, DLV_API_KEY: apiKey ?? served().apiKey }),
  }
}
