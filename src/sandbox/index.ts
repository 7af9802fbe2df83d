/** The whole service inside this process, for tests and for work without a network. */

export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.js'
export { type RunningSandbox, startSandbox } from './server.js'
export { defaultSwitches, type Switches } from './switches.js'
