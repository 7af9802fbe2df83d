import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>

/** The path of a program; `undefined` if there is none. Only absolute directories of `PATH` are searched. */
export function findProgram(name: string, env: Variables): string | undefined {
  return programPaths(name, env).find(isProgram)
}

/** Where a program can be, in the order of `PATH`, which Windows may spell `Path`. */
export function programPaths(name: string, env: Variables, platform: NodeJS.Platform = process.platform): string[] {
  const { delimiter, isAbsolute, join } = platform === 'win32' ? win32 : posix
  // Node starts no script of cmd.exe without a shell, which would read the arguments once more.
  const endings = platform === 'win32' ? ['.exe', '.com'] : ['']
  const variable = platform === 'win32' ? Object.keys(env).find((key) => key.toUpperCase() === 'PATH') : 'PATH'
  const folders = (env[variable ?? 'PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
