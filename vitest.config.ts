import { defineConfig } from 'vitest/config'
import { threadSources } from './scripts/thread-sources.js'
import { LongestFirst } from './test/support/longest-first.js'

// Commands that run in the test's own process draw times in its zone.
process.env.TZ = 'UTC'
// Sandboxes that tests serve belong to the users of those tests, whose home directories are their own.
process.env.DLV_SANDBOX_SECRET = 'shared-by-sandboxes-and-users-of-tests'

// Every run of a standalone program is a process, of which a hook may start hundreds.
const timeoutMs = process.env.DLV_TEST_PROGRAM === undefined ? 60_000 : 180_000

export default defineConfig({
  plugins: [threadSources()],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/soak/**',
      '**/node_modules/**',
      // .ci/openapi installs Prism, and .ci/frameworks Express and Fastify; they run these tests.
      ...(process.env.DLV_PRISM ? [] : ['test/sandbox/prism.test.ts']),
      ...(process.env.DLV_FRAMEWORKS ? [] : ['test/webhooks/receivers/installed.test.ts']),
    ],
    globalSetup: [
      'test/support/compile-cache.ts',
      'test/support/memory-folder.ts',
      'test/support/python.ts',
      'test/support/postgres/global-setup.ts',
    ],
    disableConsoleIntercept: true,
    // What was transformed is kept in node_modules: the next run reads it.
    fsModuleCache: true,
    sequence: { sequencer: LongestFirst },
    // Two workers keep what they have loaded from file to file; a new process for each file costs half a minute.
    isolate: false,
    // Many tests wait for a process, a socket or a timer: more workers than processors use the time.
    maxWorkers: 7,
    // What a test polls for may need a process to start, which takes seconds on a busy machine.
    expect: { poll: { timeout: 40_000 } },
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
  },
})
