import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isUserCommandName } from './alias-file.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Variables that hold secrets. An extension gets them only with `DLV_EXTENSION_KEYS`. */
const secretVariables = ['DLV_API_KEY', 'DLV_WEBHOOK_SECRET']

/** The path of the program `dlv-NAME`; `undefined` if there is none. Only absolute directories of `PATH` are searched. */
export function extensionPath(name: string, env: Variables, platform = process.platform): string | undefined {
  if (!isUserCommandName(name)) return undefined
  const endings = platform === 'win32' ? ['.exe', '.com'] : ['']
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue
    for (const ending of endings) {
      const path = join(folder, `dlv-${name}${ending}`)
      if (isProgram(path)) return path
    }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The environment of an extension: without keys and secrets, unless `DLV_EXTENSION_KEYS` asks for them. */
export function extensionEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const asked = env.DLV_EXTENSION_KEYS
  if (asked !== undefined && asked !== '' && asked !== '0' && asked !== 'false') return env
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secretVariables.includes(name)))
}
