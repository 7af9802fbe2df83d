import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 2 ** 31

/**
 * Gives the tests a temporary folder in memory, if this machine has one that is big and runs programs: a disk lets every
 * commit of SQLite wait.
 */
export default function setup(): (() => void) | undefined {
  if (!existsSync(memory)) return
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < neededBytes) return
  const folder = mkdtempSync(join(memory, 'dlv-tests-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  if (spawnSync(program).status !== 0) {
    remove()
    return
  }
  // A PostgreSQL of root's tests runs as another user, who passes through it.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  return remove
}
