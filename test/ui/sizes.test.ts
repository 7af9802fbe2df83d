import { globSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

/** Kilobytes of files as a browser would fetch them, packed. */
function packed(pattern: string): number {
  const files = globSync(pattern, { cwd: 'dist/ui' })
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/ui/${file}`), { level: 9 }).length / 1_000, 0)
}

describe('The files of the page', () => {
  it('stay small', () => {
    const map = packed('*map*')
    expect(packed('*.js') - packed('*map*.js')).toBeLessThanOrEqual(55)
    expect(packed('*.css')).toBeLessThanOrEqual(6.1)
    expect(map).toBeLessThanOrEqual(20)
    expect(packed('*')).toBeLessThanOrEqual(90)
    expect(packed('*.js')).toBeGreaterThan(5)
  })

  it('hold no schema library and nothing of Node', () => {
    const script = readFileSync('dist/ui/inspector.js', 'utf8')
    expect(script).not.toMatch(/ZodError|_zod\b|node:/)
  })
})
