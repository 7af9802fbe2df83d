import { statSync } from 'node:fs'
import { shellWord } from '../shared/shell-word.js'

/**
 * A warning for the owner of a file with a key or secret that other users of this machine can read, with the command
 * that fixes it; `undefined` if nobody else can read it, for a pipe, and on Windows.
 */
export function exposureOf(file: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true || (stats.mode & 0o077) === 0) return undefined
  return `Other users can read ${file}; run: chmod 600 ${shellWord(file)}`
}
