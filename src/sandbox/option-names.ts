/** The names of the options of a sandbox, apart from what opens one: commands do not load that to check them. */

import type { OptionNames } from '../shared/known-options.js'
import type { SandboxOptions } from './sandbox.js'
import type { ServedSandboxOptions } from './server.js'

export const sandboxOptionNames: OptionNames<SandboxOptions> = {
  data: 0,
  replaceDamaged: 0,
  clock: 0,
  timeScale: 0,
  rateLimit: 0,
  switches: 0,
  seed: 0,
  publicUrl: 0,
  allowedHosts: 0,
  allowHttpReceivers: 0,
  deliverWebhooks: 0,
  sendWebhook: 0,
  onRequest: 0,
  onError: 0,
}

export const servedSandboxOptionNames: OptionNames<ServedSandboxOptions> = {
  ...sandboxOptionNames,
  host: 0,
  port: 0,
  keepAlive: 0,
}
