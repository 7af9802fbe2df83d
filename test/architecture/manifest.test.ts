import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the committed manifest lists the commands as they are today, and no two chunks need each other', () => {
  const options = { encoding: 'utf8', maxBuffer: 10_000_000 } as const
  const today = spawnSync(process.execPath, ['scripts/manifest.js', '--print'], options)
  // Node warns of a circle among the chunks, if what is first loaded is a command and not the start.
  expect(today.stderr).toBe('')
  expect(readFileSync('oclif.manifest.json', 'utf8')).toBe(today.stdout)
})
