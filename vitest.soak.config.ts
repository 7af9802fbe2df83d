import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { threadSources } from './scripts/thread-sources.js'

process.env.TZ = 'UTC'
// Sandboxes that tests serve belong to the users of those tests, whose home directories are their own.
process.env.DLV_SANDBOX_SECRET = 'shared-by-sandboxes-and-users-of-tests'

process.env.DLV_TEST_SAMPLES = 'all'
process.env.DLV_TEST_SEED ??= String(Math.floor(Math.random() * 2 ** 31))
process.stderr.write(`seed ${process.env.DLV_TEST_SEED} (repeat with DLV_TEST_SEED=${process.env.DLV_TEST_SEED})\n`)

/** Tests that draw samples, of which `npm test` takes a tenth. */
const drawing = globSync('test/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('support/samples.js'),
)

/** The long runs: millions of mutations, hundreds of killed processes. One file at a time, so that each has the machine. */
export default defineConfig({
  plugins: [threadSources()],
  test: {
    include: ['test/soak/**/*.test.ts', ...drawing],
    globalSetup: [
      'test/support/compile-cache.ts',
      'test/support/memory-folder.ts',
      'test/support/python.ts',
      'test/support/postgres/global-setup.ts',
    ],
    disableConsoleIntercept: true,
    fileParallelism: false,
    passWithNoTests: true,
    testTimeout: 900_000,
    hookTimeout: 60_000,
  },
})
