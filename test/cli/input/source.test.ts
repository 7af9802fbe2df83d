import { rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inputSource } from '../../../src/cli/input/source.js'
import type { ProcessContext } from '../../../src/cli/process/context.js'
import { createTempDir } from '../../support/temp-dir.js'

test('a file that is gone before it is read fails where it is read, and ends nothing before', async () => {
  const cwd = createTempDir()
  const path = join(cwd, 'orders.ndjson')
  writeFileSync(path, '{}')
  const { bytes, bytesTotal } = inputSource({ cwd } as ProcessContext, path)
  rmSync(path)
  // As long as opening a file takes.
  for (const _ of [1, 2]) await expect(readFile(path)).rejects.toThrow('ENOENT')
  expect(bytesTotal).toBe(2)
  await expect(Array.fromAsync(bytes)).rejects.toThrow('ENOENT')
})
