import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const vitest = 'node_modules/vitest/vitest.mjs'

/** The variables of this run belong to it: a runner inside must not take itself for a part of it. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_TEST|NODE_OPTIONS|TEST$)/.test(name)),
)

describe('the examples for an integrator', () => {
  it('pass under vitest, with the built package', async () => {
    const words = [vitest, 'run', '--root', 'examples/vitest', '--reporter', 'tap-flat']
    const { stdout } = await run(process.execPath, words, { env })
    expect(stdout.match(/^ok \d+/gm)).toHaveLength(4)
    expect(stdout).not.toMatch(/^not ok/m)
  })

  it('pass under node:test, with the built package', async () => {
    const { stdout } = await run(
      process.execPath,
      ['--test', '--test-reporter=tap', 'examples/node-test/shop.test.ts'],
      {
        env,
      },
    )
    expect(stdout).toMatch(/^# pass 4$/m)
    expect(stdout).toMatch(/^# fail 0$/m)
  })
})
