import { statSync } from 'node:fs'
import { shellWord } from '../shared/shell-word.js'

/**
 * What to tell the owner of a file with a key or a secret that other users of this machine can read, with the command
 * that ends it; `undefined` if nobody else can, for a pipe, and on Windows.
 */
export function exposureOf(file: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true || (stats.mode & 0o077) === 0) return undefined
  return `Other users can read ${file}; run: chmod 600 ${shellWord(file)}`
}
