import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the committed manifest lists the commands as they are today', () => {
  const options = { encoding: 'utf8', maxBuffer: 10_000_000 } as const
  const today = execFileSync(process.execPath, ['scripts/manifest.js', '--print'], options)
  expect(readFileSync('oclif.manifest.json', 'utf8')).toBe(today)
})
