import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../shared/directory.js'
import type { ReplayCursor } from './replay.js'

/**
 * A cursor in a file of its own. Each step is written beside it, synced and renamed, so that a crash leaves the old
 * step or the new one. @throws the file system's error where it refuses.
 */
export function cursorFile(file: string): ReplayCursor {
  return {
    async read() {
      try {
        const text = await readFile(file, 'utf8')
        return text.trim() === '' ? undefined : text.trim()
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    async write(eventId) {
      makeFolder(dirname(file))
      const next = `${file}.next`
      const handle = await open(next, 'w', 0o600)
      try {
        await handle.writeFile(`${eventId}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(next, file)
    },
    async clear() {
      await rm(file, { force: true })
    },
  }
}
