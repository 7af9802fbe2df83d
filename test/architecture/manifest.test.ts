import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('the committed manifest lists the commands as they are today', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dlv-manifest-'))
  for (const name of ['package.json', 'bin', 'dist']) cpSync(name, join(folder, name), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, [createRequire(import.meta.url).resolve('oclif/bin/run.js'), 'manifest'], {
    cwd: folder,
  })
  const today: unknown = JSON.parse(readFileSync(join(folder, 'oclif.manifest.json'), 'utf8'))
  rmSync(folder, { recursive: true })
  expect(JSON.parse(readFileSync('oclif.manifest.json', 'utf8'))).toEqual(today)
})
