import type { Program } from './program.js'

/** Written by the bundler: one lazily loaded module per command. */
export const commands: Program['commands']
