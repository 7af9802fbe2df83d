import type { BuiltIn } from './built-in.js'

/** Written by the bundler of the standalone program: one lazily loaded module a command. */
export const commands: BuiltIn['commands']
