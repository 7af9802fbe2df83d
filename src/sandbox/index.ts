/** The whole service inside this process, for tests and for work without a network. */

export type { LoggedRequest } from './http/request-log.js'
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.js'
export { type RunningSandbox, startSandbox } from './server.js'
export { defaultSwitches, type Switches } from './switches.js'
