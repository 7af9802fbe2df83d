import { isSet } from '../process/colour.js'
import { findProgram } from '../process/find-program.js'
import { programEnvironment } from '../process/program-environment.js'
import { isUserCommandName } from './alias-file.js'

type Variables = Readonly<Record<string, string | undefined>>

/** The path of the program `dlv-NAME`; `undefined` if there is none. */
export function extensionPath(name: string, env: Variables): string | undefined {
  return isUserCommandName(name) ? findProgram(`dlv-${name}`, env) : undefined
}

/**
 * The environment of an extension: without keys and secrets, unless `DLV_EXTENSION_KEYS` asks for them. Windows knows a
 * variable by any case of its name.
 */
export function extensionEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (isSet(env.DLV_EXTENSION_KEYS)) return env
  return programEnvironment(env)
}
