import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The path of a program; `undefined` if there is none. Only absolute directories of `PATH` are searched. */
export function findProgram(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const endings = platform === 'win32' ? ['.exe', '.com'] : ['']
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue
    for (const ending of endings) {
      const path = join(folder, `${name}${ending}`)
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
