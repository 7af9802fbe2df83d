/** For integrators' tests: a sandbox of their own, its receiver, a client without a socket, a handler for msw. */

export { type HttpHandlers, mswHandler } from './msw-handler.js'
export {
  clientOf,
  startTestSandbox,
  type TestHooks,
  type TestSandbox,
  type TestSandboxOptions,
  useSandbox,
} from './test-sandbox.js'
export type { EventMatch, WaitForEvent, WaitForEventOptions } from './webhook-inbox.js'
