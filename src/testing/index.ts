/** For integrators' tests: a sandbox of their own, its receiver, a client without a socket, a handler for msw. */

export { type HttpHandlers, mswHandler } from './msw-handler.js'
export { clientOf } from './sandbox-client.js'
export { startTestSandbox, type TestSandbox, type TestSandboxOptions } from './test-sandbox.js'
export { type TestHooks, useSandbox } from './use-sandbox.js'
export type { EventMatch, WaitForEventOptions } from './webhook-inbox.js'
