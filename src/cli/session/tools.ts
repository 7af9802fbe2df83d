import type { Config } from '@oclif/core'
import type { Notices } from '../output/notices.js'
import type { Output } from '../output/output.js'
import type { ProcessContext } from '../process/context.js'
import type { GlobalFlags, TimeLimits } from './global-flags.js'

/** The configuration of a command: the part of oclif's configuration that it reads, and the context of the run. */
export interface CommandConfig extends Config {
  readonly context: ProcessContext
}

/** The tools of a session that its account uses. */
export interface SessionTools {
  readonly context: ProcessContext
  readonly config: CommandConfig
  readonly flags: GlobalFlags
  readonly output: Output
  readonly notices: Notices
  nowMs(): number
  timeLimits(): TimeLimits
  /** Asks, unless a flag has confirmed it. */
  confirmed(text: string, options: { flag?: string; undone: string }): Promise<boolean>
  /** Runs when the command ends, successfully or not; the last one first. */
  onClose(close: (error?: Error) => Promise<void> | void): void
}
