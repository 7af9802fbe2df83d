import { UsageError } from '../contract/index.js'
import { startTestSandbox, type TestSandbox, type TestSandboxOptions } from './test-sandbox.js'

type Hook = (work: () => Promise<void>) => unknown

/** Hooks of a test runner: `beforeAll` and `afterAll` of vitest and Jest, or `before` and `after` of `node:test`. */
export type TestHooks = {
  /** Runs before each test. */
  beforeEach: Hook
} & (
  | {
      /** Runs once before the tests of a file. */
      beforeAll: Hook
      /** Runs once after them. */
      afterAll: Hook
    }
  | {
      /** Runs once before the tests of a file. */
      before: Hook
      /** Runs once after them. */
      after: Hook
    }
)

/**
 * One sandbox for a test file, started before its first test, reset before each and closed after the last.
 *
 * @example
 * import { afterAll, beforeAll, beforeEach } from 'vitest'
 * const sandbox = useSandbox({ beforeAll, beforeEach, afterAll })
 *
 * @returns the sandbox; it can be used in hooks and tests
 */
export function useSandbox(hooks: TestHooks, options?: TestSandboxOptions): TestSandbox {
  const [before, after] = 'beforeAll' in hooks ? [hooks.beforeAll, hooks.afterAll] : [hooks.before, hooks.after]
  let running: TestSandbox | undefined
  before(async () => {
    running = await startTestSandbox(options)
  })
  hooks.beforeEach(async () => {
    await running?.reset()
  })
  after(async () => {
    await running?.close()
    running = undefined
  })
  return new Proxy({} as TestSandbox, {
    get(_, name) {
      if (running !== undefined) return Reflect.get(running, name)
      throw new UsageError(`The sandbox is not running: ${String(name)} can be used only in tests and hooks.`)
    },
    has: (_, name) => running !== undefined && name in running,
  })
}
