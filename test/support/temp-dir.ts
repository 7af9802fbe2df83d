import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new folder that is gone after the test, or when another hook of vitest says so. */
export function createTempDir(whenOver: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'dlv-test-'))
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
