import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder with those above it, for its owner alone unless `mode` says otherwise. Node's own recursive form never
 * returns where a file system denies that a folder exists beneath one that does, as `/proc` does.
 *
 * @throws the file system's error where it refuses
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error
  }
}
