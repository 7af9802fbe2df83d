/** The whole service inside this process, for tests and for work without a network. */

export type {
  ClockState,
  Forced,
  SandboxClock,
  SandboxFaultRule,
  SandboxFaultRules,
  SandboxFaults,
  SandboxSnapshots,
  SavedSnapshot,
  Steering,
} from './control/steering.js'
export type { LoggedRequest } from './http/request-log.js'
export type { SandboxOptions, ServedSandboxOptions } from './options.js'
export { createSandbox, type Sandbox } from './sandbox.js'
export { type RunningSandbox, startSandbox } from './server.js'
export { defaultSwitches, type Switches } from './switches.js'
