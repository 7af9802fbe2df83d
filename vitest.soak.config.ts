import { defineConfig } from 'vitest/config'
import { threadSources } from './scripts/thread-sources.js'

// Sandboxes that tests serve belong to the users of those tests, whose home directories are their own.
process.env.DLV_SANDBOX_SECRET = 'shared-by-sandboxes-and-users-of-tests'

/** The long runs: millions of mutations, hundreds of killed processes. One file at a time, so that each has the machine. */
export default defineConfig({
  plugins: [threadSources()],
  test: {
    include: ['test/soak/**/*.test.ts'],
    globalSetup: ['test/support/compile-cache.ts', 'test/support/postgres/global-setup.ts'],
    disableConsoleIntercept: true,
    fileParallelism: false,
    passWithNoTests: true,
    testTimeout: 900_000,
    hookTimeout: 60_000,
  },
})
